"""What comes with the hits, whichever engine is behind the seam: their order, the facets,
pages, other spellings, and similar records."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.search.asking import NAMES, search, upper
from tests.search.conftest import Build
from tests.search.documents import (
    ALL,
    BARE,
    LOCKED,
    TOPK,
)

from errdex.records.filters import Filters
from errdex.search.protocol import (
    FACET_NAMES,
    FACET_VALUES,
    Hit,
    IndexDocument,
    Position,
    SearchIndex,
)


def test_records_with_some_words_come_below(build: Build) -> None:
    result = search(build(ALL), "package imported module")
    tiers = [hit.all_words for hit in result.hits]
    assert upper(result) == ["node"]
    assert tiers == [True] + [False] * (len(tiers) - 1)
    assert {NAMES[hit.record_id] for hit in result.hits} >= {"node", "module"}
    assert result.total == len(result.hits)


def test_the_lower_tier_is_left_out_when_the_page_is_full(build: Build) -> None:
    result = build(ALL).search("package imported module", Filters(), limit=1)
    assert result.total == 1
    assert result.next_position is None


def test_filters_and_exclusions_hold_in_the_lower_tier(build: Build) -> None:
    result = search(build(ALL), "package nothingofthekind -esm", error_type="import")
    assert [NAMES[hit.record_id] for hit in result.hits] == ["module"]
    assert not result.hits[0].all_words


def test_the_whole_name_ranks_above_its_parts(build: Build) -> None:
    parts = replace(TOPK, record_id="a" * 16, message="speculative eagle topk must be 1")
    result = search(build([parts, TOPK]), "speculative_eagle_topk")
    assert [hit.record_id for hit in result.hits] == [TOPK.record_id, parts.record_id]


def test_the_message_ranks_above_the_explanation(build: Build) -> None:
    said = IndexDocument("f" * 16, "the disk is full", "a/b", explanation="nothing more")
    explained = IndexDocument("0" * 16, "nothing more", "a/b", explanation="the disk is full")
    result = search(build([explained, said]), "disk full")
    assert [hit.record_id for hit in result.hits] == [said.record_id, explained.record_id]


def test_the_excerpt_of_another_record_is_no_text_of_this_one(build: Build) -> None:
    result = search(build(ALL), '"speculative_eagle_topk must be"')
    assert upper(result) == ["topk"]


def test_facets_count_every_hit(build: Build) -> None:
    result = build(ALL).search("", Filters(), limit=1)
    assert set(result.facets) == set(FACET_NAMES)
    assert result.facets["tag"][:2] == [("import", 2), ("sglang", 2)]
    assert result.facets["language"] == [("python", 5), ("javascript", 1), ("rust", 1)]
    assert result.facets["severity"] == [("error", 5), ("fatal", 1), ("warning", 1)]
    assert ("sqlalchemy.exc.OperationalError", 1) in result.facets["class"]
    only = search(build(ALL), "class:ValueError eagle")
    assert dict(only.facets["repo"]) == {"sgl-project/sglang": 1}
    assert not any(search(build(ALL), "nothingofthekind").facets.values())


def test_a_facet_shows_a_bounded_number_of_values(build: Build) -> None:
    documents = [
        IndexDocument(f"{n:016x}", "failed", f"owner/repo{n:03}") for n in range(FACET_VALUES + 9)
    ]
    facet = search(build(documents), "failed").facets["repo"]
    assert facet == [(f"owner/repo{n:03}", 1) for n in range(FACET_VALUES)]


def read_pages(index: SearchIndex, query: str, limit: int) -> list[Hit]:
    hits: list[Hit] = []
    after: Position | None = None
    while True:
        result = index.search(query, Filters(), limit=limit, after=after)
        hits += result.hits
        after = result.next_position
        if after is None:
            return hits


@pytest.mark.parametrize("query", ["", "error", "package imported module error", "-esm", "e*"])
@pytest.mark.parametrize("limit", [1, 3, 50])
def test_pages_together_are_the_whole(build: Build, query: str, limit: int) -> None:
    copies = [replace(d, record_id=f"{n:x}{d.record_id[1:]}") for d in ALL for n in range(4)]
    index = build(copies)
    whole = index.search(query, Filters(), limit=1000).hits
    pages = read_pages(index, query, limit)
    if len([hit for hit in whole if hit.all_words]) >= limit:
        whole = [hit for hit in whole if hit.all_words]
    assert pages == list(whole)
    assert len({hit.record_id for hit in pages}) == len(pages)


def test_a_page_goes_on_where_the_last_ended_when_records_have_gone(build: Build) -> None:
    copies = [replace(LOCKED, record_id=f"{n:016x}") for n in range(20)]
    first = build(copies).search("locked", Filters(), limit=5)
    assert first.next_position is not None
    rest = [copy for n, copy in enumerate(copies) if n not in (1, 4, 7)]
    second = build(rest).search("locked", Filters(), limit=5, after=first.next_position)
    assert [hit.record_id for hit in second.hits] == [f"{n:016x}" for n in (5, 6, 8, 9, 10)]


def test_a_page_behind_the_last_is_empty(build: Build) -> None:
    index = build(ALL)
    for after in (Position(False, 0.0, "z"), Position(False, -1.0, ""), Position(True, 0.0, "")):
        result = index.search("database locked", Filters(), after=after)
        assert all(not hit.all_words for hit in result.hits)


@pytest.mark.parametrize(
    ("query", "suggestion"),
    [
        ("replaysm", "replayssm"),
        ("databse", "database"),
        ("Databse lockd", "Database locked"),
        ("ModuelNotFoundError", "ModuleNotFoundError"),
        ("DATABSE", "DATABASE"),
        ("xyzzyplugh", None),
        ("database locked", None),
        ("zz", None),
        ("12345678", None),
        ('"databse"', None),
        ("-databse", None),
    ],
)
def test_did_you_mean(build: Build, query: str, suggestion: str | None) -> None:
    assert search(build(ALL), query).suggestion == suggestion


def test_only_words_that_do_not_occur_are_corrected(build: Build) -> None:
    assert search(build(ALL), "databse timeout zzzzzzz").suggestion == "database timeout zzzzzzz"


def test_similar_messages(build: Build) -> None:
    near = replace(
        TOPK, record_id="c" * 16, message="speculative_eagle_topk must be 4 with another backend"
    )
    index = build([*ALL, near])
    hits = index.similar(TOPK)
    assert hits[0].record_id == near.record_id
    assert TOPK.record_id not in {hit.record_id for hit in hits}
    assert len(index.similar(TOPK, limit=1)) == 1
    assert not index.similar(replace(BARE, record_id=""))
    asked = IndexDocument(record_id="", message="database is locked by another process", repo="")
    assert index.similar(asked)[0].record_id == LOCKED.record_id
