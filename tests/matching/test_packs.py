"""Packs: what they hold, what they do with bytes that are no pack, and what they cost."""

from __future__ import annotations

import gc
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from tests.matching.pattern_grammar import PatternWriter, usable

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.literal_index import TABLE_FROM
from errdex.matching.patterns.literals import extract, fold, normalise
from errdex.matching.patterns.pack.build import build_pack, update_pack
from errdex.matching.patterns.pack.sections import FORMAT, PackDamaged, PackError, PackMissing
from errdex.matching.patterns.text_bytes import encode

ODD = [
    "disk né\u4e2d\U0001f600 full",
    "naïve quotes “x”",
    "with\0zero \x01\x07",
    "ſtrange \u212a",
]
PUMPS = [(f"{n:04}", f"pump {n} lost (.+?) bar of pressure at the valve") for n in range(300)]
TEXTS = [f"pump {n} lost 3 bar of pressure at the valve" for n in range(0, 300, 7)]
BOTH = pytest.mark.parametrize("table_from", [0, TABLE_FROM])
KNOWN = {2: 2895129452}
"""For each format the checksum of what a pack is made of."""


def reopened(pack: bytes | bytearray, table_from: int = TABLE_FROM) -> PatternSet:
    return PatternSet(memoryview(pack), table_from=table_from)


def found(patterns: PatternSet, texts: list[str] = TEXTS) -> list[tuple[int, str]]:
    return [(match.unit, match.key) for match in patterns.find(texts).matches]


def forged(pack: bytes, place: int, value: int) -> bytes:
    """The pack with another byte behind its header, and a checksum that is right for it."""
    data = bytearray(pack)
    data[place] = value
    data[24:28] = crc32(data[32:], crc32(data[:24])).to_bytes(4, sys.byteorder)
    return bytes(data)


@BOTH
def test_odd_texts_are_kept_and_found(table_from: int) -> None:
    patterns = PatternSet.compile(zip(ODD, ODD, strict=True), table_from=table_from)
    assert [patterns.key(place) for place in range(len(ODD))] == ODD
    assert found(patterns, ODD) == [(n, text) for n, text in enumerate(ODD)]


@BOTH
def test_a_pack_that_was_built_of_another_is_the_same(table_from: int) -> None:
    before = build_pack(PUMPS)
    base = reopened(before, table_from).facts
    changed = {"0003": None, "0005x": "tank (.+?) is empty", "0117": "valve (.+?) is stuck"}
    now = sorted({**dict(PUMPS), **changed}.items())
    whole = PatternSet.compile(
        [(key, source) for key, source in now if source], table_from=table_from
    )
    updated = reopened(update_pack(base, changed), table_from)

    texts = [*TEXTS, "tank 5 is empty", "valve 3 is stuck", "pump 117 lost 3 bar of pressure"]
    assert [updated.key(place) for place in range(len(updated))] == [
        whole.key(place) for place in range(len(whole))
    ]
    assert found(updated, texts) == found(whole, texts)
    back = {"0003": dict(PUMPS)["0003"], "0005x": None, "0117": dict(PUMPS)["0117"]}
    assert found(reopened(update_pack(updated.facts, back), table_from)) == found(
        reopened(before, table_from)
    )


def test_a_refused_pattern_is_named_and_stays_until_it_changes() -> None:
    bad = [("bad", "(?=a)b"), ("half a pair \udc80", "half a pair \udc80")]
    base = PatternSet.compile([*bad, ("good", "disk full")])
    assert (len(base), list(base.refused)) == (1, [key for key, _ in bad])
    updated = reopened(update_pack(base.facts, {"good": None}))
    assert (len(updated), list(updated.refused)) == (0, [key for key, _ in bad])
    assert "bad" not in reopened(update_pack(base.facts, {"bad": "disk empty"})).refused


