"""What the words after `errdex show` name: a record, a cause, or several to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from errdex import lazy_re as re
from errdex.knowledge import CauseItem, RecordAnswer, SearchItem, ValueNotFound

if TYPE_CHECKING:
    from errdex.cli.remote_records import Records

MOST = 10
"""Records to choose from that are listed."""
_ID = re.compile(r"[0-9a-f]{16}")
_BEGINNING = re.compile(r"[0-9a-f]{4,15}")


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What was found: one record, one cause, or up to MOST records of `total`."""

    record: RecordAnswer | None = None
    cause: CauseItem | None = None
    choices: Sequence[SearchItem] = ()
    total: int = 0


def look_up(knowledge: Records, words: Sequence[str]) -> LookedUp:
    """Find what the words name. In this order: an id or the beginning of one, the address of a
    page, a code or class, a cause, and words that one record alone has."""
    text = " ".join(words).strip()
    if not text:
        return LookedUp()
    if "://" in text or text.startswith("/"):
        return _of_address(knowledge, text)
    if (found := _by_id(knowledge, text.lower())) is not None:
        return found
    several = LookedUp()
    for found in _candidates(knowledge, text):
        if found.record or found.cause:
            return found
        several = several if several.choices else found
    return several


def _of_address(knowledge: Records, address: str) -> LookedUp:
    try:
        path = unquote(urlsplit(address).path)
    except ValueError:  # no address
        return LookedUp()
    kind, _, rest = path.strip("/").partition("/")
    if kind == "causes" and rest:
        return _by_cause(knowledge, rest) or LookedUp()
    ids = [step for step in path.split("/") if _ID.fullmatch(step)]
    return (_by_id(knowledge, ids[0]) if ids else None) or LookedUp()


def _by_id(knowledge: Records, text: str) -> LookedUp | None:
    """The record with that id, or the records whose ids begin so."""
    if _ID.fullmatch(text):
        answer = knowledge.find_record(text)
        return LookedUp(record=answer) if answer else None
    if not _BEGINNING.fullmatch(text):
        return None
    page = knowledge.search_records(f"id:{text}*", limit=MOST)
    if len(page.items) == 1 and page.total == 1:
        return _record(knowledge, page.items[0])
    return LookedUp(choices=page.items, total=page.total) if page.items else None


def _by_cause(knowledge: Records, tag: str) -> LookedUp | None:
    try:
        return LookedUp(cause=knowledge.get_cause(tag).item)
    except ValueNotFound:
        return None


def _candidates(knowledge: Records, text: str) -> Iterator[LookedUp]:
    """What a text may mean, the most exact meaning first."""
    for field in ("code", "class"):
        if " " not in text and (named := _named(knowledge, field, text)):
            yield named
    if (cause := _by_cause(knowledge, text)) is not None:
        yield cause
    page = knowledge.search_records(text, limit=MOST)
    whole = [item for item in page.items if item.all_words]
    exact = [item for item in whole if text.casefold() == item.record.heading.casefold()]
    matched = [item for item in whole if item.matched]
    chosen = exact or matched or whole
    if len(chosen) == 1 and (exact or matched or page.total == 1):
        yield _record(knowledge, chosen[0])
    else:
        yield LookedUp(choices=whole or page.items, total=page.total or page.partial)


def _named(knowledge: Records, field: str, name: str) -> LookedUp | None:
    """The records that have exactly this code or class."""
    quoted = name.replace('"', "")
    page = knowledge.search_records(f'{field}:"{quoted}"', limit=MOST)
    attribute = "error_code" if field == "code" else "error_class"
    own = [
        item
        for item in page.items
        if (getattr(item.record, attribute) or "").casefold() == name.casefold()
    ]
    if len(own) == 1:
        return _record(knowledge, own[0])
    return LookedUp(choices=own, total=max(page.total, len(own))) if own else None


def _record(knowledge: Records, item: SearchItem) -> LookedUp:
    return LookedUp(record=knowledge.find_record(item.record.id))
