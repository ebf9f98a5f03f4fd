"""The test that an error belongs to, in the output of test runners.

A runner writes a test's name above what failed in it, and a line of another form below the last
one. So an error's test is the nearest name above it, with no such end between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from errdex import lazy_re as re
from errdex.matching.model import Event, Role
from errdex.matching.reading import Paste

_HINTS = ("test", "Test", "TEST", "spec", "● ", "not ok ", "failing", "ailures:")
"""One of these is in the output of every runner."""
_LOOK_BACK = 400
_LINE = 300
_NAME = re.compile(
    r"_{3,} (?P<pytest>\S.*?) _{3,}$"
    r"|\s*--- FAIL: (?P<go>\S+) \("
    r"|=== RUN +(?P<go_run>\S+)$"
    r"|---- (?P<rust>\S+) stdout ----$"
    r"|\s*● (?P<jest>\S.*)$"
    r"|(?:FAIL|ERROR): (?P<unittest>test\w* \(\S+\))"
    r"|\s*not ok \d+(?: -)? (?P<tap>[^#\n]*\w)"
    r"|\[ RUN +\] (?P<gtest>\S+)"
    r"|(?:\[ERROR\] +)?(?P<junit>[\w.$()\[\]{}, -]{3,200}?)(?: -- |  )Time elapsed: .*"
    r"<<< (?:FAIL|ERR)"
    r"|(?P<gradle>\S+ > \S.*) FAILED$"
    r"|\s{2,}Failed (?P<dotnet>[\w.]+(?:\(.*\))?) \[[^\]]*\]$"
    r"|\s*(?P<number>\d{1,4})\) (?P<numbered>\S.*)$"
    r"|(?:FAILED|ERROR) (?P<summary>\S+::\S.*?|\S+\.py)(?: - |$)"
    r"|\s*FAIL +(?P<vitest>\S.* > \S.*)$"
)
_SUMMARY = re.compile(r"^(?:FAILED|ERROR) (\S{1,300}\.py::\S{1,300})", re.MULTILINE)
"""pytest's whole names, of which its headings have the last part."""
_END = re.compile(
    r"={5,}(?: |$)|(?:FAIL|ok|PASS)(?:\s|$)|failures:$|(?:Test Suites|Tests|Test Files): +\d"
    r"|Ran \d+ test|test result: |Finished (?:in|at)|Tests run: |BUILD FAILED|FAILURES!|FAILED \("
    r"|\[  PASSED  \]|1\.\.\d+$"
    r"|error: test failed|# (?:tests|pass|fail) \d"
)
_NUMBERED_HINTS = ("ailures:", " failing\n", " failure", "rrors:\n")
"""What is above runners' numbered names: other programs number lines as well."""


def with_tests(paste: Paste, events: Sequence[Event]) -> list[Event]:
    """The events with the names of their tests."""
    if not any(hint in paste.clean for hint in _HINTS):
        return list(events)
    numbered = any(hint in paste.clean for hint in _NUMBERED_HINTS)
    names: dict[int, str] = {}
    whole = {each.rpartition(".py::")[2]: each for each in _SUMMARY.findall(paste.clean)}
    found = (_test_of(paste, event, names, numbered) for event in events)
    return [
        replace(event, test=whole.get(name.replace(".", "::"), name)) if name else event
        for event, name in zip(events, found, strict=True)
    ]


def _test_of(paste: Paste, event: Event, names: dict[int, str], numbered: bool) -> str:
    """`names` remembers, of each line that was looked at, the name in force behind it."""
    if not event.pieces or event.role is Role.SYMPTOM:
        return ""
    start = event.pieces[0].line
    name, line = "", start
    for line in range(start, max(-1, start - _LOOK_BACK), -1):
        if line in names:
            name = names[line]
            break
        text = paste.texts[line][:_LINE]
        found = _NAME.match(text)
        if found and (numbered or not found["numbered"]):
            name = _shown(found)
            break
        if line != start and _END.match(text):
            break
    names.update(dict.fromkeys(range(line, start + 1), name))
    return name


def _shown(found: re.Match[str]) -> str:
    groups = found.groupdict()
    groups.pop("number")
    return next(value.strip() for value in groups.values() if value)
