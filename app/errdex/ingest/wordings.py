"""What else a record's message reads like: the alternatives of its pattern, and its samples.

Search finds a record by these too. Of a sample only the line that the pattern matches counts:
the rest is what the tool prints around any error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errdex.ingest.pattern_checks import compile_once
from errdex.matching.patterns.refusal import PatternRefused
from errdex.matching.patterns.regex.parser import parse_regex
from errdex.matching.patterns.regex.syntax_tree import (
    Alternate,
    Assertion,
    CharClass,
    Concat,
    Group,
    Node,
    Repeat,
    Space,
    Text,
)
from errdex.records.messages.derived_pattern import derive_pattern

LONGEST_WORDING = 400
"""Characters of a wording."""
_MOST_SAMPLES = 20
_GAP = "\n"


def list_wordings(message: str, pattern: str | None, samples: Sequence[str]) -> list[str]:
    """The wordings of a record, each once; none of one whose pattern is refused. `pattern` is
    None where the record leaves it to be derived from the message."""
    found: dict[str, None] = {}
    try:
        if pattern is not None:
            texts = _fixed_text(parse_regex(pattern)).split(_GAP)
            found.update((text.strip()[:LONGEST_WORDING], None) for text in texts)
        if samples:
            lines = _matched_lines(pattern or derive_pattern(message), samples)
            found.update((line, None) for line in lines)
    except PatternRefused:
        return []
    return [text for text in found if text]


def _fixed_text(node: Node) -> str:
    """The text that a pattern's matches have in them, with gaps where anything may be. The
    parser bounds how deep a pattern is."""
    match node:
        case Text(value, _):
            return value
        case Space():
            return " "
        case CharClass(_, _, members):
            return members[0] if members else _GAP
        case Assertion():
            return ""
        case Group(item) | Repeat(item):
            return _fixed_text(item)
        case Concat(items):
            return "".join(map(_fixed_text, items))
        case Alternate(branches):
            return _GAP + _GAP.join(map(_fixed_text, branches)) + _GAP
    return _GAP


def _matched_lines(pattern: str, samples: Sequence[str]) -> Iterator[str]:
    """For each sample, the line in which its match begins, or all lines of a short match."""
    compiled = compile_once(pattern)
    for sample in samples[:_MOST_SAMPLES]:
        match = compiled.search(sample)
        if match is not None:
            start, end = match.span
            start = sample.rfind("\n", 0, start) + 1
            end = sample.find("\n", end)
            text = sample[start : end if end >= 0 else len(sample)]
            yield " ".join(text.split())[:LONGEST_WORDING]
