"""Whoosh's index and the fake, which looks at every record for every query, answer alike.

The words come from a small pool, so that random documents and queries share them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errdex.records.filters import Filters
from errdex.search.fake import FakeIndexStore, FakeSearchIndex
from errdex.search.protocol import IndexDocument, SearchIndex
from errdex.search.whoosh.build import BuildLimits
from errdex.search.whoosh.index import WhooshIndexStore

pytestmark = pytest.mark.slow
POOL = [
    *("error", "errors", "Error", "class", "classes", "library", "libraries", "the", "not"),
    *("top_k", "topK", "--top-k", "TopK", "topk", "ModuleNotFoundError", "module not found"),
    *("sqlalchemy.exc.OperationalError", "OperationalError", "C++", "c", "clang++", "std::bad"),
    *("显存不足", "存", "Größe", "GROSSE", "E0382", "1.2.3", "12.3", "GPUs", "gpu", "naïve"),
    *(
        "modul",
        "mod",
        "-9",
        "can't",
        "a/b",
        "x.py:12",
        "segfault",
        "signal 11",
        "eror",
        "clas",
        "\ud800",
        "\0",
        "İ",
        "ﬃ",
    ),
]
words = st.sampled_from(POOL)
texts = st.lists(words, max_size=8).map(" ".join)
values = st.sampled_from(["", "ValueError", "valueerror", "a.b.ValueError", "own/Repo", "x y", "ü"])
documents = st.builds(
    IndexDocument,
    record_id=st.integers(0, 30).map("{:016x}".format),
    message=texts,
    repo=values,
    error_class=values | words,
    error_type=values,
    error_code=st.sampled_from(["", "E0382", "TS2345"]),
    severity=st.sampled_from(["", "error", "fatal"]),
    language=values,
    background_tag=values,
    file_path=st.sampled_from(["", "a/b/x.py", "a\\b\\Y.py", "/x.py", "a/top_k.py"]),
    function=texts,
    tags=st.lists(words | values, max_size=3).map(tuple),
    explanation=texts,
    solutions=texts,
    title=texts,
    wordings=texts,
)
clauses = st.one_of(
    words,
    words,
    texts.map('"{}"'.format),
    words.map("{}*".format),
    st.builds(
        "{}:{}{}".format,
        st.sampled_from(["class", "repo", "tag", "type", "lang", "path", "code", "id", "other"]),
        values | words | st.just("x.py") | st.just("b/x.py"),
        st.sampled_from(["", "*"]),
    ),
)
queries = st.lists(
    st.tuples(st.sampled_from(["", "", "", "-"]), clauses).map("".join), max_size=4
).map(" ".join) | st.text(max_size=30)
maybe = st.none() | values
filters = st.just(Filters()) | st.builds(
    Filters,
    repo=maybe,
    error_class=maybe,
    tag=st.none() | words,
    error_type=maybe,
    severity=st.sampled_from([None, "error", "none such"]),
    language=maybe,
    background_tag=maybe,
)
TINY = BuildLimits(segment_postings=100, small_segment=3, most_small_segments=2)


def assert_alike(
    real: SearchIndex, fake: FakeSearchIndex, query: str, filters: Filters, limit: int
) -> None:
    result = real.search(query, filters, limit=limit)
    expected = fake.search(query, filters, limit=limit)
    assert result == expected
    if result.next_position:
        following = real.search(query, filters, limit=limit, after=result.next_position)
        wanted = fake.search(query, filters, limit=limit, after=expected.next_position)
        assert following.hits == wanted.hits


@settings(max_examples=80, deadline=None)
@given(
    st.lists(documents, max_size=12),
    st.lists(st.tuples(queries, filters, st.integers(1, 4)), min_size=1, max_size=8),
)
def test_the_same_documents_and_queries_give_the_same_answer(
    records: list[IndexDocument], asked: list[tuple[str, Filters, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = WhooshIndexStore(Path(folder), TINY)
        fakes = FakeIndexStore()
        for each in (store, fakes):
            writer = each.begin("v")
            for document in records:
                writer.put(document)
            writer.finish()
        real = store.open("v")
        for query, narrowed, limit in asked:
            assert_alike(real, fakes.open("v"), query, narrowed, limit)
        real.close()


operations = st.lists(documents | st.integers(0, 30).map("{:016x}".format), max_size=8)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(operations, min_size=1, max_size=6),
    st.lists(st.tuples(queries, filters, st.integers(1, 4)), min_size=1, max_size=4),
)
def test_changes_on_top_of_changes_give_the_same_answer(
    versions: list[list[IndexDocument | str]], asked: list[tuple[str, Filters, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = WhooshIndexStore(Path(folder), TINY)
        fakes = FakeIndexStore()
        base = None
        for number, changes in enumerate(versions):
            version = str(number)
            for each in (store, fakes):
                writer = each.begin(version, base=base)
                for change in changes:
                    if isinstance(change, str):
                        writer.delete(change)
                    else:
                        writer.put(change)
                writer.finish()
            base = version
            store.sweep({version})
            real, fake = store.open(version), fakes.open(version)
            assert real.count() == fake.count()
            for query, narrowed, limit in [("", Filters(), 50), *asked]:
                assert_alike(real, fake, query, narrowed, limit)
            real.close()


@settings(max_examples=20, deadline=None)
@given(st.lists(documents, max_size=10), documents)
def test_similar_records_are_the_same(records: list[IndexDocument], asked: IndexDocument) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = WhooshIndexStore(Path(folder), TINY)
        fakes = FakeIndexStore()
        for each in (store, fakes):
            writer = each.begin("v")
            # Put once each: what is replaced still counts for how frequent a word is.
            for document in {document.record_id: document for document in records}.values():
                writer.put(document)
            writer.finish()
        for limit in (1, 10):
            found = store.open("v").similar(asked, limit=limit)
            assert found == fakes.open("v").similar(asked, limit=limit)