@BOTH
def test_no_byte_can_be_another_one_unnoticed(table_from: int) -> None:
    pack = build_pack(PUMPS[:20])
    chance = random.Random(7)
    places = {*range(32 + 32 * 16), *(chance.randrange(len(pack)) for _ in range(300))}
    unused = range(28, 32)
    unnoticed = []
    for place in sorted(places.difference(unused)):
        data = bytearray(pack)
        data[place] ^= 1 << chance.randrange(8)
        try:
            reopened(data, table_from)
        except PackError:
            continue
        unnoticed.append(place)
    assert unnoticed == []


@BOTH
def test_a_forged_pack_never_does_worse_than_to_be_damaged(table_from: int) -> None:
    """Someone who writes a pack can write its checksum."""
    pack = build_pack(PUMPS[:20])
    chance = random.Random(11)
    damaged = 0
    for _ in range(1_500):
        place = chance.choice([chance.randrange(32, 700), chance.randrange(32, len(pack))])
        data = forged(pack, place, chance.choice([0, 1, 127, 255, chance.randrange(256)]))
        try:
            found(reopened(data, table_from))
        except PackError:
            damaged += 1
    assert damaged > 100


@pytest.mark.parametrize("length", [0, 1, 31, 32, 100, -1, -8])
def test_a_pack_that_was_cut_short_is_damaged(tmp_path: Path, length: int) -> None:
    path = tmp_path / "cut.pack"
    path.write_bytes(build_pack(PUMPS)[:length])
    with pytest.raises(PackDamaged):
        PatternSet.open(path)


def test_a_newer_pack_is_missing_and_another_file_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.pack"
    data = bytearray(build_pack(PUMPS[:2]))
    data[8:12] = (FORMAT + 1).to_bytes(4, sys.byteorder)
    path.write_bytes(data)
    with pytest.raises(PackMissing, match="another format"):
        PatternSet.open(path)
    path.write_bytes(b"SQLite format 3\0" * 9)
    with pytest.raises(PackDamaged, match="no pack"):
        PatternSet.open(path)


def test_a_pack_that_is_changed_while_it_is_used_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.pack"
    path.write_bytes(build_pack(PUMPS))
    patterns = PatternSet.open(path)
    assert found(patterns)
    os.truncate(path, 100)
    with pytest.raises(PackDamaged, match="while it was in use"):
        patterns.find(TEXTS)


def test_a_pack_that_is_deleted_while_it_is_used_still_works(tmp_path: Path) -> None:
    path = tmp_path / "a.pack"
    path.write_bytes(build_pack(PUMPS))
    patterns = PatternSet.open(path)
    path.unlink()
    assert len(found(patterns)) == len(TEXTS)


def test_an_open_pack_holds_no_object_for_each_pattern(tmp_path: Path) -> None:
    """Which is what a hundred thousand of them would cost most of their memory for."""

    def many() -> Iterator[tuple[str, str]]:
        for number in range(20_000):
            yield f"{number:05}", f"pump {number} lost (.+?) bar"

    path = tmp_path / "a.pack"
    path.write_bytes(build_pack(many()))
    PatternSet.open(path)  # what is made once
    gc.collect()
    before = sys.getallocatedblocks()

    patterns = PatternSet.open(path)
    gc.collect()

    assert sys.getallocatedblocks() - before < 1000
    assert len(patterns) == 20_000


def test_the_format_number_goes_up_with_what_is_written() -> None:
    rng = random.Random(1)
    sources = [*usable(PatternWriter(rng).source() for _ in range(300)), *ODD]
    facts = build_pack((str(n), source) for n, source in enumerate(sources))
    checks = list(reopened(facts).facts.checks)
    literals = [extract(source) for source in sources]
    forms = [(normalise(text), fold(text)) for text in map(encode, [*sources, *TEXTS])]
    checksum = crc32(repr((checks, literals, forms)).encode())
    assert KNOWN[FORMAT] == checksum, (
        "Literals are taken from patterns in another way now: raise FORMAT in "
        f"app/errdex/matching/patterns/pack/sections.py to {FORMAT + 1} and add "
        f"{FORMAT + 1}: {checksum} here."
    )
