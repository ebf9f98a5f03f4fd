"""What the readers of the single formats hand to `reading`, and how they fail."""

from __future__ import annotations

import io
from dataclasses import dataclass

from errdex.records.problems import Problem

RECORD_BYTES = 4 * 1024 * 1024
"""The most that one record may take in a file. More than its compact form may have:
a file may be indented, and may escape what it need not."""

WHOLE_BYTES = 64 * 1024 * 1024
"""The most that a file may have, unpacked, which is read whole: of JSON or YAML."""

_PIECE = 256 * 1024


@dataclass(slots=True)
class FileEntry:
    """A value of an input, or what is wrong where one should stand.

    `line` counts from 1, `index` from 0 in the file's list, if it is one. A value is
    only of JSON's types, whatever the format was.
    """

    line: int
    index: int | None
    value: object
    problem: Problem | None = None


class InputDamaged(Exception):
    """No more can be read of this input. What was found before it stands."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.problem = Problem("", reason, remedy)
        super().__init__(str(self.problem))


def read_whole(stream: io.BufferedReader) -> bytes:
    """All of a file. Raises InputDamaged for one larger than WHOLE_BYTES."""
    pieces = []
    size = 0
    while piece := stream.read1(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > WHOLE_BYTES:
            raise InputDamaged(
                f"has more than {WHOLE_BYTES:,} bytes, the most for a file of this form",
                "write one record a line, as JSON, and name the file .jsonl, or make several files",
            )
    return b"".join(pieces)


def too_long(limit: int) -> Problem:
    """A record takes more room than any record may."""
    return Problem(
        "",
        f"is longer than {limit:,} bytes, the most that a record may take",
        "write each record as a value of its own, and shorten this one",
    )


def not_utf8() -> Problem:
    """A record holds bytes that are no text."""
    return Problem("", "holds bytes that are not UTF-8", "save the file as UTF-8")


def nothing_there() -> Problem:
    """An input without a single value; an empty list is one."""
    return Problem("", "is empty", "write records into it, or [] where there are none")
