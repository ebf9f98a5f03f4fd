"""Pastes, the logical lines they are read as, and the way back from each character."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from tests.loops import for_each

from errdex.matching.reading import Paste, read_paste

FOLDER = Path(__file__).parent.parent / "cases" / "reading"
STANDS_FOR_OTHERS = "\\&\u00a0"
"""An undone escape or entity maps back to the character that it begins with."""


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(FOLDER.glob("*.yaml")):
        for case in yaml.safe_load(file.read_bytes()):
            yield f"{file.stem}: {case['name']}", case


def _given(case: dict[str, Any]) -> bytes | str:
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    if "encoded" in case:
        encoding, text = case["encoded"]
        return text.encode(encoding)
    return case["text"]


def _wanted(line: Any) -> dict[str, Any]:
    if isinstance(line, list):
        return {"number": line[0], "text": line[1]}
    return line


@for_each(cases)
def test_the_lines_of_a_paste(case: dict[str, Any]) -> None:
    paste = read_paste(_given(case))
    wanted = [_wanted(line) for line in case["lines"]]
    seen = [
        {key: getattr(line, key) for key in want}
        for line, want in zip(paste.lines, wanted, strict=False)
    ]
    assert seen == wanted
    assert [line.text for line in paste.lines][len(wanted) :] == []
    if not case.get("loose"):
        _check_the_way_back(paste, old_mac=case.get("mac", False))


def _check_the_way_back(paste: Paste, *, old_mac: bool) -> None:
    for index, text in enumerate(paste.texts):
        before = -1
        for column, character in enumerate(text):
            number, offset = paste.locate(index, column)
            source = paste.text[offset]
            assert source == character or source in STANDS_FOR_OTHERS
            assert offset > before
            assert number == paste.text.count("\r" if old_mac else "\n", 0, offset) + 1
            before = offset
