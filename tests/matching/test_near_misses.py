"""What a near miss says to whoever reads it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from errdex.matching.model import Event
from errdex.matching.ranking import RecordFacts
from errdex.matching.ranking.near_misses import near_miss

CASES = yaml.safe_load(
    (Path(__file__).parent.parent / "cases/matching/near_misses.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["event"])
def test_what_differs_is_said_in_a_sentence(case: Mapping[str, str | None]) -> None:
    message = case["record"] or ""
    record = RecordFacts(
        "a",
        "a/b",
        message,
        "x",
        error_class=case.get("record_class"),
        language=case.get("record_language"),
    )
    language = case.get("event_language") or ""
    event = Event(language, case.get("event_class"), case["event"] or "", 1, 1, 1)
    near = near_miss(event, record)
    assert (near and near.why) == case["why"]
