"""Texts held in arrays, and a pattern set that is made of them."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Iterator, Sequence

import pytest

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.packed_texts import PackedBytes, PackedEntries, PackedGroups

ODD = ["", "plain", "né\u4e2d\U0001f600", "half a pair \udc80", "with\0zero", "plain"]


def test_packed_texts_are_the_same_texts() -> None:
    entries = PackedEntries([(f"{number:02}", text) for number, text in enumerate(ODD)])

    assert [entries.text(place) for place in range(len(entries))] == ODD
    assert [entries.key(place) for place in range(len(entries))] == [
        "00", "01", "02", "03", "04", "05",
    ]  # fmt: skip
    assert len(PackedBytes()) == 0


def test_keys_may_be_anything() -> None:
    keys: list[object] = [3, "b", None, ("c", 1)]
    entries = PackedEntries([(key, str(key)) for key in keys])

    assert [entries.key(place) for place in range(4)] == keys
    given = [(None, "None"), (3, "3"), ("b", "other"), ("d", "d")]
    assert [place for place, _, _ in entries.places(given)] == [2, 0, -1, -1]


def test_packed_groups_are_the_same_numbers() -> None:
    groups = PackedGroups([[3, 1], [], [2**32 - 1]])

    assert [list(groups[place]) for place in range(3)] == [[3, 1], [], [2**32 - 1]]


@pytest.mark.parametrize("ordered", [True, False])
def test_entries_are_found_in_whatever_order_they_are_asked_for(ordered: bool) -> None:
    chance = random.Random(5)
    keys = [f"{chance.getrandbits(32):08x}" for _ in range(300)]
    if ordered:
        keys.sort()
    have = [(key, f"text of {key}") for key in keys]
    asked = [
        *(pair for pair in have if chance.random() < 0.8),
        *((f"new {number}", "text") for number in range(20)),
    ]
    chance.shuffle(asked)
    changed = [(key, text + "!" if place % 7 == 0 else text) for place, (key, text) in
               enumerate(asked)]  # fmt: skip

    expected = [have.index(pair) if pair in have else -1 for pair in changed]
    assert [place for place, _, _ in PackedEntries(have).places(changed)] == expected


def test_entries_that_are_compared_together_are_told_apart() -> None:
    have = [(f"{number:04}", f"text {number}") for number in range(700)]
    given = [*have[:300], ("0300", "another"), *have[302:]]

    expected = [*range(300), -1, *range(302, 700)]
    assert [place for place, _, _ in PackedEntries(have).places(given)] == expected
    cut_elsewhere = PackedEntries([("a", "xy"), ("b", "z")]).places([("a", "x"), ("b", "yz")])
    assert [place for place, _, _ in cut_elsewhere] == [-1, -1]


def naive(patterns: Sequence[tuple[str, str]], texts: Sequence[str]) -> set[tuple[int, str]]:
    return {
        (match.unit, match.key)
        for pair in patterns
        for match in PatternSet.compile([pair]).find(texts).matches
    }


def test_an_updated_set_finds_what_each_pattern_finds_in_any_order() -> None:
    chance = random.Random(9)
    before = [(f"{number:03}", f"pump {number} lost (.+?) bar") for number in range(200)]
    now = [pair for pair in before if pair[0] not in {"003", "117"}]
    now[50] = (now[50][0], "valve (.+?) is stuck")
    now.append(("0005", "tank 5 is empty"))
    chance.shuffle(now)
    texts = [f"pump {number} lost 3 bar" for number in (3, 4, 50, 51, 117, 199)]
    texts += ["valve 3 is stuck", "tank 5 is empty"]

    found = PatternSet.compile(before).updated(now).find(texts).matches

    assert {(match.unit, match.key) for match in found} == naive(now, texts)


def test_a_set_holds_no_object_for_each_pattern() -> None:
    """Which is what a hundred thousand of them would cost most of their memory for."""

    def many(start: int) -> Iterator[tuple[str, str]]:
        for number in range(start, 2000):
            yield f"{number:05}", f"pump {number} lost (.+?) bar"

    PatternSet.compile([("a", "pump 1 lost (.+?) bar")])  # what is made once
    gc.collect()
    before = sys.getallocatedblocks()

    patterns = PatternSet.compile(many(0)).updated(many(1))
    gc.collect()

    assert sys.getallocatedblocks() - before < 1000
    assert len(patterns) == 1999
