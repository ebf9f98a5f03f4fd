"""From candidates to matches: points added up, best first, what is equal in one group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from errdex import lazy_re as re
from errdex.matching.events import is_symptom
from errdex.matching.model import Event
from errdex.matching.patterns.pattern import PatternMatch, Traits
from errdex.matching.patterns.weight import WEAK_BELOW, count_characters, weigh
from errdex.matching.ranking.answer import Capture, Evidence, Kind, Match, NearMiss, RecordFacts
from errdex.matching.ranking.earned import counts_as_match
from errdex.matching.ranking.evidence import TOOL, Fit, Said, weigh_evidence
from errdex.matching.ranking.near_misses import contradicted
from errdex.matching.ranking.places import at_named_place
from errdex.matching.ranking.searched_texts import PlacedText, fit_in, place_in
from errdex.matching.reading import Paste
from errdex.records.messages.derived_pattern import group_names

_SHOWN = 10
"""Matches of one event that are given."""
_FAR_BEHIND = 30.0
"""Points behind the best from which a match is not worth showing."""
_CONTRADICTED = 3
_WEIGHED = 2_000
_MORE, _MORE_LENGTH, _MORE_WEIGHT = 2, 8, 4.0
_COMPARED, _BEHIND, _NAMED = 20, 0.1, 4.0
_SAME_MESSAGE = 0.5
"""Share of a harvested message's weight from which on a record that explains is about it: with
92,000 harvested records the 3,141 samples of the starter records keep their first record."""
_BEGINNING = 6
"""Characters of a beginning that are compared."""
_SAME_BEGINNING = 12.0
"""Weight of a beginning that says what the message is about."""
_WORLD = frozenset({Kind.CLASS, Kind.CODE, Kind.LANGUAGE})
_CARRIED = 0.6
"""Share of a match in one hole from which on a record of few words is another error's wrapper."""
_INSIDE = 5.0
"""Weight of a message that is meant though it stands in another record's hole."""
_OWN = 9.0
"""Weight of a word that with what follows it is more than plain language (`getaddrinfo …`)."""
_HOLE = re.compile(r"\{[^{}]*\}")
_LONG_WORD = re.compile(r"[^\W\d_]{2,}")
_WORDS = re.compile(r"\w+")
_PLAIN_WORD = re.compile(r"[A-Za-z]?[a-z]+[.!]?")
_CAPTURE = 2_000
"""Characters of a capture that are given."""


class Candidate(NamedTuple):
    """A pattern's best place in an event."""

    text: PlacedText
    place: PatternMatch
    said: Said
    fit: Fit

    @property
    def matched(self) -> str:
        """The text that the pattern takes."""
        return self.text.text[slice(*self.place.span)]

    @property
    def own_words(self) -> str:
        """What of the message itself stands outside of the holes."""
        at, words = max(self.place.span[0], self.text.start), ""
        for group in sorted(span for span in self.place.groups if span is not None):
            words += self.text.text[at : group[0]] + "\n"
            at = max(at, group[1])
        return (words + self.text.text[at : self.place.span[1]])[:_WEIGHED]

    @property
    def carries(self) -> bool:
        """Whether holes took most of what was matched, between words that say little."""
        if weigh(self.own_words) >= WEAK_BELOW:
            return False
        taken = sum(end - start for start, end in filter(None, self.place.groups))
        start, end = self.place.span
        return taken > _CARRIED * (end - max(start, self.text.start))

    def begins_with(self, other: Candidate) -> bool:
        """Whether both begin at one place of the message, with words of their own."""
        starts = {max(0, each.place.span[0] - each.text.start) for each in (self, other)}
        return len(starts) == 1 and not (self.said.led or other.said.led)

    def is_carried_by(self, other: Candidate) -> bool:
        """Whether a hole of the other took all that this one takes."""
        matched = self.matched[:_WEIGHED]
        holes = filter(None, other.place.groups)
        return any(matched in other.text.text[slice(*hole)][:_WEIGHED] for hole in holes)

    def is_behind(self, other: Candidate) -> bool:
        """Whether all of this stands behind the other's last words, in one text."""
        return self.text == other.text and self.place.span[0] >= other.place.span[1]

    def takes_more_than(self, other: Candidate) -> bool:
        """Whether holes took something here, and nothing in the other."""
        mine, theirs = self.place.groups, other.place.groups
        return any(span is not None for span in mine) and all(span is None for span in theirs)


Candidates: TypeAlias = dict[str, Candidate]
"""The best place of each record's pattern, by its id."""


def candidate(text: PlacedText, place: PatternMatch, traits: Traits) -> Candidate:
    """What a pattern's place in a text says."""
    said = _said(text.text, place, traits)
    return Candidate(text, place, said, fit_in(text.text, text.start, place, said.length))


