"""Messages whose end was cut off: by a terminal's width, a log's limit, or a person's quotation.

What is left must be the beginning of a record's message, up to the last letter, and say enough
by itself. A record is a match only when no other one of those that are most like the
event begins so too: otherwise only the missing end could tell which one it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from errdex import lazy_re as re
from errdex.matching.patterns.pattern import PatternMatch, compile_beginning, without_marks
from errdex.matching.ranking.answer import Match, NearMiss, RecordFacts
from errdex.matching.ranking.scoring import Candidate, Candidates, Ranked, said_of
from errdex.matching.ranking.searched_texts import PlacedText, fit_in
from errdex.matching.ranking.similar.typed_texts import in_message

_LONGEST = 1_000
"""Characters of a message that are compared."""
_LEAST = 4.5
"""Weight of what is left from which on a record is worth showing."""
_MARKED, _UNMARKED, _WORDS = 8.0, 12.0, 2
"""Weight of what is left that says enough, with a mark of the cut and without one, and words."""
_DISTINCT = 4.0
"""Points by which class or code distinguish records that begin alike."""
_AS_MUCH = 0.8
"""Share of the best record's weight from which on another one begins the same way."""
_END = 80
"""Characters of a text in which the mark of a cut ends it."""
_CUT = re.compile(
    r"\s*(?:\u2026|\.{3,})?\s*(?:(?:\u2026|\.{3,})|[\[(<{]?\s*(?:\u2026|\.{3,})?\s*"
    r"(?:output |message |line )?(?:truncated|snipp?(?:ed)?|cut off|elided|omitted|shortened)\b"
    r"[^\n\])>}]{0,40}[\])>}]?)\s*[\"'`)\]]{0,3}\s*\Z"
)
"""How a text ends that somebody shortened."""
_OPEN = re.compile(
    r"(?:^|[\s(\[{=:,])(?:(?P<quote>['\"])(?:(?!(?P=quote)).)*|`[^`']*|\u2018[^\u2019]*|\u201c[^\u201d]*)\Z"
)
"""A quotation that does not end; a grave accent is closed by an apostrophe as well."""
_CLOSING = {"'": "'", '"': '"', "`": "`'", "\u2018": "\u2019", "\u201c": "\u201d"}
"""What closes a quotation, by what opens it."""


class _Cut(NamedTuple):
    """The beginning of a message, and whether a mark says that it was cut there."""

    text: str
    marked: bool


def is_marked(message: str) -> bool:
    """Whether the first line of a message ends with a mark of what was left out."""
    return any(cut.marked for cut in _cuts(message))


def find_cut(
    texts: Sequence[PlacedText], records: Mapping[str, RecordFacts]
) -> tuple[Candidates, bool]:
    """The records whose message begins with what is left of an event's, in one of its texts: those
    that explain the error, else those that do not; and whether a mark says that it was cut."""
    found: Candidates = {}
    marked = False
    for text in texts:
        for cut in _cuts(text.text):
            said, places = without_marks(cut.text)
            marked |= cut.marked
            if not said.strip() or len(said) > _LONGEST:
                continue
            for key, record in records.items():
                here = _candidate(text, cut, record, said, places)
                if here and here.said.weight >= _LEAST and says_more(here, found.get(key)):
                    found[key] = here
    explained = {key: here for key, here in found.items() if records[key].explained}
    return explained or found, marked


def says_more(here: Candidate, known: Candidate | None) -> bool:
    """Whether a place spells out more than the one that is known."""
    return known is None or here.said.weight > known.said.weight


def only_best(ranked: Ranked, candidates: Candidates, *, marked: bool) -> tuple[Match, ...]:
    """The one match that says enough of a message that was cut, if no other one could be meant as
    well."""
    if not ranked.matches:
        return ()
    best = max(ranked.matches, key=lambda match: candidates[match.record.id].said.weight)
    others = [match for match in ranked.matches if match is not best]
    said = candidates[best.record.id].said
    enough = _MARKED if marked else _UNMARKED
    if said.weight < enough or said.words < _WORDS:
        return ()
    for other in others:
        as_much = candidates[other.record.id].said.weight >= _AS_MUCH * said.weight
        if as_much and other.score > best.score - _DISTINCT:
            return ()
    return (best,)


def may_go_on(record: RecordFacts) -> NearMiss:
    """A record whose message begins so, as one of several."""
    return NearMiss(record, (), (), "The record begins so, but the paste's message is cut off.")


def _cuts(message: str) -> Iterator[_Cut]:
    """What may be left of a message: all of it, or its first line."""
    first = message.partition("\n")[0]
    for text in dict.fromkeys((message, first)):
        mark = _CUT.search(text, max(0, len(text) - _END))
        left = text[: mark.start()] if mark else text
        yield _Cut(left, mark is not None or _OPEN.search(left[-_LONGEST:]) is not None)


def _candidate(
    whole: PlacedText, cut: _Cut, record: RecordFacts, said: str, places: list[int]
) -> Candidate | None:
    text = whole._replace(text=cut.text)
    beginning = compile_beginning(record.pattern)
    found = beginning.pattern.search(said) if beginning else None
    if beginning is None or found is None:
        return None
    place = in_message(found, places)
    if _says_another_end(cut, place):
        return None
    shown = said_of(text.text, place)
    fit = fit_in(text.text, text.start, place, shown.length)
    if fit.torn or not (fit.begins or fit.clause):
        return None
    fit = fit._replace(whole=False, line=False, clause=True, last=False, cut=True)
    return Candidate(text, _own_groups(place, beginning.groups), shown, fit)


def _says_another_end(cut: _Cut, place: PatternMatch) -> bool:
    """Whether the hole at the end of what is left took the end of another message. It took no value
    when it goes on behind a quotation that it begins in, nor when nothing says that the message was
    cut and it has several words: `undefined method 'pay' for nil` is not the beginning of
    `undefined method 'pay' for main`."""
    starts = [span[0] for span in place.groups if span and span[0] < span[1] == place.span[1]]
    if not starts:
        return False
    start = max(starts)
    value = cut.text[start : place.span[1]].strip()
    closing = _CLOSING.get(cut.text[start - 1 : start], "")
    closed = any(mark in value for mark in closing)
    return closed or (not cut.marked and len(value.split()) > 1)


def _own_groups(place: PatternMatch, numbers: tuple[int, ...]) -> PatternMatch:
    """A place with the groups of the whole pattern, None for those that were cut off."""
    spans = {
        number: span
        for number, span in zip(numbers, place.groups, strict=True)
        if number and span is not None
    }
    groups = tuple(spans.get(number) for number in range(1, max(numbers, default=0) + 1))
    return place._replace(groups=groups)
