"""Assertions and usage lines that were harvested are found by search and by the stack's place,
and are never an answer by their text alone."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
import pytest

from errdex.harvest.records import Origin
from errdex.harvest.run import harvest
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import SourceFile, Tree
from errdex.ingest import ingest
from errdex.knowledge import Knowledge
from errdex.records.filters import Filters
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import open_database

SOURCES = {
    "scales.py": '''
def weigh(grams):
    assert grams > 0, f"the scales must not be empty: {grams}"
    raise SystemExit("usage: scales GRAMS must be given")
''',
    "scales.rs": """
pub fn weigh(grams: u32) { assert!(grams > 0, "the rusty scales must not be empty"); }
""",
    "scales.c": """
void weigh(int grams) {
  assert(grams > nothing_at_all);
  fprintf(stderr, "usage: %s error GRAMS\\n", p); }
""",
    "fall.py": '''
def fall(stone):
    raise ValueError(f"the scales must not be empty: {stone} fell")
''',
}  # fmt: skip
APART = {
    "the scales must not be empty: {grams}": "assertion",
    "usage: scales GRAMS must be given": "usage",
    "the rusty scales must not be empty": "assertion",
    "Assertion `grams > nothing_at_all' failed": "assertion",
    "usage: {p} error GRAMS": "usage",
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    folder = tmp_path_factory.mktemp("apart")
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    files = [SourceFile(f"shop/{name}", str(folder / name)) for name in SOURCES]
    lines = list(harvest([Tree(Origin("acme/shop"), files)], Selection(), workers=1))
    found = {each["errorMessage"]: each for each in map(orjson.loads, lines)}
    wrong = {
        text: found.get(text) for text, kind in APART.items() if found[text]["errorType"] != kind
    }
    assert not wrong
    records = folder / "records.jsonl"
    records.write_bytes(b"".join(lines))
    store = open_database(f"sqlite:///{folder}/errdex.db")
    indexes = WhooshIndexStore(folder / "index")
    assert ingest([records], store=store, indexes=indexes, dataset="harvested").ok
    known = Knowledge(store, indexes)
    yield known
    known.close()
    store.close()


def first(knowledge: Knowledge, paste: str) -> str | None:
    events = knowledge.match(paste).answer.events
    found = [match.record.error_message for each in events for match in each.matches[:1]]
    return found[0] if found else None


ALONE = (
    "AssertionError: the scales must not be empty: 7\n",
    'Traceback (most recent call last):\n  File "app.py", line 3, in main\n'
    "AssertionError: the scales must not be empty: 7\n",
    "error: the rusty scales must not be empty\n",
    "usage: scales GRAMS must be given\n",
    "usage: /bin/scales error GRAMS\n",
    "Assertion `grams > nothing_at_all' failed\n",
)


def test_their_text_alone_is_no_answer(knowledge: Knowledge) -> None:
    assert {paste: first(knowledge, paste) for paste in ALONE} == dict.fromkeys(ALONE)


def test_an_error_of_the_same_words_comes_first(knowledge: Knowledge) -> None:
    said = first(knowledge, "ValueError: the scales must not be empty: a stone fell\n")
    assert said == "the scales must not be empty: {stone} fell"


FRAMED = {
    'Traceback (most recent call last):\n  File "/env/shop/scales.py", line 3, in weigh\n'
    '    assert grams > 0, f"the scales must not be empty: {grams}"\n'
    "AssertionError: the scales must not be empty: 7\n": "the scales must not be empty: {grams}",
    "thread 'main' panicked at shop/scales.rs:2:28:\nthe rusty scales must not be empty\n": (
        "the rusty scales must not be empty"
    ),
    "a.out: scales.c:2: weigh: Assertion `grams > nothing_at_all' failed.\n": (
        "Assertion `grams > nothing_at_all' failed"
    ),
}


def test_the_frame_of_their_place_finds_them(knowledge: Knowledge) -> None:
    assert {paste: first(knowledge, paste) for paste in FRAMED} == FRAMED


def test_search_finds_them(knowledge: Knowledge) -> None:
    items = knowledge.search_records("scales", Filters(error_type="assertion")).items
    assert {item.record.error_message for item in items} == {
        text for text, kind in APART.items() if kind == "assertion"
    }
    assert knowledge.search_records("usage GRAMS").total == 2
