"""What is found by what, whichever engine is behind the seam."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.loops import check_each
from tests.search.asking import NAMES, search, upper
from tests.search.conftest import Build
from tests.search.documents import (
    ALL,
    LOCKED,
    RAGGED,
)

from errdex.search.protocol import (
    IndexDocument,
)

FOUND = [
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
]
"""Queries, each with the names of the records that it finds."""


def test_found(build: Build) -> None:
    index = build(ALL)

    def check(case: tuple[str, str]) -> None:
        query, names = case
        assert sorted(upper(search(index, query))) == sorted(names.split())

    check_each(((query, (query, names)) for query, names in FOUND), check)


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
    assert result.total + result.partial == len(result.hits)
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
