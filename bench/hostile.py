"""Seconds that hostile pastes and patterns take, in CPU time: `python -m bench.hostile`.

Each paste is read, and its events found, at a size and at half of it: work that is linear takes
twice as long, and far more than that is a defect. Patterns meant to explode are searched for in
texts of 10,000 characters, and half of these. What is beside each figure is its bound.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from bench.figures import Figure, Result

from errdex.matching.events import EventLimits, find_events, units
from errdex.matching.patterns.pattern import compile_pattern
from errdex.matching.ranking import MatchLimits
from errdex.matching.reading import read_paste

CHARACTERS = 4_000_000
SUSPICIOUS = 3.0
LEAST = 0.05
PASTE_SECONDS = MatchLimits().seconds
PATTERN_CHARACTERS, PATTERN_SECONDS = 10_000, 2.0
"""/errors/{id}/pattern tries so many characters."""


def repeated(piece: str) -> Callable[[int], str]:
    return lambda size: piece * (size // len(piece))


def nested_json(size: int) -> str:
    depth = size // 14
    return '{"msg":"x","a":' * depth + "1" + "}" * depth


def nested_strings(size: int) -> str:
    line = following = '{"msg":"boom"}'
    while len(following) < 1_000:
        line = following
        following = '{"log":"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"}'
    return f"{line}\n" * (size // len(line))


def listed_errors(size: int) -> str:
    return json.dumps({"errors": [f"\tcannot open {number}" for number in range(size // 24)]})


def held_list_of_errors(size: int) -> str:
    return json.dumps({"log": listed_errors(size)})


def planes(size: int) -> str:
    return "".join(chr(0x10000 * plane + 0x41) * (size // 17) for plane in range(17))


INPUTS: dict[str, Callable[[int], str]] = {
    "one line of brackets": repeated("("),
    "one line of mixed brackets": repeated("[{("),
    "one line of spaces": repeated(" "),
    "one line of tabs": repeated("\t"),
    "one line of double quotes": repeated('"'),
    "one line of single quotes": repeated("'"),
    "one line of backslashes": repeated("\\"),
    "one line of \\n": repeated("\\n"),
    "one line of letters": repeated("a"),
    "one line of digits": repeated("1"),
    "one line of dots": repeated("a."),
    "one line of colons": repeated("a: "),
    "one line of 'Error: '": repeated("Error: "),
    "one line of 'Traceback'": repeated("Traceback (most recent call last):"),
    "one line of escaped tracebacks": repeated(
        'Traceback (most recent call last):\\n  File "a.py", line 1, in f\\nKeyError: 1\\n'
    ),
    "one line of File": repeated('File "'),
    "one line of JSON keys": repeated('{"msg":'),
    "one line of key=": repeated("a= "),
    "one line of msg=": repeated('msg="'),
    "one line of entities": repeated("&lt;"),
    "one line of escape codes": repeated("\x1b[31m"),
    "one line of bare codes": repeated("[0m"),
    "one line of open titles": repeated("\x1b]"),
    "one line of backspaces": repeated("a\b"),
    "one line of carriage returns": repeated("a\r"),
    "NUL bytes": repeated("\0"),
    "every plane": planes,
    "nested JSON": nested_json,
    "JSON in JSON strings": nested_strings,
    "one line with a list of errors": listed_errors,
    "one line with a list of errors in a string": held_list_of_errors,
    "JSON lines": repeated('{"level":"error","msg":"a","stack":"E: x\\n    at f (a.js:1:1)"}\n'),
    "empty lines": repeated("\n"),
    "open brackets over lines": repeated("ValueError: (\n"),
    "Traceback headers": repeated("Traceback (most recent call last):\n"),
    "frames without an end": repeated('  File "a.py", line 1, in f\n    x\n'),
    "chained tracebacks": repeated(
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
    ),
    "exception groups": repeated("  + Exception Group Traceback (most recent call last):\n"),
    "deepening groups": repeated("  +-+---------------- 1 ----------------\n    | ValueError: a\n"),
    "Caused by": repeated("Caused by: a.B: c\n"),
    "Suppressed": repeated("\tSuppressed: a.B: c\n"),
    "Java frames": repeated("\tat a.B.c(B.java:1)\n"),
    "goroutine headers": repeated("goroutine 1 [running]:\n"),
    "goroutines": repeated("goroutine 1 [running]:\nmain.f(0x1)\n\t/a.go:1 +0x1\n\n"),
    "panics": repeated("panic: x\n"),
    "sanitizer headers": repeated("==1==ERROR: AddressSanitizer: heap\n"),
    "sanitizer frames": repeated("    #0 0x1 in f /a.c:1:1\n"),
    "Maven": repeated("[ERROR] Failed to execute goal a:b:1:c on project d: e -> [Help 1]\n"),
    "Gradle": repeated("* What went wrong:\nExecution failed for task ':a'.\n"),
    ".NET": repeated(" ---> System.Exception: a\n"),
    ".NET frames": repeated("   at A.B() in /a.cs:line 1\n"),
    "Elixir": repeated("** (RuntimeError) a\n    (a 1.0) a.ex:1: A.b/1\n"),
    "Node": repeated("Error: a\n    at f (/a.js:1:1)\n"),
    "Node causes": repeated("  [cause]: Error: a {\n"),
    "Ruby": repeated("a.rb:1:in `f': a (RuntimeError)\n\tfrom a.rb:2:in `g'\n"),
    "PHP": repeated("PHP Fatal error:  Uncaught E: a in /a.php:1\nStack trace:\n#0 {main}\n"),
    "Rust": repeated("thread 'main' panicked at a.rs:1:1:\n"),
    "rustc": repeated("error[E0382]: a\n --> a.rs:1:1\n"),
    "gcc": repeated("a.c:1:1: error: b\n    1 | c\n      | ^\n"),
    "CMake": repeated("CMake Error at a:1 (b):\n  c\n\n"),
    "Terraform boxes": repeated("╷\n│ Error: a\n│ \n"),
    "pytest": repeated("E       assert 1\n"),
    "pytest summaries": repeated("FAILED a.py::b - KeyError: c\n"),
    "pytest chains": repeated("E   A: b\nThe above exception was the direct cause\n"),
    "rich boxes": repeated("╭───── Traceback (most recent call last) ─────╮\n│ /a.py:1 in f │\n"),
    "IPython": repeated("KeyError     Traceback (most recent call last)\nCell In[1], line 1\n"),
    "npm": repeated("npm error code ELIFECYCLE\n"),
    "symptoms": repeated("exit status 1\n"),
    "logged errors": repeated("2026-11-29 08:00:01,120 ERROR errdex.web: a, retrying\n"),
    "quoted lines": repeated("> a\n"),
    "composed lines": repeated("web-1  | a\n"),
    "writers without end": lambda size: "".join(
        f"[rank{n}]: Error: x\n" for n in range(size // 20)
    ),
    "prefixes of prefixes": repeated("[rank0]: "),
    "lines ending in $": repeated("a" * 79 + "$\n"),
    "broken frames": repeated('  File "' + "a" * 72 + '\nb.py", line 1, in f\n'),
}


def seconds(text: str) -> tuple[float, int]:
    data = text.encode()
    start = time.process_time()
    paste = read_paste(data)
    found = find_events(paste, limits=EventLimits(seconds=None))
    units(paste, found)
    return time.process_time() - start, len(found.events)


EXPLODING = (
    "(a+)+$",
    "(a|a)*b",
    "(a|aa)+$",
    "(.*a){25}x",
    "(.*)(.*)(.*)(.*)(.*)(.*)x",
    "[ab]*a[ab]{900}c",
    "(a?){900}a{900}b",
    "((a?){30}){30}c",
    "(.{0,500}a.{0,400}b)+x",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"(\w+\s?)*:$",
    "(?:" + "|".join("a" * n + "[ab]*x" for n in range(1, 100)) + ")",
)
"""What keeps an engine that goes back busy for ever, and RE2 as long as it can be kept."""
SUBJECTS = ("a", "ab", "word ")


class Measured(NamedTuple):
    """Of one input: how long the whole of it takes, and how many times as long as half of it."""

    name: str
    seconds: float
    growth: float
    events: int = 0


def measure_pastes(characters: int, only: list[str]) -> list[Measured]:
    found = []
    for name, make in INPUTS.items():
        if only and not any(part in name for part in only):
            continue
        measured = measure_paste(name, make, characters)
        if measured.growth > SUSPICIOUS:  # another process may have been in the way
            measured = min(measured, measure_paste(name, make, characters), key=growth_of)
        found.append(measured)
        tell(measured)
    return found


def measure_paste(name: str, make: Callable[[int], str], characters: int) -> Measured:
    half, _ = seconds(make(characters // 2))
    whole, events = seconds(make(characters))
    return Measured(name, whole, whole / max(half, 1e-9), events)


def growth_of(measured: Measured) -> float:
    return measured.growth


def measure_patterns(only: list[str]) -> list[Measured]:
    found = []
    for source in EXPLODING:
        if only and not any(part in source for part in only):
            continue
        pattern = compile_pattern(source)
        times = []
        for size in (PATTERN_CHARACTERS // 2, PATTERN_CHARACTERS):
            start = time.process_time()
            for piece in SUBJECTS:
                pattern.search(repeated(piece)(size))
            times.append(time.process_time() - start)
        found.append(Measured(source[:30], times[1], times[1] / max(times[0], 1e-9)))
        tell(found[-1])
    return found


def tell(each: Measured) -> None:
    wrong = "  NOT LINEAR" if each.growth > SUSPICIOUS and each.seconds > LEAST else ""
    print(
        f"{each.name:32} {each.seconds:8.3f} s  {each.growth:5.1f} times half  "
        f"{each.events:>7,} events{wrong}",
        flush=True,
    )


def figures(what: str, measured: list[Measured], bound: float) -> list[Figure]:
    """The slowest, and the one that grows most of those that take any time, beside the bounds."""
    slowest = max(measured, key=lambda each: each.seconds)
    growing = max(
        (each for each in measured if each.seconds > LEAST),
        key=growth_of,
        default=slowest,
    )
    return [
        Figure(f"{what}, the slowest", "s", slowest.seconds, "bound", bound, False, slowest.name),
        Figure(
            f"{what}, growth with twice the size", "times",
            growing.growth, "bound", SUSPICIOUS, False, growing.name,
        ),
    ]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=CHARACTERS)
    parser.add_argument("--save", action="store_true", help="for BENCHMARKS.md")
    parser.add_argument("only", nargs="*", help="parts of names of inputs")
    asked = parser.parse_args()
    pastes = measure_pastes(asked.characters, asked.only)
    patterns = measure_patterns(asked.only)
    found = []
    if pastes:
        found += figures("pastes read", pastes, PASTE_SECONDS)
    if patterns:
        found += figures("patterns searched for", patterns, PATTERN_SECONDS)
    if asked.save:
        told = (
            f"{len(pastes)} pastes of {asked.characters:,} characters, beside the time that one "
            f"may take; {len(patterns)} patterns in texts of {PATTERN_CHARACTERS:,}; CPU time of "
            "one core"
        )
        Result("hostile", "Hostile pastes and patterns", told, found).save()
    over = [each for each in found if each.ratio > 1]
    for each in over:
        print(f"OVER ITS BOUND: {each.what}: {each.ours:.2f} {each.unit} ({each.note})")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
