"""Near misses: records that are like an event and yet do not match it, and what differs.

Words are compared, not meanings: of the fixed text of a record's message so much must stand in
the event's. What stands where the record has a hole is no difference. What is found so is
never called a match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from errdex import lazy_re as re
from errdex.matching.model import Event
from errdex.matching.patterns.weight import weigh
from errdex.matching.ranking.answer import NearMiss, RecordFacts
from errdex.matching.ranking.comparison import (
    family,
    language_of_file,
    last_part,
    same_class,
)
from errdex.matching.ranking.evidence import is_of_tool
from errdex.records.messages.holes import LiteralText, parse_message

_WORD = re.compile(r"\w+(?:[.'-]\w+)*")
_LABEL = re.compile(r"(?:[\w.$]*(?:[Ee]rror|ERROR|Exception|[Ff]atal|FATAL|panic)(?:\[\w+\])?: )+")
"""What a record may name before the message proper, as the event does apart from it."""
_COMPARED = 1_000
"""Characters of a message that are compared."""
_SHARE, _WEIGHT, _COMMON_WORDS = 0.5, 6.0, 2
_ELSEWHERE_SHARE = 0.85
"""The share of the words of a record of another language or tool."""
_CUT, _CUT_WEIGHT = ("…", "..."), 12.0
"""How a message ends that somebody shortened, and the weight of what is left that says enough."""
_WORDS_SHOWN = 8
_REPORTED, _QUOTED = 2, 60


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a message and its place there; `text` is None for a hole of a record."""

    text: str | None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class _Difference:
    """Words of the record, words of the event in their place; either may be none."""

    theirs: Sequence[_Word]
    ours: Sequence[_Word]
    around: bool = False
    """Only more text before or behind all that is compared."""


def near_miss(event: Event, record: RecordFacts) -> NearMiss | None:
    """What differs between an event and a record that is like it; None when it is not."""
    said = event.message[:_COMPARED]
    cut = said.rstrip().endswith(_CUT)
    theirs, ours = list(_words_of_record(record.error_message)), list(_words(said))
    if cut and ours and said[ours[-1].end :].strip() in _CUT:
        ours.pop()  # it may be half a word
    matcher = SequenceMatcher(
        None, [word.text for word in theirs], [word.text for word in ours], autojunk=False
    )
    blocks = matcher.get_matching_blocks()
    common = [
        theirs[at].text or "" for block in blocks for at in range(block.a, block.a + block.size)
    ]
    if cut and common:
        end = max(block.a + block.size for block in blocks if block.size)
        theirs = theirs[:end]
        matcher.set_seq1([word.text for word in theirs])
    fixed = [word.text for word in theirs if word.text]
    shared, whole = weigh(" ".join(common)), weigh(" ".join(fixed))
    if not whole or shared < (_CUT_WEIGHT if cut else _WEIGHT):
        return None
    if shared / whole < (_SHARE if _may_be_one(event, record) else _ELSEWHERE_SHARE):
        return None
    if len(common) < min(_COMMON_WORDS, len(fixed)):
        return None
    differences = list(_differences(matcher, theirs, ours))
    differences = [each for each in differences if not each.around] or differences
    why = _why(event, record, differences, cut=cut)
    missing = [_cut(record.error_message, word) for each in differences for word in each.theirs]
    other = [_cut(said, word) for each in differences for word in each.ours]
    likeness = shared / (whole + weigh(" ".join(other)))
    shown = tuple(missing[:_WORDS_SHOWN]), tuple(other[:_WORDS_SHOWN])
    return NearMiss(record, *shown, why, likeness)


def _may_be_one(event: Event, record: RecordFacts) -> bool:
    """Whether an event can be of the record's language and tool."""
    theirs = family(record.language) or language_of_file(record.file_path)
    if event.language.startswith("tool:"):
        return theirs is None or is_of_tool(event, record)
    ours = family(event.language)
    return not (ours and theirs) or ours == theirs


