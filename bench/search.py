"""Search on made-up records, beside plain SQLite FTS5 on the same ones in the same run.

    python -m bench.search [--records 100000] [--queries 40]

FTS5 does less: it gives the best 20 and the total, while the index also counts six
facets, falls back to records with some of the words, and suggests spellings.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
from bench.search_documents import Corpus

from errdex.records.filters import Filters
from errdex.search.protocol import IndexDocument
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.search.whoosh.search import WhooshSearchIndex

PAGE = 20
COLUMNS = (
    *("message", "error_class", "error_code", "function", "tags", "background_tag"),
    *("repo", "file_path", "explanation", "solutions", "record_id"),
)


@dataclass(frozen=True)
class Asked:
    """A query for the index, and the same for FTS5."""

    text: str
    match: str = ""
    filters: Filters = field(default_factory=Filters)


def quote(*words: str) -> str:
    """Words as FTS5 wants them: every one is needed."""
    return " ".join('"{}"'.format(word.replace('"', "")) for word in words)


def misspell(pick: random.Random, word: str) -> str:
    place = pick.randrange(1, len(word) - 1)
    return word[:place] + word[place + 1 :]


def make_queries(
    corpus: Corpus, documents: list[IndexDocument], count: int
) -> dict[str, list[Asked]]:
    """So many queries of each kind, made of what the documents hold."""
    pick = random.Random(11)

    def words(document: IndexDocument, number: int) -> list[str]:
        return pick.sample([w for w in document.message.split() if w.isalpha()] * 5, number)

    def plain(*words: str) -> Asked:
        return Asked(" ".join(words), quote(*words))

    def phrase(document: IndexDocument) -> Asked:
        listed = document.message.split()
        start = pick.randrange(max(len(listed) - 3, 1))
        text = " ".join(listed[start : start + 3]).replace('"', "")
        return Asked(f'"{text}"', quote(text))

    def identifier(document: IndexDocument) -> Asked:
        return plain(document.function)

    def prefixed(document: IndexDocument) -> Asked:
        word = max(words(document, 3), key=len)
        start = word[: pick.choice([3, 4, 5])]
        return Asked(f"{start}*", f"{quote(start)}*")

    def filtered(document: IndexDocument) -> Asked:
        word = words(document, 1)
        narrowed = Filters(repo=document.repo, severity=document.severity)
        return replace(plain(*word), filters=narrowed)

    def with_class(document: IndexDocument) -> Asked:
        (word,) = words(document, 1)
        match = f"{quote(word)} AND error_class:{quote(document.error_class)}"
        return Asked(f"{word} class:{document.error_class}", match)

    kinds: dict[str, Callable[[IndexDocument], Asked]] = {
        "one word": lambda d: plain(*words(d, 1)),
        "two words": lambda d: plain(*words(d, 2)),
        "three words": lambda d: plain(*words(d, 3)),
        "five words": lambda d: plain(*words(d, 5)),
        "commonest words": lambda _: plain(*pick.sample(corpus.words[:30], pick.randint(1, 3))),
        "identifier": identifier,
        "class name": lambda d: plain(d.error_class),
        "word and class:": with_class,
        "word and filters": filtered,
        "phrase": phrase,
        "prefix*": prefixed,
        "misspelled": lambda d: plain(
            misspell(pick, max(d.message.split(), key=len)), *words(d, 1)
        ),
        "whole message": lambda d: plain(*d.message.split()),
        "id": lambda d: plain(d.record_id),
    }
    return {
        kind: [make(document) for document in pick.sample(documents, count)]
        for kind, make in kinds.items()
    }


class Fts5:
    """The same documents in SQLite's own full-text index."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path)
        columns = ", ".join(COLUMNS)
        self.connection.execute(f"CREATE VIRTUAL TABLE documents USING fts5({columns}, severity)")

    def build(self, documents: list[IndexDocument]) -> None:
        marks = ", ".join("?" * (len(COLUMNS) + 1))
        rows = (
            (
                *(
                    " ".join(value) if isinstance(value, tuple) else value
                    for value in (getattr(document, name) for name in COLUMNS)
                ),
                document.severity,
            )
            for document in documents
        )
        with self.connection:
            self.connection.executemany(f"INSERT INTO documents VALUES ({marks})", rows)

    def search(self, asked: Asked) -> int:
        where = "documents MATCH ?"
        values = [asked.match]
        for name in ("repo", "severity"):
            value = getattr(asked.filters, name)
            if value is not None:
                where += f" AND {name} = ?"
                values.append(value)
        sql = f"SELECT record_id, rank FROM documents WHERE {where} ORDER BY rank LIMIT {PAGE}"
        self.connection.execute(sql, values).fetchall()
        count = f"SELECT count(*) FROM documents WHERE {where}"
        return int(self.connection.execute(count, values).fetchone()[0])


