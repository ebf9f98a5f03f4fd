"""Answers logs in a format: one, one that is still written, or several."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from errdex.cli.logs import STANDARD_INPUT, Log, opened_log, read_log
from errdex.cli.matching import LogCounts, Match, Only
from errdex.cli.views.terminal import counted, on_one_line, say, write_raw

if TYPE_CHECKING:
    from types import FrameType

    from errdex.formats.answer import PasteAnswer
    from errdex.formats.ci.junit_report import Report
    from errdex.formats.layout import Row
    from errdex.formats.options import WriteOptions
    from errdex.formats.table import OutputFormat


@dataclass(frozen=True, slots=True)
class Answering:
    """Matches logs, writes the answers and counts what was found."""

    match: Match
    form: OutputFormat
    options: WriteOptions
    tally: LogCounts
    only: Only | None = None
    """Errors that are written; all are counted."""

    def one(self, file: Path) -> None:
        """Answer one log."""
        with opened_log(file) as source:
            paste = read_log(source)
        if not paste.strip() and self.form.rows:
            say("The log is empty: there is nothing to match.")
            return
        answer = self.match(paste)
        self.tally.add(answer)
        name = self.options.log if file == STANDARD_INPUT else str(file)
        self._write(self._chosen(answer), replace(self.options, log=name))

    def follow(self, file: Path) -> None:
        """Answer one log while it is written."""
        from errdex.cli.commands.follow import follow, read_lines

        streamed = replace(self.options, limit=None, streamed=True)
        with opened_log(file) as source:
            for line, answer in follow(read_lines(source), self.match, _stopped_by_user()):
                if answer.events:
                    self.tally.add(answer)
                    part = self._chosen(answer)
                    if part.events:
                        self._write(part, replace(streamed, labels={"fromLine": line}))

    def several(self, logs: Iterable[Log], nothing: str) -> None:
        """Answer several logs: each below its name, or all in one document. `nothing` is said when
        there are none."""
        from errdex.formats.short_texts import LogAnswer

        answers: list[LogAnswer] = []
        for log in logs:
            answer = self._answer(log)
            if self.form.write_all:
                answers.append(LogAnswer(log.name, answer))
            else:
                self._write_labelled(log.name, answer)
        if not self.tally.logs and not self.tally.failed:
            say(nothing)
        if self.form.write_all:
            write_raw([self.form.write_all(answers, self.options)])
        elif self.form.rows is not None and self.tally.logs:
            self._write_total()

    def report(self, report: Report) -> None:
        """Write a test report with what is known about its failing cases."""
        from errdex.formats.ci.junit import known_text
        from errdex.formats.ci.junit_report import add_known

        for case in report.failing_cases():
            answer = self._answer(Log(case.name, case.text.encode(), case.name))
            for index in answer.reading_order:
                if answer.events[index].known:
                    add_known(case, known_text(answer.events[index], self.options))
        write_raw([report.to_xml()])

    def _answer(self, log: Log) -> PasteAnswer:
        answer = self.match(log.data)
        if log.test:
            events = [replace(each, test=each.test or log.test) for each in answer.events]
            answer = replace(answer, events=events)
        self.tally.add(answer)
        return self._chosen(answer)

    def _chosen(self, answer: PasteAnswer) -> PasteAnswer:
        from errdex.formats.selection import keep_only

        return keep_only(answer, self.only.value if self.only else None)

    def _write_labelled(self, name: str, answer: PasteAnswer) -> None:
        from errdex.formats.layout import Row, Tone

        if self.form.rows is None:
            labels = {"file": name.encode("utf-8", "backslashreplace").decode()}
            self._write(answer, replace(self.options, streamed=True, labels=labels, log=name))
        elif answer.events:
            rows = self.form.rows(answer, self.options)
            _print([Row(0, ((on_one_line(name), Tone.HEADING),)), *rows, Row(0, ())])

    def _write_total(self) -> None:
        from errdex.formats.layout import Row, Tone

        errors, logs = counted(self.tally.errors, "error"), counted(self.tally.logs, "log")
        total = f"{errors} found in {logs}, {self.tally.known:,} known."
        _print([Row(0, ((total, Tone.HEADING),))])

    def _write(self, answer: PasteAnswer, options: WriteOptions) -> None:
        if self.form.rows is None:
            write_raw([self.form.write(answer, options)])
        else:
            _print(self.form.rows(answer, options))


def _print(rows: Iterable[Row]) -> None:
    from errdex.cli.views.rows import print_rows

    print_rows(rows)


def _stopped_by_user() -> Event:
    """Set when the user ends a command that follows: what came in is still answered. The
    second time it is ended at once."""
    stop = Event()

    def ask_to_stop(_: int, __: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, ask_to_stop)
    return stop
