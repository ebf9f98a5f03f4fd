"""Each benchmark as a function of how large it is to be: `python -m bench.measures NAME [SHARE]`.

A share of 1 is what BENCHMARKS.md is made of; tests and a first look take a small one.
Every figure stands beside a peer's, measured in the same run on the same input.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench import harvesting, insertion, pages, serving, starting
from bench.figures import Curve, Figure, Result
from bench.matching import USUAL_ERRORS, Figures, in_own_process
from bench.search import measure as measure_search
from bench.search import percentile


def matching(share: float) -> Result:
    """The engine beside each of its peers on the same patterns and lines."""
    patterns, lines = round(50_000 * share), max(round(100_000 * share), 1000)
    sizes = [round(size * share) for size in (1_000, 10_000, 50_000, 100_000, 200_000)]
    runs: dict[int, Figures] = {}
    for size in sizes:
        if ours := in_own_process("engine", size, lines, USUAL_ERRORS):
            runs[size] = ours
    ours = runs[patterns]
    figures = []
    for name in ("hyperscan", "drain3", "naive loop, RE2", "naive loop, re"):
        peer = in_own_process(name, patterns, lines, USUAL_ERRORS)
        if peer is None:
            continue
        note = "measured on a part, scaled to all patterns"
        if "matches" in peer:
            note = f"it found {peer['matches']:,.0f}, we {ours['matches']:,.0f}"
        figures.append(
            Figure("lines matched", "lines/s", ours["lines/s"], name, peer["lines/s"], note=note)
        )
        if "MB" in peer:
            figures += [
                Figure("patterns built", "s", ours["compile s"], name, peer["compile s"], False),
                Figure("memory", "MB", ours["MB"], name, peer["MB"], False),
            ]
    figures += _whole_way(patterns, lines)
    curves = [
        Curve(what, unit, [(size, run[key]) for size, run in runs.items()], by="patterns")
        for what, unit, key in (
            ("Lines matched a second", "lines/s", "lines/s"),
            ("Time to build the pattern set", "s", "compile s"),
            ("Memory of the pattern set", "MB", "MB"),
        )
    ]
    told = f"{patterns:,} patterns, {lines:,} lines of which 5 % are errors; CPU time of one core"
    return Result("matching", "Matching", told, figures, curves)


MOST_GROWTH = 2
"""How many times longer a line may take with a hundred times the patterns."""


def scale(share: float) -> Result:
    """Three runs in a row beside Hyperscan, and the time of a line as patterns become many."""
    lines = max(round(100_000 * share), 1000)
    few, usual, many = (round(size * share) for size in (10_000, 50_000, 1_000_000))
    figures = []
    for number in (1, 2, 3):
        ours = in_own_process("engine", usual, lines, USUAL_ERRORS)
        peer = in_own_process("hyperscan", usual, lines, USUAL_ERRORS)
        if ours and peer:
            figures.append(beside_hyperscan(usual, number, ours["lines/s"], peer["lines/s"]))
    short = in_own_process("engine", few, lines, USUAL_ERRORS)
    long = in_own_process("engine", many, lines, USUAL_ERRORS)
    if short and long:
        figures.append(growth(few, many, 1e6 / short["lines/s"], 1e6 / long["lines/s"]))
    told = f"{lines:,} lines of which 5 % are errors; CPU time of one core"
    return Result("scale", "Many patterns", told, figures)


def beside_hyperscan(patterns: int, run: int, ours: float, theirs: float) -> Figure:
    """Of one run."""
    what = f"lines matched, {patterns:,} patterns, run {run}"
    return Figure(what, "lines/s", ours, "hyperscan", theirs)


def growth(few: int, many: int, short: float, long: float) -> Figure:
    """Of the microseconds that a line takes."""
    what, bound = f"time of a line, {many:,} patterns", f"{MOST_GROWTH} times that of {few:,}"
    return Figure(what, "µs", long, bound, MOST_GROWTH * short, False)


def _whole_way(patterns: int, lines: int) -> list[Figure]:
    """From the bytes of a log to its answer, beside the loop over patterns alone."""
    figures = []
    for errors in (0.0, USUAL_ERRORS):
        ours = in_own_process("whole way", patterns, lines, errors)
        loop = in_own_process("naive loop, RE2", patterns, lines, errors)
        if ours is None or loop is None:
            continue
        note = "reading, events, patterns and ranking; the loop tries the patterns alone, scaled"
        what = f"lines answered, the whole way, {errors:.0%} errors"
        figures.append(
            Figure(what, "lines/s", ours["lines/s"], "naive loop, RE2", loop["lines/s"], note=note)
        )
    return figures


def search(share: float) -> Result:
    """The index beside FTS5 and tantivy on the same documents and queries."""
    from bench.search import Corpus, make_queries
    from bench.tantivy_peer import Tantivy

    records = max(round(100_000 * share), 1000)
    found = measure_search(records, 40)
    corpus = Corpus()
    documents = list(corpus.documents(records))
    with tempfile.TemporaryDirectory() as name:
        peer = Tantivy(Path(name) / "tantivy")
        seconds = peer.build(documents)
        times = [
            serving.clock(lambda a=asked: peer.search(a))
            for listed in make_queries(corpus, documents, 40).values()
            for asked in listed
        ]
    rows = found["queries"]["all"]
    figures = [
        Figure("built", "records/s", found["docs_per_second"], "FTS5",
               found["fts5_docs_per_second"]),
        Figure("built", "records/s", found["docs_per_second"], "tantivy", records / seconds),
        Figure("size on disk", "MB", found["size_mb"], "FTS5", found["fts5_size_mb"], False),
        Figure("query, median", "ms", rows["p50_ms"], "FTS5", rows["fts5_p50_ms"], False),
        Figure("query, 95th percentile", "ms", rows["p95_ms"], "FTS5", rows["fts5_p95_ms"], False),
        Figure("query, median", "ms", rows["p50_ms"], "tantivy", percentile(times, 0.5), False),
        Figure("query, 95th percentile", "ms", rows["p95_ms"], "tantivy",
               percentile(times, 0.95), False),
    ]  # fmt: skip
    told = (
        f"{records:,} records, 14 kinds of queries; the peers count matches, ours also counts six "
        "facets, falls back to records with some of the words and suggests spellings"
    )
    return Result("search", "Search", told, figures)


MEASURES: dict[str, Callable[[float], Result]] = {
    "matching": matching,
    "scale": scale,
    "search": search,
    "ingestion": insertion.measure,
    "serving": serving.measure,
    "pages": pages.measure,
    "starting": starting.measure,
    "harvest": harvesting.measure,
}


if __name__ == "__main__":
    MEASURES[sys.argv[1]](float(sys.argv[2]) if len(sys.argv) > 2 else 1.0).save()
