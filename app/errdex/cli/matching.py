"""Matches the logs that a command is given, and counts what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from errdex.cli.logs import read_logs
from errdex.cli.views.terminal import (
    ERRORS_FOUND,
    FAILED,
    FOUND,
    NOTHING,
    USAGE,
    counted,
    err,
    fail,
    on_one_line,
)
from errdex.cli.wiring import opened_knowledge, opened_server, plain_errors, read_settings

if TYPE_CHECKING:
    from errdex.formats.answer import PasteAnswer

Match = Callable[[bytes], "PasteAnswer"]


@contextmanager
def matcher(server: str | None, database: str | None, pack: Path | None = None) -> Iterator[Match]:
    """Matches a log with a server, a pack or a database."""
    if pack is not None:
        if server is not None or database is not None:
            fail("--pack stands alone: leave out --server and --database.", USAGE)
        yield _pack_matcher(pack)
        return
    if server is not None:
        with opened_server(server) as opened:
            yield opened.match
        return
    from errdex.config import match_limits
    from errdex.formats.build import build_answer

    limits = match_limits(read_settings(database))
    with opened_knowledge(database) as knowledge:
        yield lambda paste: build_answer(knowledge.match(paste, limits))


def _pack_matcher(pack: Path) -> Match:
    from errdex.config import match_limits
    from errdex.formats.build import build_answer
    from errdex.knowledge.packed import PackedKnowledge

    limits = match_limits(read_settings("sqlite:///:memory:"))  # no database is opened
    with plain_errors():
        knowledge = PackedKnowledge(pack)

    def match(paste: bytes) -> PasteAnswer:
        with plain_errors():
            return build_answer(knowledge.match(paste, limits))

    return match


class FailOn(StrEnum):
    """The errors that make a command fail."""

    KNOWN = "known"
    UNKNOWN = "unknown"
    ANY = "any"


class Only(StrEnum):
    """The errors that are written."""

    KNOWN = "known"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class LogCounts:
    """What was found in all logs of a command."""

    logs: int = 0
    errors: int = 0
    known: int = 0
    symptoms: int = 0
    """Errors without a record that only report that something failed."""
    failed: list[Path] = field(default_factory=list)
    """Logs that could not be read."""

    def add(self, answer: PasteAnswer) -> None:
        """Count the errors of a log."""
        self.logs += 1
        self.errors += len(answer.events)
        self.known += sum(event.known for event in answer.events)
        self.symptoms += sum(event.role == "symptom" and not event.known for event in answer.events)

    def exit_code(self, fail_on: FailOn | None) -> int:
        """Whether a record matches; with `fail_on`, whether there are such errors."""
        if self.failed:
            return FAILED
        if fail_on is None:
            return FOUND if self.known else NOTHING
        bad = {
            FailOn.KNOWN: self.known,
            FailOn.UNKNOWN: self.errors - self.known - self.symptoms,
            FailOn.ANY: self.errors,
        }[fail_on]
        return ERRORS_FOUND if bad else FOUND


class Baseline:
    """Leaves out of answers the errors that an earlier log had too."""

    def __init__(self, path: Path, match: Match) -> None:
        failed: list[Path] = []
        self._path = path
        self._match = match
        self._known = frozenset(
            event.fingerprint
            for log in read_logs([path], failed)
            for event in match(log.data).events
        )
        self._left_out = 0
        if failed:  # which is reported already
            raise typer.Exit(FAILED)

    def __call__(self, paste: bytes) -> PasteAnswer:
        """The answer to a log, without the errors of the baseline."""
        from errdex.formats.selection import leave_out

        whole = self._match(paste)
        answer = leave_out(whole, self._known)
        self._left_out += len(whole.events) - len(answer.events)
        return answer

    def say_left_out(self) -> None:
        """Report on standard error how many errors were left out."""
        if self._left_out:
            errors = counted(self._left_out, "error")
            err().print(on_one_line(f"{errors} left out: {self._path} has the same."))
