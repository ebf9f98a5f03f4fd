"""Scores the matcher on corpora and prints a table of each: `python -m bench.quality`.

    python -m bench.quality [NAME...]  all, or some of: cases pastes loghub typescript
        --half work|aside|all          of the pastes; failures are shown of the first half only
        --failures FILE                write the working half's failures there, and those of cases
        --cases FOLDER                 where matching.yaml and loghub are (default: ../shared/cases)
        --typescript FILE              lib/typescript.js of the npm package typescript

What is not at hand is left out with a sentence.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path

from bench.quality.cases import Fault, answer_case, find_faults, load_cases
from bench.quality.loghub import score_loghub
from bench.quality.pastes import HEADER, Half, explain, half_of, load_pastes, row, score_paste
from bench.quality.typescript import load_templates, score_typescript

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *CORPORA], metavar="NAME")
    parser.add_argument("--half", choices=list(Half), default=Half.ALL, type=Half)
    parser.add_argument("--failures", type=Path)
    parser.add_argument("--cases", type=Path, default=ROOT.parent / "shared" / "cases")
    parser.add_argument("--typescript", type=Path)
    given = parser.parse_args()
    report: list[str] = []
    for name in given.names or CORPORA:
        start = time.monotonic()
        CORPORA[name](given, report)
        print(f"({name}: {time.monotonic() - start:.0f} s)\n", flush=True)
    if given.failures:
        given.failures.write_text("\n".join(report) + "\n", encoding="utf-8")
    return 0


def show_cases(given: argparse.Namespace, report: list[str]) -> None:
    """How many of the cases pass, by the beginning of their ids."""
    file = given.cases / "matching.yaml"
    if not file.exists():
        print(f"cases: left out, for there is no {file}; name another folder with --cases")
        return
    by_kind: Mapping[str, list[list[Fault]]] = defaultdict(list)
    for case in load_cases(file):
        faults = find_faults(case.expect, answer_case(case))
        kind = "controls" if case.control else case.id.split("-")[0]
        by_kind[kind].append(faults)
        report += [f"case {case.id}: {fault}" for fault in faults]
    print(f"{'cases':<22}{'number':>7}{'pass':>7}")
    by_kind = dict(sorted(by_kind.items()))
    for kind, found in {**by_kind, "all": list(chain(*by_kind.values()))}.items():
        print(f"{kind:<22}{len(found):>7}{sum(not faults for faults in found):>7}")


def show_pastes(given: argparse.Namespace, report: list[str]) -> None:
    """The figures of each half and, for the working half, what fails."""
    scores = {each.case.id: each for each in map(score_paste, load_pastes(given.half))}
    print(HEADER)
    for half in (Half.WORK, Half.ASIDE) if given.half is Half.ALL else (given.half,):
        print(row(half, [each for each in scores.values() if half_of(each.case.id) is half]))
    report.extend(
        explain(each, answer_case(each.case))
        for each in scores.values()
        if not each.good and half_of(each.case.id) is Half.WORK
    )


def show_loghub(given: argparse.Namespace, report: list[str]) -> None:
    """The shares of loghub's lines that are right."""
    if not (given.cases / "loghub").is_dir():
        print(f"loghub: left out, for there is no {given.cases / 'loghub'}")
        return
    print("\n".join(score_loghub(given.cases)))


def show_typescript(given: argparse.Namespace, report: list[str]) -> None:
    """The share of TypeScript's diagnostics that are found, by the form they are printed in."""
    if not given.typescript:
        print("typescript: left out; name the compiler's typescript.js with --typescript")
        return
    for line in score_typescript(load_templates(given.typescript)):
        print(line, flush=True)


CORPORA: dict[str, Callable[[argparse.Namespace, list[str]], None]] = {
    "cases": show_cases,
    "pastes": show_pastes,
    "loghub": show_loghub,
    "typescript": show_typescript,
}

if __name__ == "__main__":
    sys.exit(main())
