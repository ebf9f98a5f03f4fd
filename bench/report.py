"""Writes BENCHMARKS.md and the curves in docs/ from bench/results/*.json."""

from __future__ import annotations

import re
from pathlib import Path

from bench.curves import draw, spoken
from bench.figures import RESULTS, Curve, Figure, Result, load

ROOT = Path(__file__).parent.parent
ORDER = (
    "matching",
    "scale",
    "search",
    "ingestion",
    "serving",
    "pages",
    "starting",
    "harvest",
    "load",
    "crash",
    "hostile",
    "fuzz",
    "bulk",
)
HEAD = """# Benchmarks

Made by `make bench`; every number below comes from `bench/results/*.json`. A ratio is
ours divided by the peer's, both measured in one run on one input. **Better** and **worse**
say who is ahead. On a shared machine absolute numbers move by a third from run to run;
ratios move less, and only ratios are compared with what is kept in `bench/baseline.json`.
"""


def file_of(name: str, curve: Curve) -> str:
    """The curve's file below docs/."""
    words = re.sub(r"[^a-z0-9]+", "-", f"{name} {curve.what}".lower()).strip("-")
    return f"curves/{words}.svg"


def verdict(figure: Figure) -> str:
    """The ratio, and who is ahead."""
    ratio = figure.ratio
    told = f"{ratio:.2f}" if ratio < 100 else f"{ratio:,.0f}"
    if 0.95 < ratio < 1.05:
        return f"{told} · equal"
    return f"{told} · {'better' if (ratio > 1) == figure.more_is_better else 'worse'}"


def table(figures: list[Figure]) -> list[str]:
    """The figures as a table of Markdown."""
    lines = [
        "| what | ours | peer | peer's | ratio | |",
        "| --- | ---: | --- | ---: | ---: | --- |",
    ]
    for each in figures:
        ours, theirs = (f"{spoken(value)} {each.unit}" for value in (each.ours, each.theirs))
        cells = [each.what, ours, each.peer, theirs, verdict(each), each.note]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def section(result: Result, machine: dict[str, str], docs: Path, usual: str) -> list[str]:
    """One benchmark; draws its curves. `usual`: the processor that the page names once."""
    lines = ["", f"## {result.title}", "", f"{result.input}. Measured {machine['date']}", ""]
    lines[-2] += f" at {machine['commit']}, load average {machine['load']}"
    lines[-2] += f", on {machine['processor']}." if machine["processor"] != usual else "."
    if result.figures:
        lines += table(result.figures)
    for curve in result.curves:
        path = docs / file_of(result.name, curve)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(draw(curve))
        lines += ["", f"![{curve.what} by {curve.by}](docs/{file_of(result.name, curve)})"]
    return lines


def write(root: Path = ROOT, results: Path = RESULTS) -> None:
    """Write the page of all results that are there."""
    loaded = load(results)
    loaded.sort(key=lambda each: ORDER.index(each[0].name) if each[0].name in ORDER else 99)
    lines = [HEAD]
    if loaded:
        machine = max((each for _, each in loaded), key=lambda each: each["date"])
        shown = {k: v for k, v in machine.items() if k not in {"date", "commit", "load"}}
        lines += ["| machine | |", "| --- | --- |", *(f"| {k} | {v} |" for k, v in shown.items())]
    for result, measured in loaded:
        lines += section(result, measured, root / "docs", machine["processor"])
    (root / "BENCHMARKS.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write()
