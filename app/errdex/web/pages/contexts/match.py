"""What the pages of a paste and its answer are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from errdex.formats.draft import RecordDraft
from errdex.store import StoredRecord
from errdex.web.match.contexts import CapturedValue, Example, MatchView, PasteView
from errdex.web.pages.contexts.page import PageContext


@dataclass(frozen=True, kw_only=True)
class MatchPage(PageContext):
    """`/match`: the form for a paste, or its answer."""

    template: ClassVar[str] = "match.html"

    heading: str
    """The error to see first; empty without an answer."""
    examples: Sequence[Example]
    field: str
    """The text in the form."""
    words: str
    """The paste, when it is short enough to search for; else empty."""
    problem: str
    """Why there is no answer; empty otherwise."""
    answer: PasteView | None


@dataclass(frozen=True, kw_only=True)
class SharedPage(PageContext):
    """`/match/shared`: shared records, which wait for the values of the link."""

    template: ClassVar[str] = "shared.html"

    records: Sequence[MatchView | None]
    """In the order of the link; None for one that was not found."""
    missing: int
    """The number of shared records that were not found."""


@dataclass(frozen=True, kw_only=True)
class DraftPage(PageContext):
    """`/draft`: the form for the draft of a record."""

    template: ClassVar[str] = "draft.html"

    draft: RecordDraft
    pattern: str
    """The pattern that it has; empty without a message."""
    captures: Sequence[CapturedValue]
    """What the pattern captures from the first sample."""
    problems: Sequence[str]
    """Why the check would refuse it."""
    warnings: Sequence[str]
    unfinished: Sequence[str]
    """What its writer has still to say."""
    known: Sequence[StoredRecord]
    """Records that match its samples already."""
    yaml: str
    """The record file; empty without a message."""


@dataclass(frozen=True, kw_only=True)
class KeptAnswerPage(PageContext):
    """`/match/kept`: an answer that only the browser has."""

    template: ClassVar[str] = "kept.html"
