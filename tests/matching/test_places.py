"""Which of a record's places an event's stack names, and how much is compared for it."""

from __future__ import annotations

from dataclasses import replace

from errdex.matching.model import Event, Frame
from errdex.matching.ranking import RecordFacts, places
from errdex.matching.ranking.places import at_named_place
from errdex.records.places import PlaceFacts

RECORD = RecordFacts(
    "r", "a/b", "it failed", "it failed", file_path="src/index.js", line_number=10, function="a",
    places=(PlaceFacts("src/index.js", 20, "b"), PlaceFacts("lib/index.js", 20, "a")),
)  # fmt: skip
EVENT = Event("node", None, "it failed", 1, 1, 1)


def place(*frames: tuple[str, int | None, str | None], record: RecordFacts = RECORD) -> int | None:
    event = replace(EVENT, frames=tuple(Frame(*each) for each in frames))
    return at_named_place(event, record).place


def test_a_record_of_one_place_is_left_as_it_is() -> None:
    alone = replace(RECORD, places=())
    event = replace(EVENT, frames=(Frame("src/index.js", 10, "a"),))
    assert at_named_place(event, alone) is alone
    assert at_named_place(EVENT, RECORD) is RECORD


CASES = (
    ("nothing agrees", [("index.js", 99, "z")], None),
    ("a file of that name in another folder", [("/x/other/index.js", 99, "z")], None),
    ("a line alone, in a file of the name", [("index.js", 10, None)], 0),
    ("a function alone", [("index.js", 11, "b")], 1),
    ("folder and line", [("/app/lib/index.js", 20, "a")], 2),
    ("folder against function", [("/app/src/index.js", 20, "z")], 1),
    ("no line", [("/app/src/index.js", None, "b")], 1),
    ("Windows", [("C:\\app\\lib\\index.js", 20, "a")], 2),
    ("recursion above", [("/app/lib/index.js", 20, "a"), *[("/app/r.js", 5, "go")] * 150], 2),
    (
        "too far above",
        [("/app/lib/index.js", 20, "a"), *[(f"/app/{n}.js", 5, "go") for n in range(9)]],
        None,
    ),
)


def test_the_place_that_agrees_best_is_chosen() -> None:
    wrong = [(name, found) for name, frames, number in CASES if (found := place(*frames)) != number]
    assert not wrong


def test_a_stack_of_many_frames_costs_little(monkeypatch) -> None:
    """A paste is anybody's: 200 frames in the file of 200 places are not 40,000 comparisons."""
    compared = []
    tail = places.common_tail
    monkeypatch.setattr(
        places, "common_tail", lambda *given: compared.append(given) or tail(*given)
    )
    many = replace(RECORD, places=tuple(PlaceFacts("src/index.js", n, f"f{n}") for n in range(200)))
    frames = [("src/index.js", 1_000 + n, f"g{n}") for n in range(500)]
    assert place(*frames, record=many) is not None
    assert 200 < len(compared) < 1_000
