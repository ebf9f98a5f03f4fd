"""Makes the records of one text one record, with the places of all of them.

Lines of JSON wait in a temporary file until all files are read, so that memory is taken by the
number of records and not by their size. What is printed cannot tell equal ids apart; what differs
from place to place goes into `places`.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from os import SEEK_END
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Any, NamedTuple, Self

from errdex.records.field_types import MAX_ITEMS
from errdex.records.fields import SEVERITIES
from errdex.records.places import PLACE_KEYS
from errdex.records.wire import dump_wire, load_wire

IN_MEMORY = 32_000_000
"""Bytes of waiting records. What is more waits on the disk."""
LINES_AROUND = 5
"""Lines of an excerpt before and behind the raising line, of a place that is not the first."""
MAX_PLACE_BYTES = 400_000
"""Bytes of all places of a record. What exceeds a half of them has no excerpt; what exceeds all is
only counted."""
_WHERE = tuple(key for key in PLACE_KEYS if key != "documentation")


class RecordLine(NamedTuple):
    """A record as a line of JSON, and its id."""

    id: str
    line: bytes
    listed: bool = False
    """Whether its place only has the text, in a class or a table, and others raise it."""


def to_line(record: Mapping[str, object], *, listed: bool = False) -> RecordLine:
    """A record as a line, ended by a line break."""
    return RecordLine(str(record["id"]), dump_wire(record) + b"\n", listed)


class SpooledLines:
    """Records that came together: where their lines are in the file, and their ids."""

    __slots__ = ("ids", "listed", "sizes", "start")

    def __init__(self, start: int, lines: Sequence[RecordLine]) -> None:
        self.start = start
        self.sizes = array("Q", (len(each.line) for each in lines))
        self.ids = array("Q", (int(each.id, 16) for each in lines))
        self.listed = bytes(each.listed for each in lines)


class _Waiting(NamedTuple):
    """Where the line of a record is in the file."""

    start: int
    size: int
    listed: bool


class RecordSpool:
    """Records that wait until all files are read."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by __exit__
        self._segments: list[SpooledLines] = []
        self._ids: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        """How many there are so far, each text once."""
        return len(self._ids)

    def add(self, lines: Sequence[RecordLine]) -> int:
        """Take in the records of some files; gives the number under which they can be replaced."""
        self._segments.append(self._written(lines))
        return len(self._segments) - 1

    def replace(self, number: int, lines: Sequence[RecordLine]) -> None:
        """Put other records in the place of those that were added under a number."""
        self._segments[number] = self._written(lines)

    def lines(self) -> Iterator[bytes]:
        """A line for each text, in the order in which the first records of the texts came."""
        self._ids.clear()
        found: dict[int, list[_Waiting]] = {}
        for segment in self._segments:
            start = segment.start
            for number, size, listed in zip(
                segment.ids, segment.sizes, segment.listed, strict=True
            ):
                found.setdefault(number, []).append(_Waiting(start, size, bool(listed)))
                start += size
        self._ids.update(found)
        for alike in found.values():
            if len(alike) == 1:
                yield self._read(alike[0])
            else:
                alike.sort(key=lambda each: each.listed)
                bodies = [load_wire(self._read(each).decode()) for each in alike]
                listed = sum(each.listed for each in alike)
                yield dump_wire(merged(bodies, listed=listed)) + b"\n"

    def _written(self, lines: Sequence[RecordLine]) -> SpooledLines:
        segment = SpooledLines(self._file.seek(0, SEEK_END), lines)
        self._file.writelines(each.line for each in lines)
        self._ids.update(segment.ids)
        return segment

    def _read(self, waiting: _Waiting) -> bytes:
        self._file.seek(waiting.start)
        return self._file.read(waiting.size)


def merged(bodies: Sequence[Mapping[str, Any]], *, listed: int = 0) -> dict[str, Any]:
    """One record of several with one id: the first by path and line, and the others as its places.
    The last `listed` of them only have the text, in a class or a table: they come last. Its
    severity is the greatest of all."""
    raised = len(bodies) - listed
    ordered = _apart([*_in_order(bodies[:raised]), *_in_order(bodies[raised:])])
    first = dict(ordered[0])
    first["severity"] = min((body["severity"] for body in ordered), key=SEVERITIES.index)
    places: list[dict[str, Any]] = []
    room = MAX_PLACE_BYTES
    for body in ordered[1 : MAX_ITEMS + 1]:
        place = _place(body, first.get("documentation"))
        size = len(dump_wire(place))
        if size > room - MAX_PLACE_BYTES // 2:
            place = {key: value for key, value in place.items() if not key.startswith("sourceCode")}
            size = len(dump_wire(place))
        room -= size
        if room < 0:
            break
        places.append(place)
    if places:
        first["places"] = places
    if left_out := len(ordered) - 1 - len(places):
        first["placesLeftOut"] = left_out
    return first


def _in_order(bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(bodies, key=lambda body: (body["filePath"], body["lineNumber"]))


def _apart(bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Without those that are at one line for one reason: the ways to one message."""
    seen: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for body in bodies:
        place = (body["filePath"], body["lineNumber"], body.get("function"), body.get("raisedWhen"))
        seen.setdefault(place, body)
    return list(seen.values())


def _place(body: Mapping[str, Any], documentation: str | None) -> dict[str, Any]:
    """What a record has of its place, and its documentation where the first place's is another."""
    place = {key: body[key] for key in _WHERE if key in body} | _excerpt(body)
    if body.get("documentation") != documentation:
        place["documentation"] = body.get("documentation")
    return place


def _excerpt(body: Mapping[str, Any]) -> dict[str, Any]:
    """The lines right around the raise."""
    line, start = body["lineNumber"], body["sourceCodeStart"]
    lines = body["sourceCode"].split("\n")
    first = max(start, line - LINES_AROUND)
    last = min(start + len(lines) - 1, line + LINES_AROUND)
    return {
        "sourceCode": "\n".join(lines[first - start : last - start + 1]),
        "sourceCodeStart": first,
        "sourceCodeEnd": last,
    }
