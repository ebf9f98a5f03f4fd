"""Which place of a record an event's stack names, where the record has several.

*Cost:* a few innermost frames are compared with the places in files of their names, so at most
some hundred comparisons for each record of an event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from errdex.matching.model import Event, Frame
from errdex.matching.ranking.answer import RecordFacts
from errdex.matching.ranking.comparison import common_tail, is_telling_name, path_parts
from errdex.matching.ranking.function_names import last_name
from errdex.records.places import PlaceFacts

_NEAREST = 4
"""Frames nearest to the raise, each once, that may be of a place: many an error is raised by a
function that does nothing else."""
_Nearness = tuple[bool, bool, int, int, int]


def at_named_place(event: Event, record: RecordFacts) -> RecordFacts:
    """The record as it reads at the place that the innermost frames name: at the same line, then
    in the same function, then nearest in the same file. The record itself when it has one place
    only, or no frame names one."""
    if not record.places:
        return record
    own = PlaceFacts(record.file_path or "", record.line_number, record.function)
    places = (own, *record.places)
    best: tuple[_Nearness, int] | None = None
    for depth, frame in enumerate(_nearest(event.frames)):
        name = path_parts(frame.file or "")[:1]
        for number, place in enumerate(places):
            if name == path_parts(place.file_path)[:1]:
                nearness = _nearness(frame, place, depth)
                if nearness is not None and (best is None or nearness > best[0]):
                    best = nearness, number
    if best is None:
        return record
    place = places[best[1]]
    return replace(
        record,
        file_path=place.file_path,
        line_number=place.line_number,
        function=place.function,
        places=(),
        place=best[1],
    )


def _nearest(frames: Sequence[Frame]) -> Iterator[Frame]:
    """The innermost frames with a file; recursion counts once."""
    seen: set[tuple[str | None, int | None]] = set()
    for frame in reversed(frames[-_NEAREST * 50 :]):
        here = (frame.file, frame.line)
        if frame.file and here not in seen:
            seen.add(here)
            yield frame
            if len(seen) == _NEAREST:
                return


def _nearness(frame: Frame, place: PlaceFacts, depth: int) -> _Nearness | None:
    """How well a frame fits a place in a file of its name, more is better; None when it may be of
    another file."""
    tail = common_tail(frame.file or "", place.file_path)
    same_line = frame.line is not None and frame.line == place.line_number
    name = last_name(place.function)
    same_function = bool(name) and name == last_name(frame.function)
    named = tail > 1 or is_telling_name(place.file_path)
    if not (named or same_line or same_function):
        return None
    apart = 0 if frame.line is None or place.line_number is None else frame.line - place.line_number
    return same_line and (named or same_function), same_function, min(tail, 4), -depth, -abs(apart)
