"""A log that is answered while it is being written: what is whole is answered once."""

from __future__ import annotations

import io
import queue
from collections.abc import Callable
from dataclasses import replace
from threading import Event
from time import sleep
from typing import BinaryIO, cast

import pytest

from errdex.cli.commands import follow as follow_module
from errdex.cli.commands.follow import MOST_BYTES, MOST_WAITING, follow, read_lines
from errdex.cli.record_pipe import read_pieces
from errdex.formats.answer import (
    ErrorEvent,
    MatchedRecord,
    NamedRecord,
    PasteAnswer,
    PasteRange,
    StackFrame,
)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_module, "QUIET_SECONDS", 0.05)


def event(first: int, last: int, cause: int | None = None) -> ErrorEvent:
    place = PasteRange(last, 0, last, 1)
    return ErrorEvent(
        outcome="known",
        fingerprint="v1:0",
        language=None,
        error_class=None,
        error_code=None,
        message="E",
        message_length=1,
        severity="error",
        role="alone",
        cause=cause,
        handled=False,
        writer=None,
        test=None,
        first_line=first,
        last_line=last,
        message_line=last,
        message_offset=0,
        frames=[StackFrame(None, 7, None, None)],
        frames_left_out=0,
        notes=[],
        repeats=1,
        repeat_lines=[last],
        matches=[MatchedRecord(NamedRecord("0" * 16), 1.0, 1, [], [], place)],
        matches_left_out=0,
        near_misses=[],
    )


def answer_with(*events: ErrorEvent) -> PasteAnswer:
    order = list(range(len(events)))
    return PasteAnswer("", True, True, [], 0, 0, 0, order, events)


