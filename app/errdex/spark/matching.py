"""Matches the lines of a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import attrgetter
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from errdex.records.problems import Trouble
from errdex.spark.pack_file import open_shipped, ship_pack
from errdex.spark.parts import answer_stream
from errdex.spark.rows import SPARK, MatchRow, rows_of, to_arrow

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


class ColumnMissing(Trouble):
    """A DataFrame lacks a column, or the columns do not suit each other."""


def match(
    df: DataFrame,
    pack: str | PathLike[str],
    text: str = "value",
    group: str | None = "stream",
    order: str | Sequence[str] | None = "ts",
    *,
    unknown: bool = False,
) -> DataFrame:
    """The errors in the lines of a DataFrame, each with the records that match it.

    `text`, of strings or bytes, has a line in each row. Rows with the same `group` are the lines
    of one stream, in the order of `order`, a column or several. Without an order (None) each row
    is a log of its own, of one line or many, named by `group` if that is given; so is a row whose
    group is null. `pack` is a file that `errdex pack` wrote. `unknown`: also the errors that no
    record matches.

    A row of the result is an error and a record: `stream`, `line` (from 1, in the stream),
    `record` (its id, null for an unknown error), `message`, `captures` (name and text),
    `fingerprint`, `evidence` (kind, points and words), `rank` (1 for the best record of an error,
    equal for records that nothing distinguishes), `repeats` (how often the error comes again
    nearby), `problem` (null).

    Errors that caused each other are linked within a stream only. Raises Trouble when a column
    is missing or the pack cannot be used, and OSError.
    """
    orders = [order] if isinstance(order, str) else list(order or ())
    _check(df, text, group, orders)
    name = ship_pack(df.sparkSession.sparkContext, pack)
    lines = _by_stream(df, text, group, orders)
    return lines.mapInArrow(_MatchRows(name, bool(orders), unknown), SPARK)


def count_hits(matches: DataFrame) -> DataFrame:
    """How often each record is the best for an error: `record`, `hits` (repetitions included),
    `streams`, the most frequent first. Where nothing distinguishes records, each counts."""
    from pyspark.sql import functions as f

    best = matches.where("rank = 1")
    hits = best.groupBy("record").agg(
        f.sum(f.col("repeats") + 1).alias("hits"), f.countDistinct("stream").alias("streams")
    )
    return hits.orderBy(f.col("hits").desc(), "record")


def _check(df: DataFrame, text: str, group: str | None, orders: Sequence[str]) -> None:
    """Raises ColumnMissing."""
    wanted = {"text": [text], "group": [group] if group else [], "order": orders}
    for use, names in wanted.items():
        for name in names:
            if name not in df.columns:
                raise ColumnMissing(
                    f"There is no column {name!r} for {use!r}: name one of "
                    f"{', '.join(map(repr, df.columns))}."
                )
    kind = df.schema[text].dataType.typeName()
    if kind not in ("string", "binary", "varchar", "char"):
        raise ColumnMissing(
            f"The column {text!r} for 'text' is of type {kind}: give one of strings or bytes."
        )
    if orders and group is None:
        raise ColumnMissing(
            "'order' needs a 'group', whose rows it sorts: name the column of the streams, or "
            "leave out the order, and each row is a log of its own."
        )
    if orders and df.isStreaming:
        raise ColumnMissing(
            "Spark cannot sort a stream: call match in foreachBatch, on the DataFrame of each "
            "batch, or leave out the order (None), and each row is a log of its own."
        )


def _by_stream(df: DataFrame, text: str, group: str | None, orders: Sequence[str]) -> DataFrame:
    """The columns `stream` and `text`; with an order, the rows of a stream are in one partition
    and follow each other in order."""
    from pyspark.sql import functions as f

    def column(name: str) -> Column:
        return df[f"`{name.replace('`', '``')}`"]

    stream = column(group).cast("string") if group else f.lit(None).cast("string")
    wanted = [stream.alias("stream"), column(text).cast("binary").alias("text")]
    if not orders:
        return df.select(*wanted)
    places = [column(name).alias(f"order{number}") for number, name in enumerate(orders)]
    names = [f"order{number}" for number in range(len(orders))]
    lines = df.select(*wanted, *places).repartition("stream")
    return lines.sortWithinPartitions("stream", *names).select("stream", "text")


@dataclass(frozen=True, slots=True)
class _MatchRows:
    """What a task does with the rows of its partition: batches of `stream` and `text` in, those of
    matches out."""

    pack: str
    sorted: bool
    unknown: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return to_arrow(self._rows(batches))

    def _rows(self, batches: Iterator[pa.RecordBatch]) -> Iterator[MatchRow]:
        knowledge = open_shipped(self.pack)
        pieces = (piece for batch in batches for piece in _pieces(batch, self.sorted))
        for _, of_stream in groupby(pieces, key=attrgetter("key")):
            first = next(of_stream)
            lines = (piece.lines for piece in chain([first], of_stream))
            for first_line, answer in answer_stream(knowledge, lines):
                yield from rows_of(answer, first.stream, first_line, unknown=self.unknown)


class _Piece(NamedTuple):
    """Lines that follow each other in a stream. The next piece with an equal key continues it."""

    key: object
    stream: str | None
    lines: bytes


def _pieces(batch: pa.RecordBatch, is_sorted: bool) -> Iterator[_Piece]:
    streams, texts = batch.columns
    if not is_sorted:
        for stream, line in zip(streams.to_pylist(), texts.to_pylist(), strict=True):
            yield _Piece(object(), stream, _ended(line))
        return
    runs = pc.run_end_encode(streams)
    begin = 0
    for stream, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        lines = map(_ended, texts.slice(begin, end - begin).to_pylist())
        if stream is None:
            yield from (_Piece(object(), None, line) for line in lines)
        else:
            yield _Piece(stream, stream, b"".join(lines))
        begin = end


def _ended(line: bytes | None) -> bytes:
    """A row's text with the line end that sources leave out."""
    return line if line and line.endswith(b"\n") else (line or b"") + b"\n"
