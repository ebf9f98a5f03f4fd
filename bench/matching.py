"""Measures the matching engine, beside the naive loop and Hyperscan: `python -m bench.matching`.

Each measurement runs in a process of its own, so that memory is that of one engine. Times
are CPU time of one core, the best of several runs, after a first one that compiles the
patterns which occur. A naive loop would take hours: it is run on a part, and its figure is
for that part scaled to all patterns.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import psutil
from bench.generate_log import Generator
from bench.log_kinds import measure

from errdex.matching.events import find_events
from errdex.matching.garbage_collection import collect_rarely
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pack.build import build_pack, update_pack
from errdex.matching.patterns.pattern import compile_pattern
from errdex.matching.ranking import Matcher, MatchLimits, RecordFacts
from errdex.matching.reading import read_paste

SIZES = (1_000, 50_000, 200_000)
ERRORS = (0.0, 0.05, 0.5)
USUAL_ERRORS = 0.05
WHOLE_WAY_ERRORS = (0.0, 0.01, 0.05)
OURS = ("engine", "whole way")
RUNS = 4
MAX_SECONDS = 900
NAIVE_PATTERNS, NAIVE_LINES = 300, 300

T = TypeVar("T")
Figures = dict[str, float]


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def best(work: Callable[[], T]) -> tuple[float, T]:
    return min((timed(work) for _ in range(RUNS)), key=lambda run: run[0])


def megabytes() -> float:
    return psutil.Process().memory_info().rss / 2**20


def generated(patterns: int, lines: int, errors: float) -> tuple[list[str], list[str]]:
    generator = Generator()
    sources = generator.patterns(patterns)
    return sources, list(generator.log(sources, lines, errors))


def measure_engine(sources: list[str], log: list[str]) -> Figures:
    keyed = [(f"{number:08}", source) for number, source in enumerate(sources)]
    compiling, pack = timed(lambda: build_pack(keyed))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.pack"
        path.write_bytes(pack)
        before = megabytes()
        opening, patterns = timed(lambda: PatternSet.open(path))
        finding, findings = best(lambda: patterns.find(log))
        used = megabytes() - before
    changed = {**dict.fromkeys(map("{:08}".format, range(50))), "new": "a pattern (.+?) of now"}
    updating, _ = timed(lambda: update_pack(patterns.facts, changed))
    return {
        "compile s": compiling,
        "open s": opening,
        "update s": updating,
        "MB": used,
        "lines/s": len(log) / finding,
        "matches": len(findings.matches),
        "always tried": patterns.unfiltered,
    }


def measure_whole_way(sources: list[str], log: list[str]) -> Figures:
    """From the paste's bytes to its answer: reading, events, patterns, evidence. The parts are
    measured by themselves as well."""
    collect_rarely()  # as whatever matches pastes does
    data = "\n".join(log).encode()
    records = {str(number): source for number, source in enumerate(sources)}
    before = megabytes()
    matcher = Matcher(PatternSet.compile(records.items()))

    def look_up(ids: Collection[str]) -> dict[str, RecordFacts]:
        return {key: RecordFacts(key, "a/b", records[key], records[key]) for key in ids}

    limits = MatchLimits(
        seconds=MAX_SECONDS, matches=len(log), matches_per_record=len(log), events=len(log)
    )
    answering, answer = best(lambda: matcher.match(data, look_up, limits))
    reading, paste = best(lambda: read_paste(data))
    finding, _ = best(lambda: find_events(paste))
    return {
        "lines/s": len(log) / answering,
        "MB": megabytes() - before,
        "µs/line": answering / len(log) * 1e6,
        "of it reading": reading / len(log) * 1e6,
        "events": finding / len(log) * 1e6,
        "known": sum(1 for each in answer.events if each.matches),
    }


def measure_hyperscan(sources: list[str], log: list[str]) -> Figures:
    """Patterns as they are written: that the white space is flexible would take it longer."""
    import hyperscan

    expressions = [source.encode() for source in sources]
    lines = [line.encode() for line in log]
    before = megabytes()
    database = hyperscan.Database()
    compiling, _ = timed(
        lambda: database.compile(
            expressions=expressions,
            ids=list(range(len(expressions))),
            elements=len(expressions),
            flags=hyperscan.HS_FLAG_SINGLEMATCH,
        )
    )
    found: list[int] = []

    def scan() -> int:
        found.clear()
        for line in lines:
            database.scan(line, match_event_handler=lambda number, *_: found.append(number))
        return len(found)

    scanning, matches = best(scan)
    return {
        "compile s": compiling,
        "MB": megabytes() - before,
        "lines/s": len(log) / scanning,
        "matches": matches,
    }


def measure_drain(sources: list[str], log: list[str]) -> Figures:
    """Drain3 with the same patterns as its templates."""
    from bench import drain_peer  # which needs this module

    return drain_peer.measure_drain(sources, log)


def measure_naive(
    compile_one: Callable[[str], Callable[[str], object]], sources: list[str], log: list[str]
) -> Figures:
    part, lines = sources[:NAIVE_PATTERNS], log[:NAIVE_LINES]
    compiling, searches = timed(lambda: [compile_one(source) for source in part])
    finding, _ = timed(lambda: [search(line) for line in lines for search in searches])
    scale = len(sources) / len(part)
    return {"compile s": compiling * scale, "lines/s": len(lines) / (finding * scale)}


ENGINES: dict[str, Callable[[list[str], list[str]], Figures]] = {
    "engine": measure_engine,
    "whole way": measure_whole_way,
    "hyperscan": measure_hyperscan,
    "drain3": measure_drain,
    "naive loop, RE2": partial(measure_naive, lambda source: compile_pattern(source).search),
    "naive loop, re": partial(measure_naive, lambda source: re.compile(source).search),
}


def in_own_process(engine: str, patterns: int, lines: int, errors: float) -> Figures | None:
    """Run this module for one measurement. None: it failed, and said why."""
    asked = [engine, str(patterns), str(lines), str(errors)]
    command = [sys.executable, "-m", "bench.matching", "--one", *asked]
    try:
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=MAX_SECONDS
        )
    except subprocess.TimeoutExpired:
        print(f"{engine}: not finished after {MAX_SECONDS} s")
        return None
    except subprocess.CalledProcessError as failure:
        print(f"{engine}: {failure.stderr.strip().splitlines()[-1]}")
        return None
    return json.loads(done.stdout)


def show(engine: str, patterns: int, errors: float, figures: Figures) -> None:
    told = ", ".join(
        f"{name} {value:,.0f}" if value >= 100 or value == int(value) else f"{name} {value:,.2f}"
        for name, value in figures.items()
    )
    print(f"{engine:16} {patterns:>8,} patterns, {errors:4.0%} errors: {told}", flush=True)


def show_reading(lines: int) -> None:
    print("microseconds a line: reading, events, texts to match, in all")
    for name, *times in measure(lines):
        told = "".join(f"{each:8.2f}" for each in (*times, sum(times)))
        print(f"{name:20}{told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--patterns", type=int, default=50_000, help="for all but the engine")
    parser.add_argument("--reading", action="store_true", help="reading and events alone")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        engine, patterns, lines, errors = asked.one
        needed = NAIVE_LINES if engine.startswith("naive") else int(lines)
        print(json.dumps(ENGINES[engine](*generated(int(patterns), needed, float(errors)))))
        return

    print(f"{asked.lines:,} lines; CPU time of one core")
    show_reading(asked.lines)
    if asked.reading:
        return
    runs = [("engine", size, USUAL_ERRORS) for size in SIZES]
    runs += [("engine", asked.patterns, share) for share in ERRORS if share != USUAL_ERRORS]
    runs += [("whole way", asked.patterns, share) for share in WHOLE_WAY_ERRORS]
    runs += [(peer, asked.patterns, USUAL_ERRORS) for peer in ENGINES if peer not in OURS]
    speeds: dict[int, float] = {}
    for engine, patterns, errors in runs:
        if figures := in_own_process(engine, patterns, asked.lines, errors):
            show(engine, patterns, errors, figures)
            if engine == "engine" and errors == USUAL_ERRORS:
                speeds[patterns] = figures["lines/s"]
    if len(speeds) == len(SIZES):
        growth = speeds[SIZES[0]] / speeds[SIZES[-1]]
        print(f"time per line from {SIZES[0]:,} to {SIZES[-1]:,} patterns: {growth:.2f} times")


if __name__ == "__main__":
    main()
