"""Whether a record whose pattern was found may be called known: that must be earned.

The less of a message a pattern takes, the more its text must say. A pattern that says little
needs something else that agrees, unless it takes all that was said and spells out most of it.
In another world (another language and another class, another code of the same tool) nothing is a
match.

What was only harvested must earn more, since there is so much of it: a place in source that
raises or logs is one of thousands, written for people who see its class, its file or its package
beside it. Where the paste shows none of these, the text alone must be enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

from errdex.matching.model import Event
from errdex.matching.ranking.answer import Evidence, Kind, RecordFacts
from errdex.matching.ranking.comparison import (
    family,
    is_base,
    is_of_runtime,
    language_of_file,
    path_parts,
)
from errdex.matching.ranking.evidence import LIKELY_FILE, MEANT, SAME_CLASS, WRONG_CODE, Fit, Said
from errdex.records.error_types import APART

# The constants were set so that every sample of the starter records and every paste of
# tests/cases/answers keeps its record. Those of harvested records were set between two
# measurements: the programs of tests/harvest that really fail, whose records are the only ones
# there and print no class, and 114,000 records beside the starter's, with which no line of the
# healthy programs of `bench.quality` has a match.
_SUPPORTS = 4.0
"""Points from which a class, a code or a file lets a pattern count that says little."""
_SUPPORTING = frozenset({Kind.CLASS, Kind.CODE, Kind.FILE, Kind.PACKAGE})
_SPELLED_OUT, _SPELLED_LENGTH = 0.5, 8
"""Share and characters of a message that a pattern of common words must spell out."""
_BEGINNING = 0.6
"""Share of a line from which on a match at its beginning counts like a clause."""
_MOSTLY_HOLES = 0.3
"""Share of fixed text below which a hole in front took what the pattern was not written for."""
_HARVESTED_WHOLE, _HARVESTED_LED, _HARVESTED_MUCH = 5.0, 12.0, 20.0
_HARVESTED_LAST = 12.0
"""Weight that a place in source needs where nothing else agrees: as a whole message of the same
kind, as one that a hole begins, otherwise, and as what another error wraps. `could not resolve
{name}` weighs 9, `Operation not permitted` 19, `file already closed` 14."""
_WRAPPING = frozenset({"go", "rust"})
"""Languages whose errors are passed on behind a colon: `close /tmp/a: file already closed`."""
_FORMS_OF_MANY = frozenset({"shell", "tool:git"})
"""A name and a colon are a shell's form, and `error: …` is git's: programs in any language print
the same."""
_FEW_PATTERNS = 8_000
"""Patterns up to which that is enough; with each doubling beyond, one of them is twice as likely
to fit by accident, and a whole message needs one more."""
_RESPELLED = 12.0
"""Weight of text whose first letter is in the other case: `failed to resolve: {x}` weighs 9."""
_FOREIGN = 12.0
"""Weight of text that libraries of one language show in programs of another."""
_CLAUSE, _PART_TELLS = 5.0, 9.0
"""Weight that a whole clause of a message needs, and a part of one."""
_ENOUGH_WORDS = 3
_ENTIRE_AGAINST, _CLAUSE_AGAINST, _PART_AGAINST = 9.0, 10.0, 18.0
"""The same where class or code contradict."""


def is_harvested(record: RecordFacts) -> bool:
    """Whether a record is of a place in source and does not say what helps."""
    return not record.explained and bool(record.error_class or record.file_path)


def says_enough(said: Said, fit: Fit) -> bool:
    """Whether a pattern of common words is all that was said, in words enough that it is no
    accident."""
    if not fit.whole or said.led or said.length < _SPELLED_LENGTH:
        return False
    return fit.fixed >= _SPELLED_OUT or said.words >= _ENOUGH_WORDS - (0 if said.weak else 1)


def counts_as_match(
    event: Event,
    record: RecordFacts,
    evidence: tuple[Evidence, ...],
    said: Said,
    fit: Fit,
    *,
    patterns: int,
) -> bool:
    """Whether the evidence makes a match of a record whose pattern was found in an event, as one
    of so many patterns."""
    points = {kind: sum(each.points for each in evidence if each.kind is kind) for kind in Kind}
    against = points[Kind.CLASS] < 0 or points[Kind.CODE] < 0
    # A program's name before its message is a shell's form, and that of programs in any language.
    foreign = points[Kind.LANGUAGE] < 0 and event.language != "shell"
    if fit.torn or points[Kind.CODE] <= WRONG_CODE or (foreign and points[Kind.CLASS] < 0):
        return False
    supporting = _SUPPORTING - ({Kind.CLASS} if foreign else set())
    support = any(points[kind] >= _SUPPORTS for kind in supporting)
    if is_harvested(record):
        if record.error_type in APART and points[Kind.FILE] < LIKELY_FILE:
            return False
        support = _is_supported(event, record, points, said, foreign=foreign)
        differs = against or foreign
        if not support and not _tells_alone(
            event, record, said, fit, differs=differs, patterns=patterns
        ):
            return False
    if not support and _is_accident(said, fit, foreign=foreign):
        return False
    if said.weak:
        spelled_out = fit.fixed >= _SPELLED_OUT and said.length >= _SPELLED_LENGTH
        enough = support or spelled_out or says_enough(said, fit)
        return fit.entire and not against and enough
    if fit.entire:
        needed = _ENTIRE_AGAINST if against else 0.0
    elif fit.clause or (fit.begins and fit.share >= _BEGINNING):
        needed = _CLAUSE_AGAINST if against else _CLAUSE
    else:
        needed = _PART_AGAINST if against else _PART_TELLS
    return said.weight >= needed or (support and not against)


def _is_accident(said: Said, fit: Fit, *, foreign: bool) -> bool:
    """Whether text may be like a pattern's by accident, where nothing but the text agrees."""
    if said.respelled and said.weight < _RESPELLED:
        return True
    if said.word and fit.fixed < 1:
        return True
    if foreign and not (fit.entire and said.weight >= _FOREIGN):
        return True
    return said.led and fit.fixed < _MOSTLY_HOLES and said.weight < MEANT