def contradicted(record: RecordFacts, words: str) -> NearMiss:
    """A record whose pattern was found, while something else speaks against it."""
    return NearMiss(record, (), (), f"The message fits, but {words}.")


def _words(text: str, start: int = 0, end: int = _COMPARED) -> Iterator[_Word]:
    for found in _WORD.finditer(text, start, end):
        yield _Word(found.group().lower(), *found.span())


def _words_of_record(message: str) -> Iterator[_Word]:
    message = message[:_COMPARED]
    label = _LABEL.match(message)
    begin = label.end() if label else 0
    at = 0
    for part in parse_message(message):
        end = at + len(part.source)
        if not isinstance(part, LiteralText):
            yield _Word(None, at, end)
        elif end > begin:
            yield from _words(message, max(at, begin), end)
        at = end


def _differences(
    matcher: SequenceMatcher[str | None], theirs: Sequence[_Word], ours: Sequence[_Word]
) -> Iterator[_Difference]:
    """Where the two differ, other than by what fills a hole."""
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        fixed, said = _opposite(theirs[first:last], ours[start:end])
        beside = theirs[max(0, first - 1) : last + 1]
        if kind == "insert" and any(word.text is None for word in beside):
            continue
        if fixed or said:
            around = not fixed and (start == 0 or end == len(ours))
            yield _Difference(fixed, said, around)


def _opposite(
    theirs: Sequence[_Word], ours: Sequence[_Word]
) -> tuple[list[_Word], Sequence[_Word]]:
    """The fixed words of a stretch, and the event's words that stand in their place: without a
    hole all of them, with one only where as many words stand opposite."""
    fixed = [word for word in theirs if word.text]
    if len(fixed) == len(theirs):
        return fixed, ours
    if len(theirs) == len(ours):
        return fixed, [mine for word, mine in zip(theirs, ours, strict=True) if word.text]
    return fixed, ()


def _described(differences: Sequence[_Difference], record: str, said: str) -> Iterator[str]:
    """The first differences in words: replaced ones, then what one side alone says."""
    shown = differences[:_REPORTED]
    for each in shown:
        if each.theirs and each.ours:
            ours, theirs = _quoted(said, each.ours), _quoted(record, each.theirs)
            yield f"the record says {_listed(theirs)} where the paste says {_listed(ours)}"
    lacks = [text for each in shown if not each.ours for text in _quoted(record, each.theirs)]
    adds = [text for each in shown if not each.theirs for text in _quoted(said, each.ours)]
    if lacks:
        yield f"the paste lacks {_listed(lacks)}"
    if adds:
        yield f"the paste adds {_listed(adds)}"
    more = len(differences) - _REPORTED
    if more > 0:
        yield f"{more} more {'place differs' if more == 1 else 'places differ'}"


def _quoted(text: str, words: Sequence[_Word]) -> list[str]:
    """Neighbouring words as they stand in a text, with the signs between them."""
    runs: list[list[_Word]] = []
    for word in words:
        if runs and not _WORD.search(text, runs[-1][-1].end, word.start):
            runs[-1].append(word)
        else:
            runs.append([word])
    return [f"“{_short(text[run[0].start : run[-1].end])}”" for run in runs]


def _listed(texts: Sequence[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if texts[1:] else texts)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _QUOTED else text[:_QUOTED].rstrip() + "…"


def _cut(text: str, word: _Word) -> str:
    return text[word.start : word.end]


def _why(
    event: Event, record: RecordFacts, differences: Sequence[_Difference], *, cut: bool
) -> str:
    said = list(_described(differences, record.error_message, event.message))
    theirs, ours = record.error_class, event.error_class
    if theirs and ours and not same_class(theirs, ours):
        words = f"the record's class is {last_part(theirs)}, the paste's {last_part(ours)}"
        said.append(words)
    if cut:
        said.append("the paste's message is cut off")
    sentence = "; ".join(said) or "the words are the same, but not the signs between them"
    return f"{sentence[0].upper()}{sentence[1:]}."
