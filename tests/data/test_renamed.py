"""data/renamed.tsv leads from messages that no record has any more to the ones they became."""

from __future__ import annotations

from pathlib import Path

from tests.data.starter_records import load_starter_records

RENAMED = Path(__file__).parents[2] / "data" / "renamed.tsv"


def test_each_line_leads_from_a_message_that_is_gone_to_one_that_is_there() -> None:
    """A split keeps the old message: whoever asks for it still means that record."""
    messages = {record.error_message for _, record in load_starter_records()}
    lines = [each.split("\t") for each in RENAMED.read_text("utf-8").splitlines() if "\t" in each]
    assert [old for old, _ in lines if old in messages] == []
    assert [new for _, new in lines if new not in messages] == []
