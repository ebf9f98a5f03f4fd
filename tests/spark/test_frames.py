"""`errdex.spark.match` over DataFrames: streams, single logs, batches of a stream, and mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.spark.archive import rows_as_found

import errdex
from errdex.matching.cutting import AROUND, PART

pytestmark = pytest.mark.tools("java")
TRACEBACK = [
    "Traceback (most recent call last):",
    '  File "shop/run.py", line 3, in <module>',
    "    import basket",
    "ModuleNotFoundError: No module named 'basket'",
]
SHELL = "bash: gti: command not found"
LINES = "stream string, ts bigint, value string"


def short(found: Any) -> set[tuple[Any, ...]]:
    return {(row["stream"], row["line"], row["message"]) for row in found.collect()}


def test_streams_are_kept_apart_and_in_order(spark: Any, pack: Path) -> None:
    from errdex.spark import match

    # Line by line from two writers, the second one backwards.
    lines = [
        row
        for number, line in enumerate(TRACEBACK)
        for row in (("a", number, line), ("b", 100 - number, TRACEBACK[-1 - number]))
    ]
    found = match(spark.createDataFrame(lines, LINES), pack)
    assert short(found) == {(each, 4, "No module named 'basket'") for each in ("a", "b")}
    assert {row["problem"] for row in found.collect()} == {None}


def test_rows_without_an_order_or_a_stream_are_logs_of_their_own(spark: Any, pack: Path) -> None:
    from errdex.spark import match

    rows = [("a", 1, "fine\n" + "\n".join(TRACEBACK)), ("b", 2, None), (None, 3, SHELL)]
    df = spark.createDataFrame(rows, LINES)
    wanted = {("a", 5, "No module named 'basket'"), (None, 1, "gti: command not found")}
    assert {row[:2] for row in short(match(df, pack, order=None))} == {row[:2] for row in wanted}
    assert {row[1] for row in short(match(df, pack, group=None, order=None))} == {5, 1}
    # With an order, a stream's rows are one log, and those of no stream still are not.
    no_stream = spark.createDataFrame([(None, n, SHELL) for n in range(3)], LINES)
    assert [row["line"] for row in match(no_stream, pack).collect()] == [1, 1, 1]


def test_columns_have_any_names_and_bytes_any_content(spark: Any, pack: Path) -> None:
    from pyspark.sql import functions as f

    from errdex.spark import match

    df = spark.createDataFrame([("x", 1, SHELL.encode() + b" \xff")], "s string, t int, v binary")
    df = df.select(f.col("s").alias("my`s.x"), f.col("t").alias("at time"), f.col("v").alias("v.v"))
    found = match(df, pack, text="v.v", group="my`s.x", order=["at time"])
    assert [(row["stream"], row["rank"]) for row in found.where("rank = 1").collect()] == [("x", 1)]


def test_a_stream_longer_than_a_part_is_answered_whole(spark: Any, pack: Path) -> None:
    from errdex.spark import count_hits, match

    healthy = "2026-01-02 03:04:05 INFO request served in 12 ms, all is well\n"
    block = healthy * 20_000 + "\n".join(TRACEBACK) + "\n"
    assert len(block) * 4 > PART + 2 * AROUND
    df = spark.createDataFrame([("long", n, block) for n in range(8)], LINES)
    found = match(df, pack)
    lines = {row["line"] for row in found.where("rank = 1").collect()}
    repeats = found.where("rank = 1").collect()
    assert sum(1 + row["repeats"] for row in repeats) == 8
    assert {20_004} <= lines <= {(20_004 * n) for n in range(1, 9)}
    (hits,) = count_hits(found).collect()
    assert (hits["hits"], hits["streams"]) == (8, 1)


def test_more_errors_than_an_answer_holds_are_all_found(spark: Any, pack: Path) -> None:
    from errdex.spark import match

    lines = [
        f"ModuleNotFoundError: No module named 'basket{chr(97 + n % 26)}{n}'" for n in range(5)
    ]
    many = [
        (f"File{n}Error: shelf {'abcdefghij'[n % 10] * (1 + n // 10)} broken", n)
        for n in range(3_000)
    ]
    df = spark.createDataFrame(
        [("s", n, text) for text, n in many]
        + [("s", 9_000 + n, each) for n, each in enumerate(lines)],
        LINES,
    )
    found = match(df, pack, unknown=True).collect()
    assert {row["line"] for row in found if row["record"]} >= {3_001}
    assert len({row["message"] for row in found if row["record"] is None}) > 2_000


def test_unknown_errors_are_shown_when_they_are_asked_for(spark: Any, pack: Path) -> None:
    from errdex.spark import match

    df = spark.createDataFrame([("s", 1, "shop.errors.NoSuchShelfOfOurs: shelf 9 is gone")], LINES)
    assert match(df, pack).collect() == []
    (row,) = match(df, pack, unknown=True).collect()
    (event,) = errdex.open_pack(pack).match("shop.errors.NoSuchShelfOfOurs: shelf 9 is gone").events
    assert (row["record"], row["rank"], row["captures"]) == (None, None, [])
    assert row["fingerprint"] == event.fingerprint


def test_the_same_function_serves_a_stream_of_files(spark: Any, pack: Path, tmp_path: Path) -> None:
    from errdex.spark import match

    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text(SHELL + "\nfine\n")
    incoming = spark.readStream.text(str(tmp_path / "in"))
    seen: list[tuple[Any, ...]] = []
    query = match(incoming, pack, group=None, order=None).writeStream
    query = query.format("memory").queryName("known").trigger(availableNow=True).start()
    query.awaitTermination()
    assert [row["line"] for row in spark.table("known").where("rank = 1").collect()] == [1]

    def of_batch(batch: Any, _: int) -> None:
        lines = batch.selectExpr("value", "'s' as stream", "monotonically_increasing_id() as ts")
        seen.extend(rows_as_found(match(lines, pack).collect()))

    query = incoming.writeStream.foreachBatch(of_batch).trigger(availableNow=True).start()
    query.awaitTermination()
    assert {each[:2] for each in seen} == {("s", 1)}
    with pytest.raises(errdex.Trouble, match="foreachBatch"):
        match(incoming.selectExpr("value", "'s' as stream", "1 as ts"), pack)


MISTAKES = [
    (
        {"text": "line"},
        "There is no column 'line' for 'text': name one of 'stream', 'ts', 'value'.",
    ),
    ({"group": "host"}, "There is no column 'host' for 'group'"),
    ({"order": ["ts", "offset"]}, "There is no column 'offset' for 'order'"),
    ({"text": "ts"}, "The column 'ts' for 'text' is of type "),
    ({"group": None}, "'order' needs a 'group'"),
]


@pytest.mark.parametrize(("words", "said"), MISTAKES)
def test_what_is_wrong_with_columns_is_said_before_any_work(
    spark: Any, pack: Path, words: dict[str, Any], said: str
) -> None:
    from errdex.spark import match

    with pytest.raises(errdex.Trouble) as raised:
        match(spark.createDataFrame([("a", 1, "x")], LINES), pack, **words)
    assert said in str(raised.value)


def test_what_is_wrong_with_a_pack_is_said_before_any_work(
    spark: Any, pack: Path, tmp_path: Path
) -> None:
    from errdex.spark import match

    df = spark.createDataFrame([("a", 1, "x")], LINES)
    (tmp_path / "wrong.pack").write_bytes(b"no pack" * 99)
    (tmp_path / "cut.pack").write_bytes(pack.read_bytes()[:-9])
    for name in ("wrong.pack", "cut.pack"):
        with pytest.raises(errdex.Trouble, match="pack"):
            match(df, tmp_path / name)
    with pytest.raises(FileNotFoundError):
        match(df, tmp_path / "missing.pack")


def test_a_pack_is_sent_once_and_may_be_replaced_later(
    spark: Any, pack: Path, tmp_path: Path
) -> None:
    from errdex.spark import match, pack_file

    own = tmp_path / "own.pack"
    own.write_bytes(pack.read_bytes())
    df = spark.createDataFrame([("a", 1, SHELL)], LINES)
    match(df, own)
    sent = len(pack_file._shipped)
    found = match(df, own)
    own.write_bytes(b"replaced")
    assert len(pack_file._shipped) == sent
    assert len(found.where("rank = 1").collect()) == 1
