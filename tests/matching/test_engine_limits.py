"""What a search does with odd input: bounds, long texts, patterns that cannot be used."""

from __future__ import annotations

from itertools import count

import pytest

from errdex.matching.patterns import engine
from errdex.matching.patterns.batches import BATCH_CHARACTERS, MAX_PIECE, batches
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pattern import compile_pattern
from errdex.matching.patterns.pattern_search import Findings, Limits


def found(findings: Findings[str]) -> list[tuple[int, str, tuple[int, int]]]:
    return [(match.unit, match.key, match.place.span) for match in findings.matches]


def test_no_patterns_and_no_texts() -> None:
    nothing: PatternSet[str] = PatternSet.compile([])

    assert nothing.find(["disk full"]).matches == []
    assert nothing.find([]).complete
    assert PatternSet.compile([("a", "disk full")]).find([""]).units == 1


def test_a_pattern_that_cannot_be_read_is_named_and_the_others_work() -> None:
    patterns = PatternSet.compile([("bad", "(?=a)b"), ("good", "disk full")])

    assert list(patterns.refused) == ["bad"]
    assert len(patterns) == 1
    assert found(patterns.find(["disk full"])) == [(0, "good", (0, 9))]


def test_a_pattern_that_only_re2_refuses_is_named_when_it_is_first_tried() -> None:
    patterns = PatternSet.compile([("bad", r"disk \p{Klingon}"), ("good", "disk full")])

    assert found(patterns.find(["disk full", "disk full"])) == [
        (0, "good", (0, 9)),
        (1, "good", (0, 9)),
    ]
    assert list(patterns.refused) == ["bad"]


def test_patterns_without_a_literal_are_counted_and_tried() -> None:
    patterns = PatternSet.compile([("a", r"\d+-\d+"), ("b", r"\A\d{3}\z"), ("c", r"\d{4}")])

    assert patterns.unfiltered == 2
    assert found(patterns.find(["12-34", "x\n\n123", "123", "a 1234"])) == [
        (0, "a", (0, 5)),
        (2, "b", (0, 3)),
        (3, "c", (2, 6)),
    ]


def test_one_text_does_not_reach_into_the_next() -> None:
    patterns = PatternSet.compile([("a", "disk full"), ("b", r"\w\s\w"), ("c", "(?-m)^full$")])

    assert found(patterns.find(["disk", "full"])) == [(1, "c", (0, 4))]


def test_several_batches_keep_their_numbers() -> None:
    texts = ["all is well " * 100] * 500
    texts[7] = texts[499] = "x disk\tfull"

    findings = PatternSet.compile([("a", "disk full"), ("b", r"\d\d")]).find(texts)

    assert sum(map(len, texts)) > 3 * BATCH_CHARACTERS
    assert found(findings) == [(7, "a", (2, 11)), (499, "a", (2, 11))]
    assert findings.units == 500


