"""Hostile pastes: twice the input makes no more than about twice the work, counted in calls of
functions, those of the interpreter's own included. No clock is asked."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from bench.hostile import INPUTS

from errdex.matching.events import EventLimits, find_events, units
from errdex.matching.reading import ReadingLimits, read_paste

pytestmark = pytest.mark.slow

SIZE = 8_000


def _calls(text: str) -> int:
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        paste = read_paste(text)
        units(paste, find_events(paste, limits=EventLimits(events=1_000_000)))
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", INPUTS)
def test_work_grows_with_the_size(name: str) -> None:
    make = INPUTS[name]
    half, whole = _calls(make(SIZE)), _calls(make(2 * SIZE))
    assert whole <= 2.3 * half + 2_000


def test_the_time_is_a_bound() -> None:
    ticks = iter(range(1_000))
    paste = read_paste(
        "a\n" * 100_000, limits=ReadingLimits(seconds=10), clock=lambda: float(next(ticks))
    )
    assert paste.incomplete
    assert 0 < len(paste) < 100_000
    assert paste.locate(len(paste) - 1).number == len(paste)


def test_characters_are_a_bound() -> None:
    paste = read_paste("error: x\n" * 100, limits=ReadingLimits(characters=95))
    assert (paste.incomplete, len(paste), paste.texts[-1]) == (True, 11, "error")


def test_lines_are_a_bound() -> None:
    paste = read_paste("error: x\n" * 100, limits=ReadingLimits(lines=7))
    assert (paste.incomplete, len(paste)) == (True, 7)


def test_events_are_a_bound() -> None:
    paste = read_paste("error: x\n" * 100)
    found = find_events(paste, limits=EventLimits(events=9))
    assert (found.incomplete, len(found.events)) == (True, 9)


def test_no_time_at_all_still_gives_a_paste() -> None:
    paste = read_paste("error: x", limits=ReadingLimits(seconds=0), clock=iter((0.0, 1.0)).__next__)
    assert (paste.incomplete, paste.texts) == (True, [""])


def test_without_time_no_event_is_looked_for_and_that_is_said() -> None:
    paste = read_paste("Error: disk full\n" * 3)
    found = find_events(paste, limits=EventLimits(seconds=0.0))
    assert (found.events, found.incomplete) == ([], True)