def _is_supported(
    event: Event,
    record: RecordFacts,
    points: Mapping[Kind, float],
    said: Said,
    *,
    foreign: bool,
) -> bool:
    """Whether something besides the text speaks for a harvested record. Beside hardly any text
    the class of a language's own library does not speak for a place in somebody's source:
    everybody's code raises it. Nor does the package beside a single word (`Error: {message}`)."""
    same_class = points[Kind.CLASS] >= SAME_CLASS and not foreign and _is_own(event, record)
    of_runtime = bool(record.file_path) and is_of_runtime(event.error_class or "")
    if of_runtime and (said.weight < _HARVESTED_WHOLE or said.respelled):
        same_class = False
    file = LIKELY_FILE if said.weak else _SUPPORTS
    package = said.words > 1 and points[Kind.PACKAGE] >= _SUPPORTS
    return same_class or package or points[Kind.FILE] >= file or points[Kind.CODE] >= _SUPPORTS


def _is_own(event: Event, record: RecordFacts) -> bool:
    """Whether a class can be the record's by the package that qualifies it, as Python shows it."""
    package, dot, _ = (event.error_class or "").partition(".")
    if not (dot and record.file_path and record.language == "python") or is_of_runtime(package):
        return True
    project = record.repo.rpartition("/")[2].lower().replace("-", "_")
    return package.lower() == project or package in path_parts(record.file_path)


def _tells_alone(
    event: Event, record: RecordFacts, said: Said, fit: Fit, *, differs: bool, patterns: int
) -> bool:
    """Whether the text of a harvested record is enough by itself. That of a place in source is not
    when the paste shows a class of which the record's is only a kind; where class, code, language
    or tool differ, or the text is a part of what was said, it takes much. `differs`: whether class,
    code or language contradict."""
    if not record.file_path:
        enough = fit.entire and not said.led
        return said.weight >= (MEANT if enough else _HARVESTED_MUCH)
    ours, theirs = event.error_class, record.error_class
    if ours and theirs and is_base(ours, theirs):
        return False
    same_class = not ours or bool(theirs) or fit.over_class
    entire = fit.entire or (fit.last and record.language in _WRAPPING and not said.led)
    alike = entire and not differs and same_class
    if not (alike and _may_print(event, record) and _is_own(event, record)):
        return said.weight >= _HARVESTED_MUCH
    if said.led:
        return said.weight >= _HARVESTED_LED
    doublings = log2(max(1.0, patterns / _FEW_PATTERNS))
    return said.weight >= (_HARVESTED_WHOLE if fit.entire else _HARVESTED_LAST) + doublings


def _may_print(event: Event, record: RecordFacts) -> bool:
    """Whether an error's tool or language can be the record's; a record whose tool it is has its
    package as support."""
    if event.language in _FORMS_OF_MANY:
        return True
    if event.language.startswith("tool:"):
        return False
    ours = family(event.language)
    theirs = family(record.language) or language_of_file(record.file_path)
    return not (ours and theirs) or ours == theirs
