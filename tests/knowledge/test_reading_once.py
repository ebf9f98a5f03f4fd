"""From one match to its answer, a record is read once and its JSON is parsed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from errdex.formats import build
from errdex.records import wire
from errdex.store import values
from errdex.store.sqlite.snapshot import DatabaseSnapshot

PASTE = (
    "Traceback (most recent call last):\n"
    '  File "shop/basket.py", line 9, in pay\n'
    "LockError: Basket 7 is locked by another session\n"
    "\n"
    "Traceback (most recent call last):\n"
    '  File "shop/basket.py", line 9, in pay\n'
    "ValueError: Basket 8 is as good as empty\n"
)
"""One error that matches and one that is only similar to a record."""


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts how often each record is read, by its id, and parsed, by its JSON."""
    counts: Counter[str] = Counter()

    def counted(name: str) -> None:
        read = getattr(DatabaseSnapshot, name)

        def noted(snapshot: DatabaseSnapshot, ids: Iterable[str]) -> object:
            asked = [ids] if isinstance(ids, str) else list(ids)
            counts.update(asked)
            return read(snapshot, ids if isinstance(ids, str) else asked)

        monkeypatch.setattr(DatabaseSnapshot, name, noted)

    for name in ("find", "find_many", "find_summaries"):
        counted(name)

    def parsed(text: str) -> object:
        counts[text] += 1
        return wire.load_wire(text)

    monkeypatch.setattr(values, "load_wire", parsed)
    return counts


def test_a_record_that_matched_is_read_once_and_parsed_once(knowledge, recorder) -> None:
    result = knowledge.match(PASTE)
    answer = build.build_answer(result)
    build.build_answer(result)  # a second format of the same answer
    assert any(event.matches for event in answer.events)
    assert any(event.near_misses for event in answer.events)
    assert set(result.records) <= set(recorder)
    assert set(recorder.values()) == {1}, recorder
    for stored in result.records.values():
        assert recorder[stored.body_json] == 1
