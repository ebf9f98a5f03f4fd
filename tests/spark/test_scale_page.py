"""docs/scale.md: its examples over a DataFrame run, and its table has the columns of a result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.docs.generated import DOCS

pytestmark = pytest.mark.tools("java")
PAGE = (DOCS / "scale.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page_run(
    spark: Any, pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("a", 1, "bash: gti: command not found"), ("a", 2, "shop.NoShelfError: no shelf 7")]
    lines = spark.createDataFrame(rows, "stream string, ts bigint, value string")
    lines.write.parquet(str(tmp_path / "lines"))
    names = {"spark": spark}
    begin, unknown, *streams = EXAMPLES
    for example in (begin, unknown):
        code = example.replace("s3a://logs/2026-01-02", str(tmp_path / "lines"))
        exec(code.replace('"errdex.pack"', repr(str(pack))), names)  # noqa: S102 (our own page)
    assert re.search(r"\|\s*1\|\s*1\|$", capsys.readouterr().out, re.MULTILINE)
    assert {row["line"] for row in names["unknown"].collect()} == {2}
    assert all("errdex.spark.match(" in each or "kafka" in each for each in streams)


def test_the_table_has_the_columns_of_a_result(needs_pyspark: None) -> None:
    from errdex.spark.rows import ARROW

    table = PAGE[PAGE.index("| column | type |") :].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == ARROW.names
