"""Each parser's cases, as they are and with noise around them: the same events must be found."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.loops import check_each, for_each

from errdex.matching.events import Found, find_events, units
from errdex.matching.model import Event
from errdex.matching.reading import Paste, read_paste

FOLDER = Path(__file__).parent.parent / "cases" / "events"
BEFORE = [
    "2026-11-29 08:00:01,120 INFO app.server: listening on 0.0.0.0:8080",
    "2026-11-29 08:00:02,007 INFO app.jobs: 14 jobs loaded, 0 errors",
    "",
]
AFTER = [
    "",
    "2026-11-29 08:05:00,500 INFO app.server: shutting down",
    "2026-11-29 08:05:01,001 INFO app.server: bye",
]


@functools.cache
def cases() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{file.stem}: {case['name']}", case)
        for file in sorted(FOLDER.glob("*.yaml"))
        for case in yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    ]


def _plain(lines: list[str]) -> tuple[list[str], int]:
    return lines, 0


def _surrounded(lines: list[str]) -> tuple[list[str], int]:
    return [*BEFORE, *lines, *AFTER], len(BEFORE)


def _ranked(lines: list[str]) -> tuple[list[str], int]:
    return [f"[rank0]: {line}" for line in lines], 0


def _composed(lines: list[str]) -> tuple[list[str], int]:
    return [*BEFORE, *(f"web-1  | {line}" for line in lines), *AFTER], len(BEFORE)


def _stamped(lines: list[str]) -> tuple[list[str], int]:
    return [f"2026-11-29T08:03:00.1234567Z {line}" for line in lines], 0


def _coloured(lines: list[str]) -> tuple[list[str], int]:
    return [f"\x1b[1;31m{line}\x1b[0m" for line in lines], 0


def _crlf(lines: list[str]) -> tuple[list[str], int]:
    return [f"{line}\r" for line in lines], 0


VARIANTS = [_plain, _surrounded, _ranked, _composed, _stamped, _coloured, _crlf]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.__name__.strip("_"))
def test_the_events_of_each_case(variant: Callable[[list[str]], tuple[list[str], int]]) -> None:
    noise = variant.__name__.strip("_")
    # Elsewhere the noise changes what the text means.
    fitting = [(name, case) for name, case in cases() if noise not in case.get("not_with", ())]
    check_each(fitting, functools.partial(_check_events, variant=variant))


def _check_events(case: dict[str, Any], variant: Any) -> None:
    lines, shift = variant(case["text"].rstrip("\n").split("\n"))
    paste = read_paste("\n".join(lines))
    found = find_events(paste)
    assert [
        _seen(event, want) for event, want in zip(found.events, case["events"], strict=False)
    ] == [_wanted(want, shift) for want in case["events"]]
    extra = found.events[len(case["events"]) :]
    assert [(event.error_class, event.message) for event in extra] == []
    for event in found.events if not case.get("escaped") else ():
        start = event.message.split("\n", 1)[0][:5]
        assert paste.text[event.message_offset :].startswith(start)


def cases_with_quoted_source() -> Iterator[tuple[str, dict[str, Any]]]:
    return ((name, case) for name, case in cases() if case.get("quoted"))


@for_each(cases_with_quoted_source)
def test_source_that_a_frame_quotes_is_no_text_to_match(case: dict[str, Any]) -> None:
    paste = read_paste(case["text"])
    made = units(paste, find_events(paste))
    for quoted in case["quoted"]:
        assert quoted in paste.text
        assert not [text for text in made.texts if quoted in text]


def messages_of_several_lines() -> Iterator[tuple[str, tuple[Paste, Found, int]]]:
    """Each event whose message has several lines: its paste, all events there, its index."""
    for name, case in cases():
        paste = read_paste(case["text"])
        found = find_events(paste)
        for index, event in enumerate(found.events):
            if len(event.pieces) > 1:
                yield name, (paste, found, index)


@for_each(messages_of_several_lines)
def test_each_message_is_a_unit_that_knows_its_place(at: tuple[Paste, Found, int]) -> None:
    paste, found, index = at
    event = found.events[index]
    made = units(paste, found)
    unit = next(u for u in range(len(made)) if made.event_of(u) == index and u >= made.lines)
    assert made.texts[unit] == event.message
    assert made.locate(unit, 0) == (event.message_line, event.message_offset)


def _seen(event: Event, want: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {
        "class": event.error_class,
        "message": event.message,
        "language": event.language,
        "line": event.message_line,
        "first": event.first_line,
        "last": event.last_line,
        "role": event.role.value,
        "cause": event.cause,
        "code": event.code,
        "severity": event.severity,
        "handled": event.handled,
        "notes": list(event.notes),
        "frames": [_frame(frame) for frame in event.frames],
        "packages": [frame.package for frame in event.frames],
        "starts": event.message.startswith(want.get("starts", "\0")) and want.get("starts"),
        "depth": len(event.frames),
        "raised_in": _frame(event.frames[-1]) if event.frames else None,
    }
    return {key: values[key] for key in want}


def _frame(frame: Any) -> str:
    return f"{frame.file}:{frame.line} {frame.function}"


def _wanted(want: dict[str, Any], shift: int) -> dict[str, Any]:
    return {
        key: value + shift if key in ("line", "first", "last") else value
        for key, value in want.items()
    }
