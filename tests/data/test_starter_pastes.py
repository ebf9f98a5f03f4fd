"""Whole outputs as people paste them: the right record first, and nothing found in what is well."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.data.matched import best_of, match, told
from tests.loops import for_each

FOLDER = Path(__file__).parent.parent / "cases" / "answers" / "pastes"


@functools.cache
def pastes() -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (f"{file.stem}: {case['name']}", case)
        for file in sorted(FOLDER.glob("*.yaml"))
        for case in yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    ]


@for_each(pastes)
def test_a_paste_is_answered_as_its_reader_wants(case: Mapping[str, Any]) -> None:
    answer = match(case["paste"])
    assert best_of(answer) == case["first"], told(answer)
    found = {each.matches[0].record.error_message for each in answer.events if each.matches}
    wanted = {case["first"], *case.get("also", ())} - {None}
    assert found == wanted, told(answer)


def _before_each_line(text: str, mark: str) -> str:
    return "".join(f"{mark}{line}\n" for line in text.rstrip("\n").split("\n"))


COPIED = {
    "indented": lambda text: _before_each_line(text, "    "),
    "quoted": lambda text: _before_each_line(text, "> "),
    "stamped": lambda text: _before_each_line(text, "2026-11-28T09:00:01.1234567Z "),
    "fenced": lambda text: f"Hi, I get this:\n\n```\n{text}```\n\nAny idea what is wrong?\n",
}


@pytest.mark.parametrize("way", COPIED)
@for_each(pastes)
def test_the_way_it_was_copied_changes_nothing(case: Mapping[str, Any], way: str) -> None:
    answer = match(COPIED[way](case["paste"]))
    assert best_of(answer) == case["first"], told(answer)