def test_time_runs_out_between_batches() -> None:
    seconds = count()

    findings = PatternSet.compile([("a", "disk full")]).find(
        ["disk full" + "." * (BATCH_CHARACTERS // 2)] * 20,
        Limits(seconds=8),
        clock=lambda: next(seconds),
    )

    assert not findings.complete
    assert 0 < findings.units < 20
    assert [match.unit for match in findings.matches] == list(range(findings.units))


def test_time_runs_out_within_a_batch() -> None:
    seconds = count()

    findings = PatternSet.compile([("a", "disk full")]).find(
        ["disk full"] * 100, Limits(seconds=50), clock=lambda: next(seconds)
    )

    assert not findings.complete
    assert findings.units == len(findings.matches) == 48


def test_time_that_runs_out_when_all_is_done_is_enough() -> None:
    seconds = iter([0, 1, 1])

    findings = PatternSet.compile([("a", "disk full")]).find(
        ["disk full"], Limits(seconds=2), clock=lambda: next(seconds, 9)
    )

    assert findings.complete
    assert len(findings.matches) == 1


def test_matches_are_bounded_in_all_and_for_each_pattern() -> None:
    patterns = PatternSet.compile([("a", "disk full"), ("b", "full"), ("c", "empty")])
    texts = ["disk full"] * 5

    bounded = patterns.find(texts, Limits(matches=3))
    each = patterns.find(texts, Limits(matches_per_pattern=2))

    assert [(match.unit, match.key) for match in bounded.matches] == [(0, "a"), (0, "b"), (1, "a")]
    assert (bounded.complete, bounded.units) == (False, 1)
    assert [(m.unit, m.key) for m in each.matches] == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    assert (each.complete, each.units, each.capped) == (True, 5, {"a", "b"})


def test_just_as_many_matches_as_allowed_is_complete() -> None:
    findings = PatternSet.compile([("a", "disk full")]).find(["disk full"] * 3, Limits(matches=3))

    assert findings.complete


@pytest.mark.parametrize("filling", [".", "é", "disk ", " ", "\ud800"])
def test_a_long_text_is_searched_in_pieces(filling: str) -> None:
    text = filling * (3 * MAX_PIECE // len(filling)) + "disk  full: (né)" + filling * MAX_PIECE
    patterns = PatternSet.compile(
        [
            ("a", r"disk full: \((.+?)\)"),
            ("b", r"(?i)FULL: \(N"),
            ("c", r"full:\s\(\w+"),
            ("d", "^x"),
        ]
    )

    findings = patterns.find(["disk", text, "disk full: (x)"])

    at = text.index("disk  full")
    assert found(findings)[:3] == [
        (1, "a", (at, at + 16)),
        (1, "b", (at + 6, at + 14)),
        (1, "c", (at + 6, at + 14)),
    ]
    assert [match.unit for match in findings.matches] == [1, 1, 1, 2, 2]
    assert findings.units == 3


def test_a_long_text_may_end_within_what_was_seen() -> None:
    seconds = count()
    text = "disk full" + "." * (20 * MAX_PIECE)

    findings = PatternSet.compile([("a", "disk full")]).find(
        ["", text], Limits(seconds=8), clock=lambda: next(seconds)
    )

    assert (findings.complete, findings.units) == (False, 1)
    assert found(findings) == [(1, "a", (0, 9))]


def test_the_ends_of_pieces_are_no_ends_of_lines() -> None:
    patterns = PatternSet.compile([("a", r"^\.x"), ("b", r"x$"), ("c", r"\bx"), ("d", r"\Ax|x\z")])
    text = "yx" * (2 * MAX_PIECE) + "y"

    assert found(patterns.find([text])) == []


def test_a_text_of_the_largest_size_is_seen_whole() -> None:
    text = "from" + "x" * (MAX_PIECE - 6) + "to"
    pattern = "from(.+?)to"

    assert found(PatternSet.compile([("a", pattern)]).find([text])) == [(0, "a", (0, MAX_PIECE))]
    assert compile_pattern(pattern).search(text) is not None


def test_a_long_text_is_scanned_twice_at_most() -> None:
    taken = list(batches(["é" * 5 * MAX_PIECE]))

    assert sum(len(batch.joined.data) for batch in taken) <= 2 * 10 * MAX_PIECE
    assert [batch.complete for batch in taken] == [0] * (len(taken) - 1) + [1]


def test_more_patterns_than_are_kept_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "KEPT_COMPILED", 1024)
    patterns = PatternSet.compile((str(number), f"disk {number} full") for number in range(3_000))
    texts = [f"disk {number} full" for number in range(3_000)]

    for _ in range(2):
        findings = patterns.find(texts)
        assert [match.key for match in findings.matches] == list(map(str, range(3_000)))

    assert len(patterns) > 2 * engine.KEPT_COMPILED


def test_a_set_works_from_several_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    patterns = PatternSet.compile((str(number), f"disk {number} full") for number in range(2_500))
    texts = [f"disk {number} full" for number in range(2_500)]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: patterns.find(texts), range(8)))

    keys = list(map(str, range(2_500)))
    assert all([match.key for match in found.matches] == keys for found in results)