def _said(text: str, place: PatternMatch, traits: Traits) -> Said:
    """A pattern's traits describe the least that it says, of several alternatives the shortest.
    This match may have more, between its groups; how much more of that is fixed text is not
    known, so that it counts within bounds."""
    shown = said_of(text, place)
    weight, length = traits.literal_weight, traits.literal_length
    return shown._replace(
        length=max(length, min(shown.length, _MORE * length + _MORE_LENGTH)),
        weight=max(weight, min(shown.weight, _MORE * weight + _MORE_WEIGHT)),
        word=shown.word and not (place.groups and weight > _OWN),
        respelled=_is_respelled(traits.source, _fixed(text, place)),
    )


def said_of(text: str, place: PatternMatch) -> Said:
    """What a text has around the holes of a place in it."""
    fixed = _fixed(text, place)
    return Said(
        count_characters(fixed),
        weigh(fixed),
        _PLAIN_WORD.fullmatch(fixed.strip()) is not None,
        sum(1 for piece in fixed.split("\n") if any(map(str.isalpha, piece))),
        any(span is not None and span[0] == place.span[0] < span[1] for span in place.groups),
        len(_LONG_WORD.findall(fixed)),
    )


def _fixed(text: str, place: PatternMatch) -> str:
    """The text between a place's holes, a line each."""
    fixed, at = "", place.span[0]
    for group in sorted(span for span in place.groups if span is not None):
        if group[0] >= at:
            fixed += text[at : group[0]] + "\n"
            at = group[1]
    return (fixed + text[at : place.span[1]])[:_WEIGHED]


def _is_respelled(source: str, fixed: str) -> bool:
    """Whether a text begins like a pattern but for the case of the first letter."""
    written, shown = source[:_BEGINNING], fixed[:_BEGINNING]
    return written[:1] != shown[:1] == written[:1].swapcase() and shown not in source


class _Order(NamedTuple):
    """What puts one match before another, the weightiest first; less comes first."""

    lost: float
    """The points, negative."""
    text: int
    """Characters of fixed text, negative: more of the message beats less of it."""
    respelled: bool
    """Whether its first letter is in the other case."""


class _Weighed(NamedTuple):
    """A match in its order."""

    order: _Order
    key: str
    evidence: tuple[Evidence, ...]
    candidate: Candidate
    explained: bool
    repo: str
    symptom: bool
    """Whether the record is of what says only that something failed."""
    says_little: bool
    """Whether its message has hardly a word outside of the holes."""

    @property
    def placed(self) -> bool:
        """Whether the record is of the file that raised."""
        return any(each.kind is Kind.FILE and each.points > 0 for each in self.evidence)

    @property
    def named(self) -> bool:
        """Whether class or code agree."""
        kinds = (Kind.CLASS, Kind.CODE)
        return any(each.kind in kinds and each.points >= _NAMED for each in self.evidence)

    @property
    def of_tool(self) -> bool:
        """Whether the record's own tool printed the error."""
        return any(each.kind is Kind.PACKAGE and each.points >= TOOL for each in self.evidence)

    @property
    def contradicted(self) -> bool:
        """Whether anything speaks against it."""
        return any(each.points < 0 for each in self.evidence)

    @property
    def other_world(self) -> bool:
        """Whether class, code or language are others."""
        return any(each.points < 0 and each.kind in _WORLD for each in self.evidence)

    @property
    def other_language(self) -> bool:
        """Whether the error comes from another language."""
        return any(each.points < 0 and each.kind is Kind.LANGUAGE for each in self.evidence)

    @property
    def project(self) -> str:
        """The name of the record's project."""
        return self.repo.rpartition("/")[2].lower().replace("-", "_")


def _weighed(record: RecordFacts, evidence: tuple[Evidence, ...], candidate: Candidate) -> _Weighed:
    score = round(sum(each.points for each in evidence), 1)
    order = _Order(-score, -candidate.said.length, candidate.said.respelled)
    symptom = is_symptom(record.error_class, record.error_message)
    says_little = weigh(_HOLE.sub("\n", record.error_message)) < WEAK_BELOW
    return _Weighed(
        order, record.id, evidence, candidate, record.explained, record.repo, symptom, says_little
    )


def _put_more_first(weighed: list[_Weighed]) -> None:
    """Of the best matches, put one that has more of the message before one that has a part of
    what it takes or a hole in place of its words, and one that is of the error itself before
    one whose hole carries it; unless it is contradicted, or the other is of the file that
    raised."""
    explained = [each for each in weighed[_COMPARED:] if each.explained]
    head = [*weighed[:_COMPARED], *explained[:_COMPARED]]
    for at, less in enumerate(head):
        better = (
            more.order.lost
            for more in head
            if more.order > less.order
            and (
                _explains(more, less)
                or _is_inside(more, less)
                or (not (less.placed or more.contradicted) and _is_more(more, less))
            )
        )
        behind = max(better, default=None)
        if behind is not None:
            head[at] = less._replace(order=less.order._replace(lost=behind + _BEHIND))
    others = [each for each in weighed[_COMPARED:] if each not in explained[:_COMPARED]]
    weighed[:] = [*sorted(head, key=_in_order), *others]


