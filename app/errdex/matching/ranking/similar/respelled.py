"""Messages that people typed again: in other letters or without their quotation marks."""

from __future__ import annotations

from collections.abc import Mapping

from errdex.matching.model import Event
from errdex.matching.patterns.pattern import compile_respelled, without_marks
from errdex.matching.ranking.answer import RecordFacts
from errdex.matching.ranking.scoring import Candidates, candidate
from errdex.matching.ranking.searched_texts import PlacedText
from errdex.matching.ranking.similar.typed_texts import in_message

_LONGEST = 1_000
"""Characters of a message that somebody types."""
_TELLING = 14.0
"""Weight of text that is meant though more stands around it, as in a line of no event."""


def find_respelled(event: Event, records: Mapping[str, RecordFacts]) -> Candidates:
    """The records whose message an event's is, but for case and quotation marks, or that say
    much of it."""
    found = find_places(PlacedText(event.message, event.pieces), records)
    return {
        key: here for key, here in found.items() if here.fit.entire or here.said.weight >= _TELLING
    }


def find_places(
    text: PlacedText, records: Mapping[str, RecordFacts], *, anywhere: bool = False
) -> Candidates:
    """The records that a text has but for case and quotation marks, and where; with `anywhere`
    also those whose patterns begin or end a line."""
    said, places = without_marks(text.text)
    if not said.strip() or len(said) > _LONGEST:
        return {}
    found: Candidates = {}
    for key, record in records.items():
        pattern = compile_respelled(record.pattern, anywhere=anywhere)
        place = pattern.search(said) if pattern else None
        if pattern is None or place is None:
            continue
        here = candidate(text, in_message(place, places), pattern.traits)
        found[key] = here._replace(said=here.said._replace(respelled=False))
    return found
