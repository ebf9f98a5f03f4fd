"""Scores the matcher on corpora and prints a table of each: `python -m bench.quality`.

    python -m bench.quality [NAME...]  all, or some of: cases pastes loghub typescript precision
        --half work|aside|all          of the pastes; failures are shown of the first half only
        --failures FILE                write the working half's failures there, and those of cases
        --typescript FOLDER            the npm package `typescript` (default: it is installed into
                                       a folder that is removed again)
        --packages FOLDER              harvested beside what is installed, for `precision`
        --cases FOLDER                 where matching.yaml and loghub are (default: ../shared/cases)

What is not at hand is left out with a sentence.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path

from bench.quality.cases import Fault, answer_case, find_faults, load_cases
from bench.quality.compiler_diagnostics import install, score_diagnostics
from bench.quality.loghub import score_loghub
from bench.quality.pastes import HEADER, Half, explain, half_of, load_pastes, row, score_paste
from bench.quality.precision import healthy_matches, large_base, wrong_matches
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
    parser.add_argument("--packages", type=Path)
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
    """The share of the compiler's templates and of its diagnostics that are right, by form."""
    with tempfile.TemporaryDirectory(prefix="errdex-quality-") as name:
        try:
            package = given.typescript or install(Path(name))
            for line in score_typescript(load_templates(package / "lib" / "typescript.js")):
                print(line, flush=True)
            print("\n".join(score_diagnostics(package, report)))
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"typescript: left out, for the compiler cannot be run: {error}")


def show_precision(given: argparse.Namespace, report: list[str]) -> None:
    """What is wrongly called known with many records, in pastes and in healthy logs."""
    base = large_base(given.packages)
    wrong = wrong_matches(base, load_pastes(given.half))
    with tempfile.TemporaryDirectory(prefix="errdex-quality-") as name:
        lines, healthy = healthy_matches(base, Path(name))
    print(f"{len(base.facts):,} records: {len(wrong)} pastes with a wrong one called known, ")
    print(f"{len(healthy)} wrong matches in {lines:,} lines of healthy programs")
    report += [
        f"precision {score.case.id}: {names}"
        for score, names in wrong
        if half_of(score.case.id) is Half.WORK
    ]
    report += [f"precision {each}" for each in healthy]


CORPORA: dict[str, Callable[[argparse.Namespace, list[str]], None]] = {
    "cases": show_cases,
    "pastes": show_pastes,
    "loghub": show_loghub,
    "typescript": show_typescript,
    "precision": show_precision,
}

if __name__ == "__main__":
    sys.exit(main())
