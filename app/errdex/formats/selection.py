"""A part of an answer: some of its errors, which refer to no others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Literal

from errdex.formats.answer import ErrorEvent, PasteAnswer

Only = Literal["known", "unknown"]
"""Errors that have a record, or those that have none."""


def keep_events(answer: PasteAnswer, kept: Sequence[int]) -> PasteAnswer:
    """The answer with the errors of these indexes, which are in order."""
    index_of = {old: new for new, old in enumerate(kept)}
    events = [
        replace(event, cause=None if event.cause is None else index_of.get(event.cause))
        for event in (answer.events[old] for old in kept)
    ]
    root = answer.root_cause
    return replace(
        answer,
        found=any(event.matches for event in events),
        root_cause=None if root is None else index_of.get(root),
        reading_order=[index_of[old] for old in answer.reading_order if old in index_of],
        events=events,
    )


def leave_out(answer: PasteAnswer, fingerprints: Collection[str]) -> PasteAnswer:
    """The answer without the errors of these fingerprints. When the error to look at first is
    one of them, the next one in the reading order is."""
    return _keep_where(answer, lambda event: event.fingerprint not in fingerprints)


def keep_only(answer: PasteAnswer, only: Only | None) -> PasteAnswer:
    """The answer with its known or its unknown errors alone, or as it is."""
    return _keep_where(answer, lambda event: only in (None, "known" if event.known else "unknown"))


def _keep_where(answer: PasteAnswer, wanted: Callable[[ErrorEvent], bool]) -> PasteAnswer:
    kept = [index for index, event in enumerate(answer.events) if wanted(event)]
    if len(kept) == len(answer.events):
        return answer
    part = keep_events(answer, kept)
    if answer.root_cause is None or part.root_cause is not None or not kept:
        return part
    return replace(part, root_cause=part.reading_order[0])