@contextmanager
def watch_memory() -> Iterator[dict[str, float]]:
    """The most memory that this process has grown by, its children included, in MB."""
    figures = {"mb": 0.0}
    ended = threading.Event()
    me = psutil.Process()
    before = me.memory_info().rss

    def look() -> None:
        while not ended.wait(0.05):
            used = me.memory_info().rss - before
            for child in me.children():
                try:
                    used += child.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            figures["mb"] = max(figures["mb"], used / 1e6)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield figures
    finally:
        ended.set()
        thread.join()


def clock(work: Callable[[], object]) -> float:
    """How many seconds the work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def percentile(seconds: list[float], share: float) -> float:
    """In milliseconds."""
    ordered = sorted(seconds)
    return 1000 * ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def measure_queries(
    index: WhooshSearchIndex, peer: Fts5, queries: dict[str, list[Asked]]
) -> dict[str, dict[str, float]]:
    """For each kind, and for all together, the milliseconds of both."""
    ours: dict[str, list[float]] = {}
    theirs: dict[str, list[float]] = {}
    for kind, listed in queries.items():
        ours[kind] = [clock(lambda a=asked: index.search(a.text, a.filters)) for asked in listed]
        theirs[kind] = [clock(lambda a=asked: peer.search(a)) for asked in listed]
    ours["all"] = [seconds for listed in ours.values() for seconds in listed]
    theirs["all"] = [seconds for listed in theirs.values() for seconds in listed]
    return {
        kind: {
            "p50_ms": percentile(ours[kind], 0.5),
            "p95_ms": percentile(ours[kind], 0.95),
            "fts5_p50_ms": percentile(theirs[kind], 0.5),
            "fts5_p95_ms": percentile(theirs[kind], 0.95),
        }
        for kind in ours
    }


def measure(records: int = 100_000, queries: int = 40) -> dict[str, Any]:
    """Everything that is measured, by name."""
    corpus = Corpus()
    documents = list(corpus.documents(records))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = WhooshIndexStore(folder / "index")

        def build() -> None:
            writer = store.begin("1")
            for document in documents:
                writer.put(document)
            writer.finish()

        def change() -> None:
            writer = store.begin("2", base="1")
            for document in documents[:10]:
                writer.put(replace(document, message="changed " + document.message))
            writer.finish()

        with watch_memory() as memory:
            build_seconds = clock(build)
        peer = Fts5(folder / "fts5.sqlite")
        with watch_memory() as peer_memory:
            peer_seconds = clock(lambda: peer.build(documents))
        open_seconds = clock(lambda: store.open("1"))
        index = store.open("1")
        size = sum(path.stat().st_size for path in (folder / "index").rglob("*")) / 1e6
        kinds = measure_queries(index, peer, make_queries(corpus, documents, queries))
        similar = [clock(lambda d=d: index.similar(d)) for d in documents[:: records // queries]]
        return {
            "records": records,
            "docs_per_second": records / build_seconds,
            "fts5_docs_per_second": records / peer_seconds,
            "build_mb": memory["mb"],
            "fts5_build_mb": peer_memory["mb"],
            "size_mb": size,
            "fts5_size_mb": (folder / "fts5.sqlite").stat().st_size / 1e6,
            "open_seconds": open_seconds,
            "ten_changes_seconds": clock(change),
            "similar_p50_ms": 1000 * statistics.median(similar),
            "similar_p95_ms": percentile(similar, 0.95),
            "queries": kinds,
        }


def report(figures: dict[str, Any]) -> None:
    """Print the figures as a table."""
    print(f"{figures['records']:,} records           index        FTS5     ratio")
    for title, ours, theirs in (
        ("built, records/s", "docs_per_second", "fts5_docs_per_second"),
        ("memory, MB", "build_mb", "fts5_build_mb"),
        ("on disk, MB", "size_mb", "fts5_size_mb"),
    ):
        one, other = figures[ours], figures[theirs]
        print(f"{title:24} {one:10,.0f}  {other:10,.0f}  {one / other:8.2f}")
    print(f"{'opened, s':24} {figures['open_seconds']:10.2f}")
    print(f"{'ten changes, s':24} {figures['ten_changes_seconds']:10.2f}")
    print(f"{'similar, ms p50 / p95':24} {figures['similar_p50_ms']:10.1f}", end=" /")
    print(f"{figures['similar_p95_ms']:10.1f}")
    print(
        f"\n{'query':18} {'index p50':>10} {'p95 ms':>8} {'FTS5 p50':>9} {'p95 ms':>8} {'ratio':>7}"
    )
    for kind, row in figures["queries"].items():
        ratio = row["p95_ms"] / row["fts5_p95_ms"]
        print(f"{kind:18}", *(f"{row[name]:10.1f}" for name in row), f"{ratio:10.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=40, help="of each kind")
    report(measure(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
