"""What docker build reports again when it has failed: the last lines of the step, the place in the
Dockerfile, and what the step itself said of its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from errdex import lazy_re as re
from errdex.matching.events.draft import Parsed, Stream
from errdex.matching.model import Event
from errdex.matching.reading.docker_output import SUMMARY, SUMMARY_END

TRIGGERS = ("\n > [", "\n> [", "\n--------------------")

_RULE = re.compile(r"-{20}\s*$")
_SOURCE = re.compile(r"\s*\d{1,6} \| ")
_MAX_LINES = 200
_STEP = re.compile(r"(?:.* )?\d{1,4}$")
"""The writer of what a step says, behind those of prefixes around it."""
_MOST = 20
"""Builds of one paste."""
_TELLS = 10
"""Characters of a message that is no other's end by chance."""


def parse(stream: Stream, at: int) -> Parsed | None:
    """Lines of a summary that stand above it as well, and the quoted Dockerfile, are no text to
    match."""
    head = stream.head(at)
    if SUMMARY.match(head):
        end = _end(stream, at + 1)
        own = stream.indexes[at]
        first = stream.paste.first_with
        again = range(at + 1, end)
        if again and all(first[stream.texts[each].strip()] < own for each in again):
            return Parsed([], end, list(again))
    elif _RULE.match(head) and _SOURCE.match(stream.head(at + 1)):
        end = at + 1
        while _SOURCE.match(stream.head(end)) and end < at + _MAX_LINES:
            end += 1
        return Parsed([], end, list(range(at + 1, end)))
    return None


def _end(stream: Stream, at: int) -> int:
    begin = at
    while at < len(stream) and at < begin + _MAX_LINES and not SUMMARY_END.match(stream.head(at)):
        at += 1
    return at


def without_ends_of_steps(events: Sequence[Event]) -> tuple[list[Event], set[int]]:
    """The events without those that say of a step of docker build what the error of the whole
    build says as well; and the logical lines of those."""
    wholes = [
        (index, event.message)
        for index, event in enumerate(events)
        if event.language == "tool:docker" and not _STEP.match(event.writer)
    ]
    if not wholes:
        return list(events), set()
    instead: dict[int, int] = {}
    for index, event in enumerate(events):
        if _STEP.match(event.writer) and not event.frames and len(event.message) >= _TELLS:
            for whole, message in wholes[-_MOST:]:
                if whole > index and message.endswith(event.message):
                    instead[index] = whole
                    break
    return _without(events, instead)


def _without(events: Sequence[Event], instead: dict[int, int]) -> tuple[list[Event], set[int]]:
    kept = [index for index in range(len(events)) if index not in instead]
    places = {index: place for place, index in enumerate(kept)}
    result = []
    for index in kept:
        cause = events[index].cause
        if cause is not None:
            cause = places[instead.get(cause, cause)]
            cause = None if cause == places[index] else cause
        result.append(replace(events[index], cause=cause))
    return result, {piece.line for index in instead for piece in events[index].pieces}
