"""What reports an error a second time: the line that a tool adds to one that is known, a message
that stands alone before its error, and the indented lines that explain it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from errdex.matching.model import Event
from errdex.matching.ranking.answer import EventAnswer
from errdex.matching.reading import Paste

_NEAR = 10
"""Lines between a message and its repetition."""
_EXPLAINED = 30
"""Lines of an explanation at most."""


def without_second_lines(answers: Sequence[EventAnswer]) -> list[EventAnswer]:
    """The answers without unknown lines of a tool right beside its known error."""
    instead: dict[int, int] = {}
    for index in range(1, len(answers)):
        one, other = index - 1, index
        above, below = answers[one].event, answers[other].event
        linked = above.cause == other or below.cause == one
        if one not in instead and not linked and _are_one(above, below):
            known, unknown = (one, other) if answers[one].matches else (other, one)
            if answers[known].matches and _adds_nothing(answers[unknown], answers[known]):
                instead[unknown] = known
    return _without(answers, instead) if instead else list(answers)


def _adds_nothing(line: EventAnswer, known: EventAnswer) -> bool:
    """Whether a line beside a known one is unknown, or known by the same record."""
    return not line.matches or line.matches[0].record.id == known.matches[0].record.id


def _are_one(above: Event, below: Event) -> bool:
    """Whether two lines of one tool stand next to each other, and neither has a code or place."""
    return (
        above.language == below.language
        and above.language.startswith("tool:")
        and above.writer == below.writer
        and 0 <= below.first_line - above.last_line <= 1
        and not any((above.code, below.code, above.frames, below.frames))
        and above.severity == below.severity
    )


def _without(answers: Sequence[EventAnswer], instead: dict[int, int]) -> list[EventAnswer]:
    kept = [index for index in range(len(answers)) if index not in instead]
    places = {index: place for place, index in enumerate(kept)}
    result = []
    for index in kept:
        each = answers[index]
        cause = each.event.cause
        if cause is not None:
            moved = places[instead.get(cause, cause)]
            event = replace(each.event, cause=None if moved == places[index] else moved)
            each = replace(each, event=event)
        result.append(each)
    return result


class Repetitions:
    """First lines of events' messages, and where they stand."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._lines: dict[str, list[int]] = {}
        for event in events:
            said = event.message.split("\n", 1)[0].strip()
            if said:
                self._lines.setdefault(said, []).append(event.message_line)

    def has(self, text: str, number: int) -> bool:
        """Whether an event near a line of the paste has just this message."""
        return any(abs(line - number) <= _NEAR for line in self._lines.get(text.strip(), ()))


def head_of(paste: Paste, line: int) -> int | None:
    """The line that an indented one explains: the nearest one above that is not indented, when
    all between them are, and it does not announce a list."""
    texts, writer = paste.texts, paste.writers.get(line, "")
    if not _is_indented(texts[line]):
        return None
    for above in range(line - 1, max(-1, line - _EXPLAINED), -1):
        text = texts[above]
        if not text.strip() or paste.writers.get(above, "") != writer:
            return None
        if not _is_indented(text):
            return None if text.rstrip().endswith(":") else above
    return None


def _is_indented(text: str) -> bool:
    return text[:2] == "  " or text[:1] == "\t"
