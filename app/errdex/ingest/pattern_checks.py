"""What an ingestion asks of a record beyond its form: that its pattern works."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from errdex import lazy_re as re
from errdex.matching.patterns.generality import SPECIFIC, check_generality
from errdex.matching.patterns.pattern import Pattern, PatternRefused, compile_pattern
from errdex.matching.patterns.weight import weigh
from errdex.records.model import Record
from errdex.records.problems import Problem, shown

_HOLE = r"\(\.[+*]\??\)|\(\[\+-\]\?\\d\+\)"
_ESCAPED = r"\\[!-/:-@\[-`{-~]"
_PLAIN = re.compile(rf"(?:[^\\\[\](){{}}*+?|^$\x00\ud800-\udfff]|{_ESCAPED}|{_HOLE}){{1,1000}}")
"""Text, escaped signs and the holes of derived patterns: nothing for RE2 to refuse."""
_GAPS = re.compile(_HOLE)


@lru_cache(maxsize=8)
def compile_once(source: str) -> Pattern:
    """As `compile_pattern`, once for all that is asked of a record in turn."""
    return compile_pattern(source)


def find_problems(record: Record) -> list[Problem]:
    """What is wrong with the record's pattern and samples; empty when nothing is.

    The pattern compiles under RE2, would not match nearly anything, matches each of
    `samples` and none of `counterSamples`.
    """
    if not record.samples and not record.counter_samples and _is_surely_good(record.pattern):
        return []
    try:
        pattern = compile_once(record.pattern)
        check_generality(pattern, record.error_class)
    except PatternRefused as refusal:
        return [_pattern_problem(record, refusal)]
    return list(_sample_problems(record, pattern))


def _is_surely_good(source: str) -> bool:
    """Whether a pattern is as harmless as most are, so that compiling it would find nothing.

    Thousands of records are ingested at once, and compiling takes 30 times as long. That
    nothing gets in this way which is refused otherwise is held by a test.
    """
    if not _PLAIN.fullmatch(source):
        return False
    # Signs and the backslashes before them weigh nothing.
    return weigh(_GAPS.sub("\n", source)) >= SPECIFIC


def _pattern_problem(record: Record, refusal: PatternRefused) -> Problem:
    if record.message_pattern is not None:
        reason = f"{shown(refusal.construct)}: {refusal.reason}"
        return Problem("messagePattern", reason, refusal.remedy)
    reason = f"the pattern derived from it, {shown(record.pattern)}, cannot be used: "
    return Problem(
        "errorMessage",
        reason + refusal.reason,
        f"{refusal.remedy}, or give the record a messagePattern of its own",
    )


def _sample_problems(record: Record, pattern: Pattern) -> Iterator[Problem]:
    for place, sample in enumerate(record.samples or ()):
        if pattern.search(sample) is None:
            yield Problem(
                f"samples[{place}]",
                f"{shown(sample)} is not matched by the pattern {shown(record.pattern)}",
                "correct messagePattern, or put the text that the program really prints",
            )
    for place, sample in enumerate(record.counter_samples or ()):
        if pattern.search(sample) is not None:
            yield Problem(
                f"counterSamples[{place}]",
                f"{shown(sample)} is matched by the pattern {shown(record.pattern)}",
                "make messagePattern more exact, or take the text out of counterSamples",
            )
