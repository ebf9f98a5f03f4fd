"""What is found by what, whichever engine is behind the seam."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.search.protocol import (
    FACET_NAMES,
    FACET_VALUES,
    Filters,
    Hit,
    IndexDocument,
    Position,
    SearchIndex,
    SearchResult,
)
from tests.search.conftest import Build
from tests.search.documents import (
    ALL,
    BARE,
    BORROW,
    CHINESE,
    LOCKED,
    MODULE,
    NODE,
    RAGGED,
    TOPK,
)

NAMES = {
    RAGGED.record_id: "ragged",
    TOPK.record_id: "topk",
    MODULE.record_id: "module",
    NODE.record_id: "node",
    LOCKED.record_id: "locked",
    BORROW.record_id: "borrow",
    CHINESE.record_id: "chinese",
    BARE.record_id: "bare",
}


def search(index: SearchIndex, query: str, **filters: str) -> SearchResult:
    return index.search(query, Filters(**filters))


def upper(result: SearchResult) -> list[str]:
    """The names of the records that have every word."""
    return [NAMES[hit.record_id] for hit in result.hits if hit.all_words]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        # identifiers, whole and by their parts, however written
        ("speculative_eagle_topk", "topk"),
        ("SPECULATIVE_EAGLE_TOPK", "topk"),
        ("speculativeeagletopk", "topk"),
        ("--speculative-eagle-topk", "topk"),
        ("eagle topk", "topk"),
        ("TopK", "topk"),
        ("--enable-linear-replayssm-spec", "ragged"),
        ("replayssm", "ragged"),
        ("ERR_MODULE_NOT_FOUND", "node"),
        ("err_module_not_found", "node"),
        ("ModuleNotFoundError", "module node"),
        ("modulenotfounderror", "module"),
        ("module not found", "module node"),
        ("sqlalchemy.exc.OperationalError", "locked"),
        ("OperationalError", "locked"),
        ("sqlite3.OperationalError", "locked"),
        ("torch.cuda.OutOfMemoryError", "chinese"),
        ("cuda out of memory", "chinese"),
        ("outofmemoryerror", "chinese"),
        ("TS2345", "module"),
        ("C++", "borrow"),
        ("std::bad_alloc", "borrow"),
        ("bad_alloc", "borrow"),
        ("badalloc", "borrow"),
        ("E0382", "borrow"),
        ("server_args.py", "topk ragged"),
        # words
        ("database LOCKED", "locked"),
        ("environments", "module"),
        ("flags", "ragged"),
        ("locking", "locked"),
        ("groesse", ""),
        ("grösse", "chinese"),
        ("GRÖSSE naive", "chinese"),
        ("显存", "chinese"),
        ("存", "chinese"),
        ("显存不足", "chinese"),
        ("不足显", ""),
        ("b50cfdfc33be0e10", "ragged"),
        ("nothingofthekind", ""),
        # phrases
        ('"is not supported on a PD prefill server"', "ragged"),
        ('"supported is not"', ""),
        ('"database is locked"', "locked"),
        ('"No module named"', "module"),
        ('"ModuleNotFoundError: No module"', "module"),
        ('"modulenotfounderror: no module"', "module"),
        ('"spec-verify-only scratch"', "ragged"),
        ('"spec verify only scratch"', "ragged"),
        ('"busy timeout"', "locked"),
        ('"Set it to 1 Or"', "topk"),
        ('"不足 无法"', "chinese"),
        ("“is locked”", "locked"),
        ('"lock"', ""),
        # prefixes
        ("modul*", "module node"),
        ("speculative_ea*", "topk"),
        ("MODULENOT*", "module"),
        ("zz*", ""),
        # fields
        ("class:ValueError", "topk ragged"),
        ("class:valueerror", "topk ragged"),
        ("class:OperationalError", "locked"),
        ("class:exc.OperationalError", "locked"),
        ("class:Operational", ""),
        ("class:*", ""),
        ("class:Out*", "chinese"),
        ("class:Value* spec", "ragged"),
        ("repo:sgl-project/sglang", "topk ragged"),
        ("repo:sglang", "topk ragged"),
        ("repo:sgl-project", ""),
        ("repo:sgl*", "topk ragged"),
        ("repo:example/显存", "chinese"),
        ("tag:import", "module node"),
        ("tag:locking", "locked"),
        ("code:e0382", "borrow"),
        ("code:E03*", "borrow"),
        ("type:import", "module node"),
        ("severity:fatal", "locked"),
        ("lang:rust", "borrow"),
        ("language:rust", "borrow"),
        ("background:unsupported-feature-combination", "ragged"),
        ("id:B50CFDFC33BE0E10", "ragged"),
        ("id:b50*", "ragged"),
        ("path:server_args.py", "topk ragged"),
        ("path:python/sglang", "topk ragged"),
        ("path:lib", "module node locked"),
        ("path:esm/res*", "node"),
        ("path:server_args", ""),
        ("colour:import", ""),
        # exclusion
        ("tag:import -esm", "module"),
        ("tag:import -tag:esm", "module"),
        ('class:ValueError -"must be"', "ragged"),
        ("class:ValueError -speculative-decoding", "ragged"),
        ("-error -class:AssertionError", "borrow"),
        ("-er*", "borrow"),
        ("locked -locked", ""),
    ],
)
def test_found(build: Build, query: str, names: str) -> None:
    assert sorted(upper(search(build(ALL), query))) == sorted(names.split())


def test_every_term_of_a_record_finds_it(build: Build) -> None:
    index = build(ALL)
    for document in ALL:
        for text in (document.message, document.error_class, document.explanation):
            for word in text.replace('"', " ").replace("-", "_").split():
                result = search(index, word)
                assert NAMES[document.record_id] in upper(result) or not result.terms, word


def test_an_empty_query_lists_every_record_by_id(build: Build) -> None:
    result = search(build(ALL), "")
    assert [hit.record_id for hit in result.hits] == sorted(NAMES)
    assert result.total == len(ALL)


def test_only_exclusions_list_the_rest(build: Build) -> None:
    result = search(build(ALL), "-tag:sglang")
    assert {NAMES[hit.record_id] for hit in result.hits} == set(NAMES.values()) - {"topk", "ragged"}


def test_an_empty_index_answers(build: Build) -> None:
    index = build([])
    assert index.count() == 0
    for query in ("", "word", "-word", '"a b"', "pre*", "class:X", "***"):
        result = search(index, query)
        assert (result.hits, result.total, result.next_position) == ([], 0, None) or not result.hits
    assert not index.similar(RAGGED)


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"repo": "sgl-project/sglang"}, "topk ragged"),
        ({"repo": "sglang"}, ""),
        ({"error_class": "ValueError"}, "topk ragged"),
        ({"error_class": "valueerror"}, ""),
        ({"tag": "Locking"}, "locked"),
        ({"tag": "locking"}, ""),
        ({"error_type": "import"}, "module node"),
        ({"severity": "fatal"}, "locked"),
        ({"language": "rust"}, "borrow"),
        ({"background_tag": "unsupported-feature-combination"}, "ragged"),
        ({"error_type": "import", "language": "python"}, "module"),
        ({"error_type": "import", "language": "rust"}, ""),
        ({"repo": ""}, ""),
        ({"repo": "no\0such\ud800"}, ""),
    ],
)
def test_filters_are_exact(build: Build, filters: dict[str, str], names: str) -> None:
    index = build(ALL)
    assert sorted(upper(search(index, "", **filters))) == sorted(names.split())
    for query in ("error", "-nothingofthekind", "colour:red"):
        hits = {NAMES[hit.record_id] for hit in search(index, query, **filters).hits}
        assert hits <= set(names.split())


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


@pytest.mark.parametrize(
    "query",
    [
        "\0",
        "\ud800 \udfff",
        "x" * 100_000,
        "word " * 20_000,
        "(" * 5_000 + "a" + ")" * 5_000,
        '"' * 99_999,
        "****",
        "AND OR NOT",
        "-",
        "--",
        "class:class:class:",
        "repo:=",
        "tag:\0",
        "path:////",
        "a:b:c:d",
        "*a* *b",
        '-"-"-"',
        "\u202e\ufeff\u200d",
        "é" * 5_000,
        "🦀🦀 🦀",
        "ﷺ ½ ﬃ",
        "%s %n {0} ${x}",
        "'; DROP TABLE records; --",
        "<script>alert(1)</script>",
    ],
)
def test_hostile_queries_give_an_answer(build: Build, query: str) -> None:
    index = build(ALL)
    result = search(index, query)
    assert result.total == len(result.hits)
    assert result.hits or result.notes or result.terms or ":" in query
    search(index, query, repo=query, tag=query)


def test_hostile_records_are_indexed(build: Build) -> None:
    nasty = "\0 \ud800 <b> ' \" ../.. \x1b[31m " + "y" * 70_000 + " C++ ____ 显"
    document = IndexDocument(
        *("abcd", nasty, nasty, nasty, nasty, nasty, nasty, nasty, nasty, nasty, nasty, nasty),
        (nasty, "", "\0"),
        nasty,
        nasty,
    )
    index = build([document, *ALL])
    assert search(index, "y" * 70_000).hits[0].record_id == "abcd"
    assert search(index, "", repo=nasty).hits[0].record_id == "abcd"
    assert index.similar(document) == [] or index.similar(document)


def test_putting_again_replaces_and_deleting_removes(build: Build, indexes: object) -> None:
    changed = replace(LOCKED, message="all is well")
    index = build([*ALL, changed])
    assert index.count() == len(ALL)
    assert upper(search(index, '"all is well"')) == ["locked"]
    assert upper(search(index, '"is locked"')) == []
