"""What a result holds in all, for the person who waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from errdex.knowledge.packed import PackedKnowledge
from errdex.spark.matching import count_hits
from errdex.spark.session import literal_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Totals(NamedTuple):
    """Counts of a result, repetitions included."""

    errors: int
    known: int
    streams: int
    """Streams with an error."""
    best: Sequence[tuple[str, int]]
    """The headings of the most frequent records, and their hits."""
    unread: Sequence[tuple[str, str]]
    """Streams that could not be read to their end, the first ones, and why."""
    unread_count: int


def add_up(spark: SparkSession, result: str, pack: str | PathLike[str], most: int) -> Totals:
    """The totals of a result that was written. `most`: records and streams that are named."""
    from pyspark.sql import functions as f

    rows = spark.read.parquet(literal_path(result))
    # One row of each error: where nothing distinguishes its records, several have the first rank.
    errors = rows.where("problem is null").dropDuplicates(["stream", "line", "fingerprint"])
    times = f.col("repeats") + 1
    (counts,) = errors.agg(
        f.coalesce(f.sum(times), f.lit(0)).alias("errors"),
        f.coalesce(f.sum(f.when(f.col("record").isNotNull(), times)), f.lit(0)).alias("known"),
        f.countDistinct("stream").alias("streams"),
    ).collect()
    unread = rows.where("problem is not null").select("stream", "problem")
    hits = [(row["record"], row["hits"]) for row in count_hits(rows).limit(most).collect()]
    return Totals(
        counts["errors"],
        counts["known"],
        counts["streams"],
        best=_headings(Path(pack), hits),
        unread=[(row["stream"], row["problem"]) for row in unread.orderBy("stream").head(most)],
        unread_count=unread.count(),
    )


def _headings(pack: Path, hits: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    found = PackedKnowledge(pack).find_records(record for record, _ in hits)
    return [(found[record].heading if record in found else record, count) for record, count in hits]