def _explains(more: _Weighed, less: _Weighed) -> bool:
    """Whether a record that explains the error is about the same message as one that does not:
    both are of one project, it begins the message with telling words or as the other does, is
    about what the other's hole carries, or spells out no less than half as much. One of another
    project needs its class or code where the other is of the file that raised."""
    one, other = more.candidate, less.candidate
    if less.explained or not more.explained:
        return False
    if more.project == less.project and (one.fit.entire or one.fit.clause or one.fit.begins):
        return True
    if one.is_carried_by(other) and not more.other_language:
        return True
    if one.carries or (less.placed and not more.named):
        return False
    same = one.said.weight >= _SAME_MESSAGE * other.said.weight
    if more.other_world:
        return same and one.fit[:3] >= other.fit[:3] and not more.other_language
    if same:
        return True
    if one.said.weight >= _SAME_BEGINNING and one.fit.begins and not one.said.led:
        return True
    return one.fit.entire and one.begins_with(other)


def _is_inside(more: _Weighed, less: _Weighed) -> bool:
    """Whether a record is of the message that another one, whose words are only around it, carries
    in a hole, or of what stands behind the words that something failed. Class and code are the
    wrapper's there, and do not speak against it."""
    one, other = more.candidate, less.candidate
    if one.carries or more.symptom or less.of_tool:
        return False
    wraps = other.carries and less.says_little and one.is_carried_by(other)
    if not (wraps or (less.symptom and one.is_behind(other))):
        return False
    if not (one.fit.clause or one.fit.entire or one.fit.begins) or one.fit.torn:
        return False
    return one.said.weight >= (_INSIDE if more.explained else _SAME_BEGINNING)


def _is_more(more: _Weighed, less: _Weighed) -> bool:
    one, other = more.candidate, less.candidate
    if _is_inside(less, more):
        return False
    if _explains(less, more) or (less.explained and not (more.explained or more.named)):
        return False
    if other.carries and not one.carries:
        return more.named
    if one.said.length > other.said.length and other.matched in one.matched:
        return True
    return one.fit.whole and other.fit.whole and other.takes_more_than(one)


def _in_order(each: _Weighed) -> tuple[_Order, bool, str]:
    """Of equal matches, those that explain the error come first."""
    return each.order, not each.explained, each.key


class MatchBuilder:
    """Makes matches of candidates, for one paste and the records found in it. `patterns` is how
    many are searched for."""

    def __init__(self, paste: Paste, records: Mapping[str, RecordFacts], *, patterns: int) -> None:
        self.paste = paste
        self.records = records
        self.patterns = patterns

    def build(
        self,
        record: RecordFacts,
        candidate: Candidate,
        evidence: tuple[Evidence, ...],
        score: float,
        group: int,
    ) -> Match:
        """The match with its place and captures in the paste."""
        text = candidate.text
        names = _names(record.pattern, record.error_message)
        captures = tuple(
            Capture(
                name,
                text.text[span[0] : min(span[1], span[0] + _CAPTURE)],
                span[1] - span[0],
                place_in(self.paste, text.pieces, span),
            )
            for name, span in zip(names, candidate.place.groups, strict=False)
            if span is not None
        )
        place = place_in(self.paste, text.pieces, candidate.place.span)
        return Match(record, score, group, evidence, captures, place)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The matches of an event, best first, how many more there are, and what was contradicted."""

    matches: tuple[Match, ...]
    left_out: int
    contradicted: tuple[NearMiss, ...]


def ranked(builder: MatchBuilder, event: Event, candidates: Mapping[str, Candidate]) -> Ranked:
    """Weigh the candidates of an event, and put those that count in order."""
    weighed: list[_Weighed] = []
    refused: list[NearMiss] = []
    placed: dict[str, RecordFacts] = {}
    for key, candidate in candidates.items():
        record = builder.records.get(key)
        if record is None:
            continue
        record = placed[key] = at_named_place(event, record)
        evidence = weigh_evidence(event, record, candidate.said, candidate.fit)
        said, fit = candidate.said, candidate.fit
        if counts_as_match(event, record, evidence, said, fit, patterns=builder.patterns):
            weighed.append(_weighed(record, evidence, candidate))
        elif not candidate.said.weak:
            against = next((each.words for each in evidence if each.points < 0), None)
            if against:
                refused.append(contradicted(record, against))
    weighed.sort(key=_in_order)
    _put_more_first(weighed)
    matches: list[Match] = []
    group, last = 0, None
    for each in weighed[:_SHOWN]:
        if each.order.lost > weighed[0].order.lost + _FAR_BEHIND:
            break
        if each.order != last:
            group, last = group + 1, each.order
        record = placed[each.key]
        score = round(sum(one.points for one in each.evidence), 1)
        matches.append(builder.build(record, each.candidate, each.evidence, score, group))
    return Ranked(tuple(matches), len(weighed) - len(matches), tuple(refused[:_CONTRADICTED]))


@lru_cache(maxsize=4096)
def _names(pattern: str, message: str) -> tuple[str, ...]:
    return tuple(group_names(pattern, message))
