"""The pytest plugin: below each failing test, what is known about its error.

It does nothing, and imports nothing of Errdex, unless `--errdex` is given or `errdex = true` is in
pytest's configuration. Failures are looked up when all tests have run, so that nothing a test
patches is in the way, and by the controller alone where pytest-xdist runs tests in workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import errdex

Report = pytest.TestReport | pytest.CollectReport
TITLE = "errdex"
_CAPTURED = 100_000
"""Characters at the end of a test's output that are looked at."""
_HIDDEN = ("line", "no")
"""Styles of --tb with which pytest shows no failure, so that what is known is listed instead."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--errdex`, and `errdex` in the configuration."""
    about = "show what Errdex knows about the errors of failing tests"
    group = parser.getgroup("errdex")
    group.addoption("--errdex", action="store_true", default=False, help=about)
    parser.addini("errdex", about, type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Look failures up if that is wanted."""
    wanted = config.getoption("errdex") or config.getini("errdex")
    if wanted and not hasattr(config, "workerinput"):
        config.pluginmanager.register(KnownErrors(config), "errdex-known-errors")


class KnownErrors:
    """Collects the reports of what failed, and adds what is known at the end of the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._hidden = config.getoption("tbstyle", "auto") in _HIDDEN
        self._failed: list[Report] = []
        self._listed: list[tuple[str, Sequence[str]]] = []
        self._problem = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failing test."""
        if report.failed:
            self._failed.append(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that cannot be collected."""
        if report.failed:
            self._failed.append(report)

    def pytest_sessionfinish(self) -> None:
        """Look up what failed, before pytest shows it."""
        if not self._failed:
            return
        try:
            self._look_up()
        except Exception as error:  # noqa: BLE001 (tests are reported whatever happens here)
            said = str(error) if _is_trouble(error) else type(error).__name__
            self._problem = f"Nothing could be looked up: {said}"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List what no failure is shown above."""
        if self._problem:
            terminalreporter.write_line(f"errdex: {self._problem}")
        if self._listed:
            terminalreporter.write_sep("=", "known errors")
        for name, lines in self._listed:
            terminalreporter.write_line(name)
            for line in lines:
                terminalreporter.write_line(f"  {line}")

    def _look_up(self) -> None:
        import warnings

        import errdex
        from errdex.formats.card import card_lines, find_known

        # Tests may turn warnings into errors, which ours are not to be.
        with warnings.catch_warnings(), errdex.open() as knowledge:
            warnings.simplefilter("ignore")
            for report in self._failed:
                event = next(filter(None, map(find_known, _answers(report, knowledge))), None)
                if event is not None:
                    self._add(report, card_lines(event))

    def _add(self, report: Report, lines: Sequence[str]) -> None:
        text = "\n".join(lines)
        if self._hidden:
            self._listed.append((report.nodeid, lines))
        elif (add_section := getattr(report.longrepr, "addsection", None)) is not None:
            add_section(TITLE, text)
        else:
            report.sections.append((TITLE, text))


def _answers(report: Report, knowledge: errdex.Knowledge) -> Iterator[errdex.Answer]:
    """Answers to the failure, then to what the test wrote, which may say more of a program that
    it ran."""
    name = report.nodeid.rpartition("::")[2]
    # As on a terminal, by which a failure of pytest is known.
    yield knowledge.match(f"= FAILURES =\n____ {name} ____\n{report.longreprtext}\n")
    for captured in (report.capstderr, report.capstdout):
        if captured.strip():
            yield knowledge.match(captured[-_CAPTURED:])


def _is_trouble(error: Exception) -> bool:
    """Whether the error says in a sentence what to do."""
    import errdex

    return isinstance(error, errdex.Trouble)
