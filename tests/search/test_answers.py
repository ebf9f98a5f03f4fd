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
    BORROW,
    LOCKED,
    MODULE,
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
    result = search(build(ALL), "package esm module")
    tiers = [hit.all_words for hit in result.hits]
    assert upper(result) == ["node"]
    assert tiers == [True] + [False] * (len(tiers) - 1)
    assert {NAMES[hit.record_id] for hit in result.hits} >= {"node", "module"}
    assert (result.total, result.partial) == (1, len(result.hits) - 1)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("conflict migration", "Conflicting migrations detected"),
        ("connection refusing", "Connection refused"),
        ("table doesnt exist", "relation does not exist"),
        ("cant resolve module", "Can't resolve 'x' in the module"),
        ("conflicts externaly managed", "externally managed environment, conflicts"),
        ("ошибка ModuleNotFoundError как исправить", "ModuleNotFoundError"),
        ("docker 无法启动 allocated", "docker: port is already allocated"),
    ],
)
def test_words_as_people_type_them(build: Build, asked: str, told: str) -> None:
    right = replace(ALL[0], record_id="f" * 16, message=told)
    wrong = replace(ALL[0], record_id="e" * 16, message="external table module managed migration")
    hits = search(build([right, wrong]), asked).hits
    assert hits[0].record_id == right.record_id


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_the_numbers_are_the_same_for_every_limit(build: Build, limit: int) -> None:
    index = build(ALL)
    whole = search(index, "package esm module")
    result = index.search("package esm module", Filters(), limit=limit)
    assert (result.total, result.partial) == (whole.total, whole.partial)
    assert result.facets == whole.facets


def test_a_hit_has_most_of_the_query(build: Build) -> None:
    """Rare words count more: two frequent ones are not enough."""
    common = [IndexDocument(f"{n:016x}", "the disk failed", "a/b") for n in range(20)]
    rare = IndexDocument("f" * 16, "the zorbulator of the disk failed", "a/b")
    other = IndexDocument("e" * 16, "zorbulator", "a/b")
    result = search(build([*common, rare, other]), "disk failed zorbulator")
    assert [(hit.record_id, hit.all_words) for hit in result.hits] == [
        (rare.record_id, True),
        (other.record_id, False),
    ]


def test_stop_words_do_not_count(build: Build) -> None:
    result = search(build(ALL), "why is the database locked with our")
    assert upper(result) == ["locked"]
    assert "locked" in upper(search(build(ALL), "is"))


def test_a_class_or_code_alone_beats_everything(build: Build) -> None:
    worded = replace(
        LOCKED,
        record_id="1" * 16,
        error_class="",
        message="OperationalError",
        tags=("operational",),
    )
    coded = replace(BARE, record_id="2" * 16, error_code="TS2345", error_class="")
    index = build([*ALL, worded, coded])
    assert search(index, "OperationalError").hits[0].record_id == LOCKED.record_id
    assert search(index, "TS2345").hits[0].record_id == coded.record_id
    assert search(index, "TS 2345").hits[0].record_id == coded.record_id


def test_the_general_message_of_a_class_comes_first(build: Build) -> None:
    special = replace(
        MODULE, record_id="0" * 16, message="No module named '{name}'; 'setup' is no package"
    )
    hits = search(build([special, MODULE]), "ModuleNotFoundError").hits
    assert [hit.record_id for hit in hits] == [MODULE.record_id, special.record_id]


def test_quoted_words_in_their_order_beat_the_same_words(build: Build) -> None:
    mixed = replace(LOCKED, record_id="0" * 16, message="locked is the database: database locked")
    hits = search(build([mixed, LOCKED]), '"database is locked"').hits
    assert [(hit.record_id, hit.all_words) for hit in hits] == [
        (LOCKED.record_id, True),
        (mixed.record_id, False),
    ]


def test_another_wording_finds_the_record(build: Build) -> None:
    worded = replace(BORROW, record_id="3" * 16, wordings="use of moved value\nLNK2019")
    index = build([worded])
    for query in ("use of moved value", '"use of moved"', "lnk2019"):
        assert search(index, query).hits[0].all_words, query
    assert not search(index, '"value LNK2019"').total


def test_names_that_mean_the_same(build: Build) -> None:
    records = {
        text: IndexDocument(f"{n:016x}", text, "a/b")
        for n, text in enumerate(
            ["Segmentation fault (core dumped)", "received SIGSEGV", "a fault"]
        )
    }
    index = build(records.values())
    for query in ("segfault", "SIGSEGV", "signal 11", "segmentation fault"):
        found = {hit.record_id for hit in search(index, query).hits if hit.all_words}
        assert found == {f"{0:016x}", f"{1:016x}"}, query
    literal = search(index, "segmentation fault").hits[0]
    assert literal.record_id == f"{0:016x}"


def test_what_answers_otherwise_comes_first(build: Build) -> None:
    index = build(ALL)
    asked = (TOPK.record_id, "0" * 16, MODULE.record_id)
    result = index.search("database locked", Filters(), first=asked)
    assert [NAMES[hit.record_id] for hit in result.hits] == ["topk", "module", "locked"]
    assert result.total == 3
    page = index.search("database locked", Filters(), first=asked, limit=1)
    following = index.search("database locked", Filters(), first=asked, after=page.next_position)
    assert [NAMES[hit.record_id] for hit in following.hits] == ["module", "locked"]
    narrowed = index.search("database locked", Filters(error_type="import"), first=asked)
    assert [NAMES[hit.record_id] for hit in narrowed.hits] == ["module"]


def test_filters_and_exclusions_hold_in_the_lower_tier(build: Build) -> None:
    result = search(build(ALL), "package installed nothingofthekind -esm", error_type="import")
    assert all(NAMES[hit.record_id] == "module" and not hit.all_words for hit in result.hits)


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
    for after in (Position(0.0, "z"), Position(-1.0, "")):
        result = index.search("database locked", Filters(), after=after)
        assert not result.hits


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
        ("lockd12", None),
        ("databse12 locked", None),
        ("DB", None),
        ("databse" + "e" * 200, None),
    ],
)
def test_did_you_mean(build: Build, query: str, suggestion: str | None) -> None:
    assert search(build(ALL), query).suggestion == suggestion


def test_only_words_that_do_not_occur_are_corrected(build: Build) -> None:
    assert search(build(ALL), "databse timeout zzzzzzz").suggestion == "database timeout zzzzzzz"
    assert search(build(ALL), "databse timeuot").suggestion == "database timeout"
    assert search(build(ALL), 'databse "timeuot"').suggestion == 'database "timeuot"'


def test_an_endless_word_is_compared_with_none(build: Build) -> None:
    word = "a" + "b" * 200
    meant = replace(BARE, record_id="d" * 16, message=f"{word} is gone")
    assert search(build([*ALL, meant]), f"{word[:-1]}c").suggestion is None


def test_a_near_spelling_finds_but_does_not_count_as_the_word(build: Build) -> None:
    result = search(build(ALL), "databse lockd")
    assert NAMES[result.hits[0].record_id] == "locked"
    assert not result.hits[0].all_words
    assert result.total == 0


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
