"""What the knowledge base answers, and how it fails.

KnowledgeError
├── RecordNotFound      there is no record with that id
├── ValueNotFound       no record has that repository, tag, class …
├── BadCursor           a cursor that was not given out for this list (cursors.py)
└── SearchUnavailable   the full-text index is being built; all else goes on working
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from errdex.records.problems import Trouble
from errdex.store import FacetValue, RecordSummary, StoredRecord

if TYPE_CHECKING:
    from errdex.records.model import Record


class KnowledgeError(Trouble):
    """A question that cannot be answered; the message says why and what to do."""


class RecordNotFound(KnowledgeError):
    """There is no record with that id."""

    def __init__(self, record_id: str) -> None:
        self.record_id = record_id
        super().__init__(
            f"There is no record with the id “{record_id:.40}”. An id is 16 of the characters "
            "0-9 and a-f, as in the address of a record's page."
        )


class ValueNotFound(KnowledgeError):
    """No record has that value of a facet."""

    def __init__(self, facet: str, value: str) -> None:
        self.facet = facet
        self.value = value
        super().__init__(f"No record has the {facet} “{value:.200}”.")


class SearchUnavailable(KnowledgeError):
    """The full-text index of the data is missing and being built."""

    retry_after = 5
    """Seconds after which it makes sense to ask again."""

    def __init__(self) -> None:
        super().__init__(
            "The full-text index is being built; try again in a few seconds. "
            "Records and lists are served meanwhile."
        )


@dataclass(frozen=True)
class RecordAnswer:
    """One record, and the dataset version in which it was read."""

    stored: StoredRecord
    version: str

    @cached_property
    def record(self) -> Record:
        """The record itself, made of its stored body."""
        from errdex.records.validation import parse_record

        return parse_record(self.stored.body)


@dataclass(frozen=True, slots=True)
class RecordPage:
    """A page of a list. `total` counts the whole list."""

    items: Sequence[StoredRecord]
    total: int
    next_cursor: str | None
    version: str


@dataclass(frozen=True, slots=True)
class Extract:
    """A piece of a record's text around what was searched for."""

    field: str
    """The part of the record it is from, by its name on the wire."""
    text: str
    spans: Sequence[tuple[int, int]]
    """The (start, end) places in `text` that match."""


@dataclass(frozen=True, slots=True)
class SearchItem:
    """One full-text result. `all_words` is False where only some of the words occur."""

    record: StoredRecord
    score: float
    all_words: bool
    heading_spans: Sequence[tuple[int, int]]
    message_spans: Sequence[tuple[int, int]]
    extract: Extract | None
    """Where the words stand outside of the message; None when they don't."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of results, with what helps to go on from it."""

    items: Sequence[SearchItem]
    total: int
    facets: Mapping[str, Sequence[FacetValue]]
    suggestion: str | None
    notes: Sequence[str]
    next_cursor: str | None
    version: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a record is kin to another one."""

    kind: str
    """"background", "message", "tag", "file" or "class"."""
    values: tuple[str, ...]
    """What both have; empty for a message that is only alike."""
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Related:
    """A record that is kin to another one, and why."""

    record: RecordSummary
    reasons: Sequence[Reason]
    """The strongest first."""
    score: float


@dataclass(frozen=True, slots=True)
class RelatedAnswer:
    """The closest kin of a record, the closest first."""

    record: StoredRecord
    """Whose kin they are, of the same version."""
    items: Sequence[Related]
    version: str
    complete: bool = True
    """False while there is no full-text index: similar messages are missing."""


@dataclass(frozen=True, slots=True)
class ValuePage:
    """A page of a facet's values, the most frequent first. `total` counts all values;
    it is None where only the values of some records were asked for."""

    items: Sequence[FacetValue]
    total: int | None
    next_cursor: str | None
    version: str


@dataclass(frozen=True, slots=True)
class RepoAnswer:
    """One repository: how many records it has, and its most frequent classes, files and tags."""

    name: str
    records: int
    classes: Sequence[FacetValue]
    files: Sequence[FacetValue]
    tags: Sequence[FacetValue]
    version: str
