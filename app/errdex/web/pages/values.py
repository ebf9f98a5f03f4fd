"""What the pages of a facet's values, causes and repositories have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Query

from errdex import lazy_re as re
from errdex.knowledge import Knowledge, RecordList
from errdex.records.filters import Filters
from errdex.web.pages.contexts import Common

Cursor = Annotated[str | None, Query(max_length=2000)]
_DIGITS = re.compile(r"([0-9]{1,18})", re.ASCII)
SORTED = 100
"""A list of up to so many records is one page, by heading; a longer one is by id, in pages."""
COMMON = (("class", "Classes"), ("repo", "Repositories"), ("tag", "Tags"), ("type", "Types"))


def list_records(knowledge: Knowledge, filters: Filters, cursor: str | None) -> RecordList:
    """The records of a list, or a page of them. Raises BadCursor."""
    page = knowledge.list_records(filters, limit=20, cursor=cursor)
    if cursor or page.total > SORTED:
        return page
    whole = knowledge.list_records(filters, limit=SORTED)
    if whole.next_cursor:  # records were added in between
        return page
    return replace(whole, items=sorted(whole.items, key=lambda each: _reading_key(each.heading)))


def _reading_key(heading: str) -> list[tuple[int, str]]:
    """Sorts as people read: without case, and numbers by their value."""
    parts = _DIGITS.split(heading.casefold()[:200])
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts if part]


def list_common(knowledge: Knowledge, filters: Filters, facet: str, total: int) -> list[Common]:
    """Where the records of a list occur: the values that at least two of them share."""
    if total < 2:
        return []
    groups = []
    for name, heading in COMMON:
        if name != facet:
            values = knowledge.list_values(name, filters, limit=8).items
            shared = [each for each in values if each.records > 1]
            if shared:
                groups.append(Common(heading=heading, facet=name, values=shared))
    return groups