class Matcher:
    """Finds an error in each run of lines that begin with "E", and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []

    def __call__(self, paste: bytes) -> PasteAnswer:
        self.asked.append(paste)
        events, begun = [], None
        for number, line in enumerate([*paste.splitlines(), b""], 1):
            if line.startswith(b"E"):
                begun = begun or number
            elif begun:
                events.append(event(begun, number - 1))
                begun = None
        return answer_with(*events)


def lines_of(*lines: bytes | None) -> queue.Queue[bytes | None]:
    made: queue.Queue[bytes | None] = queue.Queue()
    for line in lines:
        made.put(line)
    return made


def places(answer: tuple[int, PasteAnswer]) -> list[tuple[int, int]]:
    return [(each.first_line, each.last_line) for each in answer[1].events]


def test_what_came_before_the_end_is_answered_once() -> None:
    matcher = Matcher()
    answers = list(follow(lines_of(b"a\n", b"E1\n", b"E2\n", b"b\n", None), matcher))
    assert matcher.asked == [b"a\nE1\nE2\nb\n"]
    assert [places(each) for each in answers] == [[(2, 3)]]


def test_nothing_at_all_is_not_asked() -> None:
    matcher = Matcher()
    assert list(follow(lines_of(None), matcher)) == []
    assert matcher.asked == []


def test_a_log_that_is_stopped_is_answered_as_far_as_it_came() -> None:
    stop, matcher = Event(), Matcher()
    lines = lines_of(b"E1\n")
    answers = follow(lines, matcher, stop)
    assert places(next(answers)) == [(1, 1)]
    stop.set()
    lines.put(b"E2\n")
    # Nobody waits for the end of the log.
    assert [places(each) for each in answers] == [[(2, 2)]]


def test_a_pause_makes_what_came_whole() -> None:
    lines, matcher = lines_of(b"E1\n", b"E2\n"), Matcher()
    answers = follow(lines, matcher)
    assert places(next(answers)) == [(1, 2)]
    lines.put(b"E3\n")
    lines.put(None)
    first_line, second = next(answers)
    assert places((first_line, second)) == [(3, 3)]
    assert (first_line, second.events[0].repeat_lines) == (3, [3])
    assert second.events[0].matches[0].place == PasteRange(3, 0, 3, 1)
    assert second.events[0].frames == [StackFrame(None, 7, None, None)]
    assert list(answers) == []


def test_an_error_at_the_end_of_a_log_without_pauses_is_waited_for(monkeypatch) -> None:
    monkeypatch.setattr(follow_module, "MOST_LINES", 4)
    matcher = Matcher()
    lines = lines_of(b"E1\n", b"a\n", b"b\n", b"E2\n", b"E3\n", b"c\n", b"d\n", b"e\n", None)
    answers = list(follow(lines, matcher))
    assert [places(each) for each in answers] == [[(1, 1)], [(4, 5)], []]
    assert matcher.asked[1].startswith(b"E2\nE3\n")


def test_a_chain_is_waited_for_as_a_whole(monkeypatch) -> None:
    monkeypatch.setattr(follow_module, "MOST_LINES", 4)
    seen: list[bytes] = []

    def matched(paste: bytes) -> PasteAnswer:
        seen.append(paste)
        if len(seen) == 1:  # the last error came of the first; the one between did not
            return answer_with(event(1, 1), event(2, 2), event(3, 4, cause=0))
        return answer_with()

    answers = list(follow(lines_of(b"1\n", b"2\n", b"3\n", b"4\n", None), matched))
    assert [places(each) for each in answers] == [[], []]
    assert seen == [b"1\n2\n3\n4\n"] * 2


def test_indexes_are_those_of_the_events_that_are_given(monkeypatch) -> None:
    monkeypatch.setattr(follow_module, "MOST_LINES", 6)

    def matched(paste: bytes) -> PasteAnswer:
        whole = answer_with(event(1, 1), event(2, 2, cause=0), event(5, 6))
        return replace(whole, root_cause=2, reading_order=[2, 1, 0])

    lines = lines_of(*[b"x\n"] * 6, None)
    _, first = next(follow(lines, matched))
    assert (first.root_cause, first.reading_order) == (None, [1, 0])
    assert [each.cause for each in first.events] == [None, 0]
    assert first.found


def test_an_error_that_does_not_end_is_not_held_for_ever(monkeypatch) -> None:
    monkeypatch.setattr(follow_module, "MOST_LINES", 8)
    monkeypatch.setattr(follow_module, "MOST_HELD", 5)
    matcher = Matcher()
    list(follow(lines_of(*[b"E\n"] * 80, None), matcher))
    assert max(paste.count(b"\n") for paste in matcher.asked) <= 8


def test_lines_are_read_as_they_are() -> None:
    long = b"x" * (MOST_BYTES * 3 + 5)
    lines = read_lines(io.BytesIO(b"a\r\n" + long + b"\n\n\xff\x00\nlast"))
    got = list(iter(lines.get, None))
    assert got == [b"a\r\n", b"x" * MOST_BYTES + b"\n", b"\n", b"\xff\x00\n", b"last\n"]


def test_a_source_that_breaks_off_has_ended() -> None:
    class Broken(io.BytesIO):
        def readline(self, _: int | None = -1) -> bytes:
            raise OSError("gone")

    assert read_lines(Broken()).get() is None


@pytest.mark.parametrize("letter", [b"a", b"E"])
def test_long_lines_are_answered_before_many_are_held(letter: bytes) -> None:
    """Whether or not they are all of one error."""
    line = letter + b"x" * (MOST_BYTES - 2) + b"\n"
    count = 3 * MOST_WAITING // MOST_BYTES
    matcher = Matcher()
    list(follow(lines_of(*[line] * count, None), matcher))
    assert max(map(len, matcher.asked)) <= MOST_WAITING + MOST_BYTES
    assert sum(map(len, matcher.asked)) >= count * len(line)


class Endless(io.RawIOBase):
    """A source that never ends, and says how much of it was taken."""

    taken = 0

    def readline(self, size: int | None = -1) -> bytes:
        self.taken += size or 0
        return b"x" * ((size or 0) - 1) + b"\n"


@pytest.mark.parametrize("read", [read_lines, read_pieces])
def test_bytes_that_are_read_ahead_are_bounded(read: Callable[[BinaryIO], object]) -> None:
    source = Endless()
    lines = read(cast("BinaryIO", source))
    while not lines.full():  # type: ignore[attr-defined]
        sleep(0.01)
    sleep(0.2)
    assert MOST_WAITING <= source.taken <= MOST_WAITING + 2_000_000
