"""`errdex.spark` finds what `errdex match` finds, log by log."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.spark.archive import Found, match_by_command, rows_as_found, write_logs

pytestmark = pytest.mark.tools("java")
LOGS = 1_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    write_logs(folder, LOGS)
    return folder


@pytest.fixture(scope="module")
def expected(folder: Path, pack: Path) -> set[Found]:
    found = match_by_command(folder, pack)
    assert len({each[0] for each in found}) > 0.9 * LOGS
    return found


def test_a_thousand_logs_of_all_kinds_are_answered_alike(
    spark: Any, folder: Path, pack: Path, expected: set[Found]
) -> None:
    from errdex.spark.bulk import find_inputs, match_archive

    inputs = find_inputs([str(folder)])
    assert len(inputs.logs) == LOGS
    rows = match_archive(spark, inputs, pack).collect()
    assert [row["problem"] for row in rows if row["problem"]] == []
    found = rows_as_found(rows)
    assert len(found) == len(set(found))
    assert set(found) ^ expected == set()


def test_lines_in_any_order_are_answered_as_their_logs(
    spark: Any, folder: Path, pack: Path, expected: set[Found]
) -> None:
    from errdex.spark import match

    lines = [
        (str(path), number, line)
        for path in sorted(folder.rglob("*.log"))
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"))
    ]
    random.Random(5).shuffle(lines)
    df = spark.createDataFrame(lines, "stream string, ts bigint, value string").repartition(7)
    found = rows_as_found(match(df, pack).collect())
    assert len(found) == len(set(found))
    assert set(found) == {each for each in expected if each[0].endswith(".log")}
