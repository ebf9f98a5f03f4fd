"""tantivy, a search engine library in Rust, on the same documents and queries."""

from __future__ import annotations

import re
import time
from pathlib import Path

import tantivy
from bench.search import COLUMNS, PAGE, Asked

from errdex.search.protocol import IndexDocument

TEXT = ("message", "error_class", "tags", "explanation", "solutions", "file_path", "function")

_PART = re.compile(r'(?:\w+:)?"[^"]*"')


class Tantivy:
    """Built in `folder`; every word of a query is needed, as in ours."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        schema = tantivy.SchemaBuilder()
        for name in COLUMNS:
            schema.add_text_field(name, stored=name == "record_id")
        schema.add_text_field("severity", tokenizer_name="raw")
        self._index = tantivy.Index(schema.build(), path=str(folder))

    def build(self, documents: list[IndexDocument]) -> float:
        """Seconds until all documents can be found."""
        begun = time.perf_counter()
        writer = self._index.writer(heap_size=128_000_000, num_threads=1)
        for document in documents:
            values = {
                name: " ".join(value) if isinstance(value, tuple) else value
                for name in COLUMNS
                if (value := getattr(document, name))
            }
            if document.severity:
                values["severity"] = document.severity
            writer.add_document(tantivy.Document(**values))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        return time.perf_counter() - begun

    def search(self, asked: Asked) -> int:
        """The total, after reading the ids of the best 20."""
        query = self._query(asked)
        searcher = self._index.searcher()
        found = searcher.search(query, limit=PAGE, count=True)
        for _, address in found.hits:
            searcher.doc(address)
        return int(found.count)

    def _query(self, asked: Asked) -> tantivy.Query:
        parts = [part for part in _PART.findall(asked.match) if any(map(str.isalnum, part))]
        if asked.match.endswith("*"):
            start = asked.match.strip('"*').lower()
            return tantivy.Query.regex_query(self._index.schema, "message", f"{start}.*")
        parts += [
            f'{name}:"{value}"'
            for name in ("repo", "severity")
            if (value := getattr(asked.filters, name))
        ]
        return self._index.parse_query(" AND ".join(parts), list(TEXT))
