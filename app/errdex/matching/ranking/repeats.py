"""Events that are one error happening again: the same but for numbers and addresses.

A number that a record's pattern spells out is not left out: `status 9` and `status 137` are
two errors where records distinguish them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from errdex import lazy_re as re
from errdex.matching.model import Event
from errdex.matching.patterns.pattern import PatternMatch

_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*|\d+")
_COMPARED = 2_000
"""Characters of a message that are compared."""
_LINKS = 4
"""Causes of causes that are compared."""
_LINES_SHOWN = 20
_MOST_VARIANTS = 300
"""Messages of one error that are matched each for itself; the others go with the first."""

_Key: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """An event, its index in the paste's list, how often it came again, and on which lines."""

    event: Event
    index: int
    repeats: int
    repeat_lines: tuple[int, ...]
    members: tuple[int, ...] = ()
    """Indexes of the events that repeat it."""

    def variants(self, events: Sequence[Event]) -> dict[str, int]:
        """The messages of its repetitions that differ from its own, each with the first event
        that has it."""
        first: dict[str, int] = {}
        for index in self.members:
            if len(first) >= _MOST_VARIANTS:
                break
            if events[index].message != self.event.message:
                first.setdefault(events[index].message, index)
        return first


def fold(
    events: Sequence[Event], apart: Mapping[int, frozenset[str]] | None = None
) -> list[Folded]:
    """Each different event once, in order, with causes counted in the new list. `apart`: the
    records of events that have others than the event they would repeat."""
    keys = [_own_key(event) for event in events]
    first: dict[_Key, int] = {}
    again: dict[int, list[int]] = {}
    members: dict[int, list[int]] = {}
    representative: list[int] = []
    for index in range(len(events)):
        key: _Key = _chain_key(events, keys, index)
        if apart and index in apart:
            key = (*key, apart[index])
        kept = first.setdefault(key, index)
        representative.append(kept)
        if kept != index:
            again.setdefault(kept, []).append(events[index].message_line)
            members.setdefault(kept, []).append(index)
    new_index = {kept: number for number, kept in enumerate(sorted(first.values()))}
    return [
        Folded(
            _with_cause(events[kept], representative, new_index),
            kept,
            len(again.get(kept, ())),
            tuple(again.get(kept, ())[:_LINES_SHOWN]),
            tuple(members.get(kept, ())),
        )
        for kept in new_index
    ]


def spells_number(text: str, place: PatternMatch) -> bool:
    """Whether a match has a number outside of the holes."""
    at, end = place.span
    for first, last in sorted(span for span in place.groups if span is not None):
        if first > at and _VARIABLE.search(text, at, first):
            return True
        at = max(at, last)
    return _VARIABLE.search(text, at, max(at, end)) is not None


def _own_key(event: Event) -> _Key:
    raising = event.frames[-1] if event.frames else None
    return (
        event.language,
        event.error_class,
        _VARIABLE.sub("0", event.message[:_COMPARED]),
        event.code,
        event.severity,
        event.handled,
        event.role,
        (raising.file, raising.function, raising.line) if raising else None,
    )


def _chain_key(events: Sequence[Event], keys: Sequence[_Key], index: int) -> _Key:
    chain = [keys[index]]
    cause = events[index].cause
    while cause is not None and len(chain) < _LINKS:
        chain.append(keys[cause])
        cause = events[cause].cause
    return tuple(chain)


def _with_cause(event: Event, representative: list[int], new_index: dict[int, int]) -> Event:
    if event.cause is None:
        return event
    return replace(event, cause=new_index[representative[event.cause]])
