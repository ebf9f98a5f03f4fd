"""What whole trees give, from the case file: functions that report what other files give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.harvest.harvest_cases import cases_of
from tests.loops import for_each

from errdex.harvest.reading import Tally
from errdex.harvest.run import harvest
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import open_tree

FIELDS = {
    "file": "filePath",
    "line": "lineNumber",
    "message": "errorMessage",
    "class": "errorClass",
    "when": "raisedWhen",
}


@for_each(lambda: cases_of("trees"))
def test_finds_what_functions_of_other_files_report(
    case: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert _found(tmp_path_factory.mktemp("tree"), case["files"]) == case["finds"]


def _found(folder: Path, files: dict[str, str], workers: int = 1) -> list[dict[str, Any]]:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    tree = open_tree(folder, Selection(), repo="acme/shop")
    tally = Tally()
    records = [
        orjson.loads(line) for line in harvest([tree], Selection(), workers=workers, tally=tally)
    ]
    assert tally.records == len(records)
    assert len({record["id"] for record in records}) == len(records)
    found = [
        {name: record[key] for name, key in FIELDS.items() if key in record} for record in records
    ]
    return sorted(found, key=lambda each: (each["file"], each["line"]))
