"""The full-text seam: what the rest of Errdex knows about search, whatever the engine.

An index is derived from the store and disposable. It is built aside under the
version it belongs to, becomes readable only when it is finished, and is opened
by version: `open` never returns an index of another version or a damaged one.

    SearchError
    ├── IndexMissing    no finished index for that version: build it
    └── IndexDamaged    its files are not what the builder wrote: build it again
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from errdex.records.filters import Filters
from errdex.records.problems import Trouble


class SearchError(Trouble):
    """Anything the full-text side cannot do; the message says what to do."""


class IndexMissing(SearchError):
    """There is no finished index for the version asked for."""


class IndexDamaged(SearchError):
    """The index of that version is not what its builder wrote."""


@dataclass(frozen=True, slots=True)
class IndexDocument:
    """What is searchable of one record. The source excerpt is left out on purpose:
    excerpts quote other errors' messages and would find the wrong record."""

    record_id: str
    message: str
    repo: str
    slug: str = ""
    error_class: str = ""
    error_type: str = ""
    error_code: str = ""
    severity: str = ""
    language: str = ""
    background_tag: str = ""
    file_path: str = ""
    function: str = ""
    tags: tuple[str, ...] = ()
    explanation: str = ""
    solutions: str = ""
    title: str = ""
    wordings: str = ""
    """What else the message reads like, a line each: what the samples say, and the alternatives
    of the pattern."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One full-text result. `all_words` is False if only some of the words occur."""

    record_id: str
    score: float
    all_words: bool


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page of hits ended, so that the next goes on behind it even when
    records came or went in between."""

    score: float
    record_id: str


FACET_NAMES = ("repo", "class", "type", "severity", "language", "tag")
FACET_VALUES = 50
"""A facet shows this many values at most."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """`total` counts the records that have every word, `partial` those that have only some;
    both are of all pages, whatever `limit` is. `facets` maps each of FACET_NAMES to the (value,
    count) pairs of all hits, most frequent first. `suggestion` is a corrected query when no
    record has every word and a near spelling of one that occurs nowhere exists. `terms` are
    what to highlight. `notes` say what was understood otherwise than written.
    `next_position` is None on the last page."""

    hits: Sequence[Hit]
    total: int
    partial: int
    facets: Mapping[str, Sequence[tuple[str, int]]]
    suggestion: str | None = None
    terms: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    next_position: Position | None = field(default=None)


class SearchIndex(Protocol):
    """A finished index of one version, safe to use from several threads."""

    @property
    def version(self) -> str:
        """The dataset version that this index was built from."""

    def search(
        self,
        query: str,
        filters: Filters,
        *,
        limit: int = 20,
        after: Position | None = None,
        first: Sequence[str] = (),
    ) -> SearchResult:
        """Find records, the best first. `query` may be any text; nothing in it raises. `filters`
        may have what is in `document.FILTER_FIELDS`; raises ValueError for others, which only
        the store knows. `first` are the ids of records that answer the query for another reason:
        those of them that the filters allow come before all others, in that order, and count as
        having every word."""

    def similar(self, document: IndexDocument, *, limit: int = 10) -> Sequence[Hit]:
        """Records whose message is like this one's, itself left out."""

    def count(self) -> int:
        """How many records the index holds."""

    def close(self) -> None:
        """Let go of its files."""


class IndexWriter(Protocol):
    """Builds one version aside. Nothing is visible before `finish` returns."""

    def put(self, document: IndexDocument) -> None:
        """Add the record, or replace the one with its id."""

    def delete(self, record_id: str) -> None:
        """Remove the record; an id that is not there is no error."""

    def end(self) -> None:
        """There is no more to put or delete: let other processes write what they have, without
        waiting for them. Raises SearchError."""

    def finish(self) -> None:
        """Make it durable and openable. Raises SearchError when it cannot."""

    def abort(self) -> None:
        """Drop everything that was written. Never raises."""


class IndexStore(Protocol):
    """All index versions in one place."""

    def open(self, version: str) -> SearchIndex:
        """Open a finished index. Raises IndexMissing or IndexDamaged."""

    def verify(self, version: str) -> int:
        """How many records a finished index holds, once its files were found to be what was
        written. Quicker than to open it. Raises IndexMissing or IndexDamaged."""

    def begin(self, version: str, *, base: str | None = None) -> IndexWriter:
        """Start building `version`: empty, or from a copy of the finished index `base`
        (which goes on being served). Raises IndexMissing or IndexDamaged for `base`."""

    def sweep(self, keep: set[str]) -> None:
        """Remove every other version and the left-overs of killed builds."""
