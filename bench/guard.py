"""Compares the ratios of a run with those that are kept: `python -m bench.guard [--keep]`.

Ratios, never times: a slower or busier machine slows both sides. A ratio that is worse
than the kept one by more than `TOLERANCE` fails the run; `--keep` makes this run's
ratios the ones to hold, after looking at them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bench.figures import RESULTS, Figure, load

BASELINE = Path(__file__).parent / "baseline.json"
TOLERANCE = 1.6
BOUNDS = ("the bound", "bound", "allowed")
"""No peers: a ratio to them is an absolute time. Each benchmark fails when it is over its own."""


def name_of(benchmark: str, figure: Figure) -> str:
    """Under which a ratio is kept."""
    return f"{benchmark}: {figure.what} / {figure.peer}"


def worse_by(figure: Figure, kept: float) -> float:
    """How many times worse than the kept ratio: above 1 is worse."""
    now = figure.ratio
    better, worse = (now, kept) if figure.more_is_better else (kept, now)
    if worse == better:
        return 1.0  # also of nothing: no wrong answer, as before
    return worse / better if better else float("inf")


def compare(figures: dict[str, Figure], kept: dict[str, float]) -> list[str]:
    """What is wrong: ratios that got worse, and kept ones that were not measured."""
    wrong = [
        f"{name}: the ratio is {figure.ratio:.3g}, {worse:.2f} times worse than {kept[name]:.3g}"
        for name, figure in figures.items()
        if name in kept and (worse := worse_by(figure, kept[name])) > TOLERANCE
    ]
    return wrong + [f"{name}: not measured" for name in kept if name not in figures]


def main() -> int:
    """0 when nothing got worse."""
    figures = {
        name_of(result.name, figure): figure
        for result, _ in load(RESULTS)
        for figure in result.figures
        if figure.peer not in BOUNDS
    }
    if "--keep" in sys.argv:
        ratios = {name: round(figure.ratio, 4) for name, figure in figures.items()}
        BASELINE.write_text(json.dumps(ratios, indent=1) + "\n")
        return 0
    kept = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    wrong = compare(figures, kept)
    print("\n".join(wrong) or f"{len(kept)} ratios are as good as the kept ones.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
