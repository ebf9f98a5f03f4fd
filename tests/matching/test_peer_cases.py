"""Verdicts of systems that do the same job, on their own patterns and texts.

Each peer applies a pattern in its own way, which is emulated here and nowhere else: a
rule of PyTorch's classifier takes the last line of a cleaned log in which it is found; an
indication of Jenkins matches a line from end to end, or several lines of the log; a
query of elastic-recheck is a phrase of words.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pattern import Pattern, PatternMatch, PatternRefused, compile_pattern

Row = dict[str, Any]
Verdict = tuple[bool, int | None, list[str]]
"""Matched, on which line (1-based; None: not told), and the text of the groups."""

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z ")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_SCCACHE = ("sccache compilation log", "If your build fails")
_NO_MATCH: Verdict = (False, None, [])


@cache
def read_rows(path: Path) -> tuple[Row, ...]:
    return tuple(map(json.loads, path.read_text("utf-8").splitlines()))


@pytest.fixture
def rows(shared: Path) -> tuple[Row, ...]:
    return read_rows(shared / "cases" / "peer_triples.jsonl")


def is_asserted_by_the_peer(row: Row) -> bool:
    return re.search("upstream|recorded", row["evidence"]) is not None


def texts_of(found: PatternMatch, text: str) -> list[str]:
    """What the groups matched, or the whole match of a pattern without groups."""
    return [text[slice(*span)] for span in found.groups or (found.span,) if span]


def verdict_on_line(pattern: Pattern, line: str, number: int) -> Verdict:
    found = pattern.search(line)
    if found is None:
        return _NO_MATCH
    return True, number, texts_of(found, line)


def search_line(row: Row, _: tuple[Row, ...]) -> Verdict:
    return verdict_on_line(compile_pattern(row["pattern"]), row["text"], 1)


def last_line_of_log(row: Row, rows: tuple[Row, ...]) -> Verdict:
    boilerplate = [
        compile_pattern(other["pattern"]) for other in rows if "ignore-list" in other["mode"]
    ]
    pattern, verdict, in_sccache = compile_pattern(row["pattern"]), _NO_MATCH, False
    for number, printed in enumerate(row["text"].split("\n"), 1):
        line = _COLOUR.sub("", _TIMESTAMP.sub("", printed))
        if _SCCACHE[in_sccache] in line:
            in_sccache = not in_sccache
        elif not in_sccache and not any(ignored.search(line) for ignored in boilerplate):
            found = verdict_on_line(pattern, line, number)
            verdict = found if found[0] else verdict
    return verdict


def whole_line(row: Row, _: tuple[Row, ...]) -> Verdict:
    pattern = compile_pattern(rf"(?-sm)^(?:{row['pattern']})$")
    for number, line in enumerate(row["text"].split("\n"), 1):
        found = verdict_on_line(pattern, line, number)
        if found[0]:
            return found
    return _NO_MATCH


def several_lines(row: Row, _: tuple[Row, ...]) -> Verdict:
    pattern = compile_pattern(rf"^[^\r\n]*?{row['pattern']}[^\r\n]*?$")
    found = pattern.search(row["text"])
    if found is None:
        return _NO_MATCH
    line = row["text"].count("\n", 0, found.span[0]) + 1
    return True, line, texts_of(found, row["text"])


def phrase_pattern(phrase: str) -> str:
    words = re.findall(r"\w+(?:[.']\w+)*", phrase)
    return r"(?i)\b" + r"\W+".join(map(re.escape, words)) + r"\b"


def phrases(row: Row, _: tuple[Row, ...]) -> Verdict:
    found = [
        compile_pattern(phrase_pattern(phrase)).search(row["text"]) for phrase in row["phrases"]
    ]
    return (all(found), None, [])


_WAYS: tuple[tuple[str, Callable[[Row, tuple[Row, ...]], Verdict]], ...] = (
    ("search_line", search_line),
    ("whole_log", last_line_of_log),
    ("full_line_matches", whole_line),
    ("multiline_find", several_lines),
    ("standard-analyzer", phrases),
)


def apply(row: Row, rows: tuple[Row, ...]) -> Verdict:
    way = next(way for mode, way in _WAYS if row["mode"].startswith(mode))
    return way(row, rows)


def agrees(row: Row, verdict: Verdict) -> bool:
    matched, line, groups = verdict
    if not matched:
        return not row["should_match"]
    # A line cut out of a log has its number in the log.
    expected_line = line if "\n" not in row["text"] else row.get("expected_line", line)
    return (
        bool(row["should_match"])
        and line == expected_line
        and groups == row.get("captures", groups)
    )


def test_every_verdict_that_a_peer_asserts_agrees(rows: tuple[Row, ...]) -> None:
    disagreeing, refused, agreeing = [], Counter[str](), 0
    for row in filter(is_asserted_by_the_peer, rows):
        try:
            verdict = apply(row, rows)
        except PatternRefused as refusal:
            refused[refusal.reason] += 1
            continue
        agreeing += agrees(row, verdict)
        if not agrees(row, verdict):
            disagreeing.append((row["pattern"], row["text"][:200], verdict))

    assert disagreeing == []
    assert agreeing == 328
    assert refused == {
        "this group is never closed": 2,
        "all of it is optional, so that it would match every text": 2,
    }


def test_a_refused_pattern_is_invalid_for_its_peer_or_matches_everything(
    rows: tuple[Row, ...],
) -> None:
    for row in rows:
        try:
            apply(row, rows)
        except PatternRefused:
            assert row.get("invalid_pattern") or row["pattern"] == ".*"
        else:
            assert not row.get("invalid_pattern")


def test_the_weaker_verdicts_agree_too(rows: tuple[Row, ...]) -> None:
    weaker = [row for row in rows if not is_asserted_by_the_peer(row)]

    assert len(weaker) == 136
    assert [row["pattern"] for row in weaker if not agrees(row, apply(row, rows))] == []


def test_the_engine_gives_the_same_verdicts_in_one_pass(rows: tuple[Row, ...]) -> None:
    lines = [row for row in rows if row["mode"].startswith("search_line")]
    patterns = PatternSet.compile((str(index), row["pattern"]) for index, row in enumerate(lines))

    findings = patterns.find(row["text"] for row in lines)

    found = {(match.unit, match.key) for match in findings.matches}
    assert [(index, str(index)) in found for index in range(len(lines))] == [
        row["should_match"] for row in lines
    ]
    assert findings.complete
