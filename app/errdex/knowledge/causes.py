"""Causes: their texts beside the numbers of their records, and finding them by words.

Causes are some hundreds, so all are compared with the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nsmallest

from errdex import lazy_re as re
from errdex.knowledge.answers import CauseItem
from errdex.records.filters import Filters
from errdex.store import KnownCause, Snapshot

_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 12
"""More words are a sentence or a message, which names no cause."""
_SMALL = frozenset({"a", "an", "and", "by", "for", "in", "is", "of", "on", "or", "the", "to"})


def item_of(tag: str, records: int, known: Mapping[str, KnownCause]) -> CauseItem:
    """The cause with that tag."""
    stored = known.get(tag)
    return CauseItem(tag, records, stored.cause if stored else None)


def find(snapshot: Snapshot, tag: str | None) -> CauseItem | None:
    """The cause with that tag; None if it has neither a text nor records."""
    if not tag:
        return None
    records = snapshot.count_records(Filters(background_tag=tag))
    found = item_of(tag, records, snapshot.causes())
    return found if found.records or found.cause else None


def search(text: str, known: Mapping[str, KnownCause], limit: int) -> list[str]:
    """The tags of the causes whose tag or title holds every word, the closest first. One word alone
    must be the whole tag or title: `module` is in many."""
    wanted = _words_of(text)
    if not wanted or len(wanted) > _MOST_WORDS:
        return []
    found = []
    for each in known.values():
        names = (_words_of(each.cause.tag), _words_of(each.cause.title))
        others = [len(words - wanted) for words in names if wanted <= words]
        if others and (len(wanted) > 1 or not min(others)):
            found.append((min(others), each.cause.tag))
    return [tag for _, tag in nsmallest(limit, found)]


def _words_of(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text[:1000])} - _SMALL
