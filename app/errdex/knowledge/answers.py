"""The answers of the knowledge base, and its errors.

KnowledgeError
├── RecordNotFound      no record has that id
├── ValueNotFound       no record has that repository, tag, class …
├── BadCursor           the cursor is not from this list (cursors.py)
└── SearchUnavailable   the full-text index is being built; everything else works
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from errdex import lazy_re as re
from errdex.records.problems import Trouble
from errdex.store import FacetValue, RecordSummary, StoredRecord

if TYPE_CHECKING:
    from errdex.records.causes import Cause
    from errdex.records.model import Record

_WORDS = re.compile(r"[a-z0-9 ]+")


class KnowledgeError(Trouble):
    """A query that cannot be answered; the message says why and what to do."""


class RecordNotFound(KnowledgeError):
    """No record has that id."""

    def __init__(self, record_id: str) -> None:
        self.record_id = record_id
        super().__init__(
            f"No record has the id “{record_id:.40}”. An id has 16 of the characters 0-9 and a-f, "
            "as in the address of a record's page."
        )


class ValueNotFound(KnowledgeError):
    """No record has that value of a facet."""

    def __init__(self, facet: str, value: str) -> None:
        self.facet = facet
        self.value = value
        super().__init__(f"No record has the {facet} “{value:.200}”.")


class SearchUnavailable(KnowledgeError):
    """The full-text index is missing and is being built."""

    retry_after = 5
    """Seconds after which a client can try again."""

    def __init__(self) -> None:
        super().__init__(
            "The full-text index is being built. Try again in a few seconds. "
            "Records and lists are available meanwhile."
        )


@dataclass(frozen=True)
class RecordAnswer:
    """One record, and the dataset version in which it was read."""

    stored: StoredRecord
    version: str

    @cached_property
    def record(self) -> Record:
        """The record, parsed from its stored body."""
        from errdex.records.validation import parse_record

        return parse_record(self.stored.body)


@dataclass(frozen=True, slots=True)
class RecordList:
    """A page of a list. `total` counts the whole list."""

    items: Sequence[StoredRecord]
    total: int
    next_cursor: str | None
    version: str


@dataclass(frozen=True, slots=True)
class Extract:
    """An extract of a record around the words of a search."""

    field: str
    """The JSON key of the field."""
    text: str
    spans: Sequence[tuple[int, int]]
    """The (start, end) places in `text` that match."""


@dataclass(frozen=True, slots=True)
class SearchItem:
    """One full-text result. `all_words` is False if only some of the words occur."""

    record: StoredRecord
    score: float
    all_words: bool
    heading_spans: Sequence[tuple[int, int]]
    message_spans: Sequence[tuple[int, int]]
    extract: Extract | None
    """An extract of another field with the words; None if there is none."""
    matched: bool = False
    """The words are a line that the record's pattern matches."""


@dataclass(frozen=True, slots=True)
class SearchResults:
    """A page of search results, with facets, notes and the next cursor. `total` counts the records
    with every word, `partial` those with some of the words."""

    items: Sequence[SearchItem]
    total: int
    partial: int
    facets: Mapping[str, Sequence[FacetValue]]
    suggestion: str | None
    notes: Sequence[str]
    next_cursor: str | None
    version: str


@dataclass(frozen=True, slots=True)
class CauseItem:
    """A cause in a list, with the number of its records."""

    tag: str
    records: int
    cause: Cause | None
    """Its text; None if it has none."""

    @property
    def title(self) -> str:
        """What heads it: its title, else its tag in words."""
        if self.cause:
            return self.cause.title
        words = self.tag.replace("-", " ")
        return words.capitalize() if _WORDS.fullmatch(words) else self.tag


@dataclass(frozen=True, slots=True)
class Reason:
    """Why two records are related."""

    kind: str
    """"background", "message", "tag", "file" or "class"."""
    values: tuple[str, ...]
    """The shared values; empty for a similar message."""
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Related:
    """A related record, with the reasons."""

    record: RecordSummary
    reasons: Sequence[Reason]
    """The strongest reason first."""
    score: float


@dataclass(frozen=True, slots=True)
class RelatedAnswer:
    """The records related to a record, the closest first."""

    record: StoredRecord
    """The record itself, of the same version."""
    items: Sequence[Related]
    version: str
    complete: bool = True
    """False without a full-text index, when records with similar messages are missing."""
    cause: CauseItem | None = None
    """The record's cause."""


@dataclass(frozen=True, slots=True)
class ValueList:
    """A page of a facet's values, the most frequent first. `total` counts all values;
    it is None for a filtered list."""

    items: Sequence[FacetValue]
    total: int | None
    next_cursor: str | None
    version: str


@dataclass(frozen=True, slots=True)
class CauseAnswer:
    """One cause, and the dataset version in which it was read."""

    item: CauseItem
    version: str


@dataclass(frozen=True, slots=True)
class CauseList:
    """A page of the causes, those with the most records first. `total` counts all."""

    items: Sequence[CauseItem]
    total: int
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
