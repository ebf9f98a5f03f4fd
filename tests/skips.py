"""Skipped tests are counted. In CI, a run fails that skips more than `expected_skips.txt` lists.

A line of the file has the most tests that may be skipped for a reason, and the reason as pytest
shows it, in which `*` stands for any characters. How many are skipped depends on what is
installed, so the number is that of the tests that need the thing. A reason that says that a
program is missing counts only where it is not on the PATH.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

EXPECTED = Path(__file__).with_name("expected_skips.txt")
_MISSING = re.compile(r"missing here: the command (?P<one>\S+)|(?P<other>\S+) is not installed")


def read_expected(file: Path = EXPECTED) -> dict[str, int]:
    """The most tests that may be skipped for each reason."""
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    pairs = (line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    return {reason: int(most) for most, reason in pairs}


def find_unexpected(skipped: Counter[str], expected: Mapping[str, int]) -> Iterator[str]:
    """A sentence for each reason for which too many tests were skipped."""
    for reason, count in sorted(skipped.items()):
        most = max((n for known, n in expected.items() if fnmatchcase(reason, known)), default=0)
        missing = _MISSING.fullmatch(reason)
        program = missing and (missing["one"] or missing["other"])
        if program and shutil.which(program):
            yield f"{count} skipped, although {program} is on the PATH: {reason}"
        elif count > most:
            yield f"{count} skipped, expected at most {most}: {reason}"


def tools_of(item: pytest.Item) -> set[str]:
    """The programs without which a test is skipped."""
    return {name for mark in item.iter_markers("tools") for name in mark.args}


class SkipCount:
    """Counts the skipped tests of a run, those of xdist's workers included."""

    def __init__(self, expected: Path = EXPECTED) -> None:
        self.expected = expected
        self.skipped: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped[str(report.longrepr[2]).removeprefix("Skipped: ")] += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not os.environ.get("CI") or hasattr(session.config, "workerinput"):
            return
        unexpected = list(find_unexpected(self.skipped, read_expected(self.expected)))
        terminal = session.config.pluginmanager.getplugin("terminalreporter")
        if unexpected and terminal is not None:
            said = "\n".join(unexpected)
            terminal.stats.setdefault("error", []).append(
                pytest.CollectReport(
                    nodeid=self.expected.name,
                    outcome="failed",
                    longrepr=f"More tests are skipped than {self.expected.name} lists:\n{said}",
                    result=None,
                )
            )
        if unexpected:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
