"""A record of several places is answered with the place that the paste's stack names: a small
package is harvested and ingested, and tracebacks of it are pasted."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

from errdex.formats.answer import NamedRecord, to_wire
from errdex.formats.build import build_answer
from errdex.formats.options import WriteOptions
from errdex.formats.text import write_text
from errdex.harvest.records import Origin
from errdex.harvest.run import harvest
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import SourceFile, Tree
from errdex.ingest import export_records, ingest
from errdex.knowledge import Knowledge
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import open_database

DRAWER = """
def pay(coins):
    # A till is small.
    if coins > 100:
        raise ValueError(f"no room for {coins} coins")

def refund(coins):
    if coins < 0:
        raise ValueError(f"no room for {coins} coins")
"""
PURSE = """
class Purse:
    def fill(self, amount):
        if self.closed:
            raise ValueError(f"no room for {amount} coins")
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    folder = tmp_path_factory.mktemp("places")
    (folder / "drawer.py").write_text(DRAWER)
    (folder / "purse.py").write_text(PURSE)
    files = [SourceFile(f"tills/{name}.py", f"{folder}/{name}.py") for name in ("drawer", "purse")]
    files.append(SourceFile("tills/old/index.py", f"{folder}/purse.py"))
    url = "https://example.com/{path}#L{line}"
    tree = Tree(Origin("acme/tills", "1.2.0", None, url), files)
    records = folder / "records.jsonl"
    records.write_bytes(b"".join(harvest([tree], Selection(), workers=1)))
    store = open_database(f"sqlite:///{folder}/errdex.db")
    indexes = WhooshIndexStore(folder / "index")
    assert ingest([records], store=store, indexes=indexes, dataset="harvested").ok
    known = Knowledge(store, indexes)
    yield known
    known.close()
    store.close()


def traceback(*frames: tuple[str, int, str], message: str = "no room for 101 coins") -> str:
    shown = "".join(f'  File "{file}", line {line}, in {name}\n' for file, line, name in frames)
    return f"Traceback (most recent call last):\n{shown}ValueError: {message}\n"


def answered(knowledge: Knowledge, paste: str) -> NamedRecord:
    (event,) = build_answer(knowledge.match(paste)).events
    assert len(event.matches) == 1
    return event.matches[0].record


def place_of(record: NamedRecord) -> tuple[Any, ...]:
    return record.place, record.file_path, record.line_number, record.function


LIB = "/env/lib/python3.11/site-packages/tills"
NAMED = (
    ("the first", [(f"{LIB}/drawer.py", 5, "pay")], (0, "tills/drawer.py", 5, "pay")),
    ("same file", [(f"{LIB}/drawer.py", 9, "refund")], (1, "tills/drawer.py", 9, "refund")),
    ("another line", [(f"{LIB}/drawer.py", 8, "refund")], (1, "tills/drawer.py", 9, "refund")),
    ("another file", [(f"{LIB}/purse.py", 5, "fill")], (3, "tills/purse.py", 5, "Purse.fill")),
    (
        "a name that many have",
        [(f"{LIB}/old/index.py", 5, "fill")],
        (2, "tills/old/index.py", 5, "Purse.fill"),
    ),
    (
        "one that raises for it",
        [(f"{LIB}/drawer.py", 9, "refund"), (f"{LIB}/errors.py", 3, "fail")],
        (1, "tills/drawer.py", 9, "refund"),
    ),
    (
        "the innermost of two",
        [(f"{LIB}/drawer.py", 9, "refund"), (f"{LIB}/purse.py", 5, "fill")],
        (3, "tills/purse.py", 5, "Purse.fill"),
    ),
)


def test_the_place_is_the_one_that_the_stack_names(knowledge: Knowledge) -> None:
    wrong = []
    for case, frames, expected in NAMED:
        paste = traceback(("app.py", 3, "main"), *frames)
        found = place_of(answered(knowledge, paste))
        wrong += [(case, found)] if found != expected else []
    assert not wrong


def test_its_condition_link_and_explanation_are_those_of_the_place(knowledge: Knowledge) -> None:
    first = answered(knowledge, traceback((f"{LIB}/drawer.py", 5, "pay")))
    assert first.documentation == "A till is small."
    assert first.github_url == "https://example.com/tills/drawer.py#L5"
    refund = answered(knowledge, traceback((f"{LIB}/drawer.py", 9, "refund")))
    assert refund.raised_when == "coins < 0"
    assert refund.github_url == "https://example.com/tills/drawer.py#L9"
    assert refund.documentation is None
    assert refund.source_explanation == (
        "Raised by `refund` when `coins` is less than `0`. `coins` is the parameter of `refund`."
    )
    assert refund.other_places is None


NO_PLACE = (
    "ValueError: no room for 101 coins\n",
    traceback(("app.py", 3, "main")),
    traceback(("/srv/web/index.py", 77, "handle")),
)


def test_without_a_frame_that_names_one_the_number_of_the_others_is_said(
    knowledge: Knowledge,
) -> None:
    for paste in NO_PLACE:
        record = answered(knowledge, paste)
        assert (record.place, record.other_places) == (None, 3), paste
        assert record.file_path == "tills/drawer.py"
    wire = to_wire(build_answer(knowledge.match(NO_PLACE[0])))["events"][0]["matches"][0]["record"]
    assert wire["otherPlaces"] == 3
    assert "place" not in wire
    text = write_text(build_answer(knowledge.match(NO_PLACE[0])), WriteOptions()).decode()
    assert "when coins > 100, or in 3 other places" in text


def test_places_are_found_by_search(knowledge: Knowledge) -> None:
    assert [hit.record.repo for hit in knowledge.search_records("Purse.fill").items] == [
        "acme/tills"
    ]
    assert knowledge.search_records("purse.py").total == 1


def test_an_export_has_them_and_is_read_back(knowledge: Knowledge, tmp_path) -> None:
    exported = io.BytesIO()
    export_records(knowledge._store, exported)
    assert b'"places":[{"filePath":"tills/drawer.py","lineNumber":9' in exported.getvalue()
    file = tmp_path / "again.jsonl"
    file.write_bytes(exported.getvalue())
    store = open_database(f"sqlite:///{tmp_path}/errdex.db")
    assert ingest([file], store=store, indexes=WhooshIndexStore(tmp_path / "i"), dataset="own").ok
    again = io.BytesIO()
    export_records(store, again)
    store.close()
    assert again.getvalue() == exported.getvalue()
