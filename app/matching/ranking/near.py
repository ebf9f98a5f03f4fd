"""Near misses: records that are like an event and yet do not match it, and what differs.

Words are compared, not meanings: of the fixed text of a record's message so much must stand in
the event's. What is found so is never called a match.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from app.matching.model import Event
from app.matching.ranking.answer import NearMiss, RecordFacts
from app.matching.ranking.comparing import last_part, same_class
from app.matching.weight import weigh
from app.records.holes import Text, parse_message

_WORD = re.compile(r"\w+(?:[.'-]\w+)*")
_COMPARED = 1_000
"""Characters of a message that are compared."""
_SHARE, _WEIGHT = 0.5, 6.0
_WORDS_SHOWN = 8


def near_miss(event: Event, record: RecordFacts) -> NearMiss | None:
    """What differs between an event and a record that is like it; None when it is not."""
    theirs = _fixed_words(record.error_message)
    ours = _WORD.findall(event.message[:_COMPARED])
    lower_theirs, lower_ours = [w.lower() for w in theirs], [w.lower() for w in ours]
    matcher = SequenceMatcher(None, lower_theirs, lower_ours, autojunk=False)
    common = [
        word
        for block in matcher.get_matching_blocks()
        for word in lower_theirs[block.a : block.a + block.size]
    ]
    shared, whole = weigh(" ".join(common)), weigh(" ".join(lower_theirs))
    if not whole or shared < _WEIGHT or shared / whole < _SHARE:
        return None
    missing, other = _differences(matcher, theirs, ours)
    return NearMiss(record, missing, other, _why(event, record, missing, other, shared / whole))


def contradicted(record: RecordFacts, words: str) -> NearMiss:
    """A record whose pattern was found, while something else speaks against it."""
    return NearMiss(record, (), (), f"The message fits, but {words}.")


def _fixed_words(message: str) -> list[str]:
    parts = parse_message(message[:_COMPARED])
    return _WORD.findall(" ".join(part.text for part in parts if isinstance(part, Text)))


def _differences(
    matcher: SequenceMatcher[str], theirs: list[str], ours: list[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    missing: list[str] = []
    other: list[str] = []
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind in ("delete", "replace"):
            missing += theirs[first:last]
            other += ours[start:end]
    return tuple(missing[:_WORDS_SHOWN]), tuple(other[:_WORDS_SHOWN])


def _why(
    event: Event,
    record: RecordFacts,
    missing: tuple[str, ...],
    other: tuple[str, ...],
    share: float,
) -> str:
    said = f"{round(100 * share)} % of its text is the same"
    if missing:
        said += f"; it also says “{' '.join(missing)}”"
        if other:
            said += f" where the paste says “{' '.join(other)}”"
    if event.error_class and record.error_class:
        if not same_class(event.error_class, record.error_class):
            theirs, ours = last_part(record.error_class), last_part(event.error_class)
            said += f"; its class is {theirs}, not {ours}"
    elif not missing:
        said += "; the rest of the message differs"
    return said + "."
