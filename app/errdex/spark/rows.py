"""A row of the result: an error of a stream and a record that matches it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from errdex.knowledge import MatchAnswer
from errdex.matching.fingerprint import fingerprint_of
from errdex.matching.ranking import EventAnswer, Match

_MESSAGE = 4_000
"""Characters of a message, as in answers."""
_AT_ONCE = 1_000
"""Rows of an Arrow batch."""

ARROW = pa.schema(
    [
        ("stream", pa.string()),
        ("line", pa.int64()),
        ("record", pa.string()),
        ("message", pa.string()),
        ("captures", pa.list_(pa.struct([("name", pa.string()), ("text", pa.string())]))),
        ("fingerprint", pa.string()),
        (
            "evidence",
            pa.list_(
                pa.struct([("kind", pa.string()), ("points", pa.float64()), ("words", pa.string())])
            ),
        ),
        ("rank", pa.int32()),
        ("repeats", pa.int64()),
        ("problem", pa.string()),
    ]
)
SPARK = (
    "stream string, line bigint, record string, message string, "
    "captures array<struct<name: string, text: string>>, fingerprint string, "
    "evidence array<struct<kind: string, points: double, words: string>>, "
    "rank int, repeats bigint, problem string"
)
"""The same as Spark writes a schema."""


class MatchRow(NamedTuple):
    """A match, an error without a record, or what could not be answered."""

    stream: str | None
    line: int | None = None
    """Where the message begins, in lines of the stream from 1."""
    record: str | None = None
    """The record's id; None for an error that no record matches."""
    message: str | None = None
    captures: list[dict[str, str]] = []  # noqa: RUF012 -- never changed
    fingerprint: str | None = None
    evidence: list[dict[str, Any]] = []  # noqa: RUF012
    rank: int | None = None
    """1 for the best record of an error; equal for records that nothing distinguishes."""
    repeats: int = 0
    """How often the same error comes again in this part of the stream, but for its numbers."""
    problem: str | None = None
    """Why a stream, or from `line` a part of it, was not answered whole; all else is empty then."""


def rows_of(
    answer: MatchAnswer, stream: str | None, first_line: int, *, unknown: bool
) -> Iterator[MatchRow]:
    """The rows of an answer to lines of a stream that begin at `first_line`. `unknown`: also
    those of errors that no record matches."""
    for sentence in answer.answer.limits_hit:
        yield MatchRow(stream, line=first_line, problem=sentence)
    for each in answer.answer.events:
        if not each.matches and not unknown:
            continue
        shared = _of_error(each, stream, first_line)
        if not each.matches:
            yield shared
        for match in each.matches:
            yield _of_match(shared, match)


def _of_error(each: EventAnswer, stream: str | None, first_line: int) -> MatchRow:
    return MatchRow(
        stream,
        line=each.event.message_line + first_line - 1,
        message=each.event.message[:_MESSAGE],
        fingerprint=fingerprint_of(each.event),
        repeats=each.repeats,
    )


def _of_match(shared: MatchRow, match: Match) -> MatchRow:
    return shared._replace(
        record=match.record.id,
        captures=[{"name": each.name, "text": each.text} for each in match.captures],
        evidence=[each._asdict() | {"kind": each.kind.value} for each in match.evidence],
        rank=match.group,
    )


def to_arrow(rows: Iterable[MatchRow]) -> Iterator[pa.RecordBatch]:
    """The rows as Arrow batches, some of them at a time."""
    held: list[MatchRow] = []
    for row in rows:
        held.append(row)
        if len(held) >= _AT_ONCE:
            yield _batch(held)
            held = []
    if held:
        yield _batch(held)


def _batch(rows: list[MatchRow]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, ARROW, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=ARROW)
