"""Records, causes and search results as GitHub-flavoured Markdown.

Texts of records stay text: they can neither mention people nor make links, images or HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from errdex.formats.layout import MOST_PLACES
from errdex.formats.markdown_text import escaped, escaped_prose, fenced, inline_code, list_item
from errdex.knowledge import CauseItem, SearchItem
from errdex.records.causes import Cause
from errdex.records.field_types import Place
from errdex.records.messages.texts import language_of_snippet, record_texts
from errdex.records.model import Record
from errdex.records.printable import on_one_line, printable

_SENTENCE = 200
"""Characters of the explanation that a search result shows."""


def record_markdown(record: Record, cause: Cause | None = None, *, site: str = "") -> str:
    """The whole record, the fix first, without empty parts. `site` is the scheme and host of
    links; without it they are relative."""
    heading = on_one_line(record.heading)
    parts = [f"# {escaped(heading)}"]
    kinds = (record.repo, record.error_class, record.error_code, record.severity)
    parts.append(" · ".join(inline_code(on_one_line(kind)) for kind in kinds if kind))
    if record.heading != record.error_message:
        parts.append(fenced(printable(record.error_message)))
    for title, body in _parts(record):
        parts += [f"## {title}", body]
    if cause is not None:
        link = f"{site}/causes/{quote(cause.tag, safe='/~')}"
        parts += ["## Cause", f"[{escaped(on_one_line(cause.title))}]({link})"]
    parts.append(f"[{record.id}]({site}/errors/{record.id}/{record.slug})")
    return "\n\n".join(parts) + "\n"


def cause_markdown(item: CauseItem, *, site: str = "") -> str:
    """A cause: what is behind its errors, what to check, and where its errors are listed."""
    parts = [f"# {escaped(on_one_line(item.title))}"]
    if item.cause:
        parts.append(_prose(item.cause.text))
        if item.cause.checks:
            parts += ["## What to check first", _steps(item.cause.checks)]
        if item.cause.tell:
            parts += ["## Which of its errors you have", _prose(item.cause.tell)]
    number = f"{item.records:,} {'error has' if item.records == 1 else 'errors have'} this cause"
    parts.append(f"[{number}]({site}/causes/{quote(item.tag, safe='/~')})")
    return "\n\n".join(parts) + "\n"


def search_markdown(items: Sequence[SearchItem], *, site: str = "") -> str:
    """Search results as a numbered list, each with its address."""
    if not items:
        return "No results.\n"
    return "\n".join(_entry(number, item, site) for number, item in enumerate(items, 1)) + "\n"


def _entry(number: int, item: SearchItem, site: str) -> str:
    record = item.record
    link = f"{site}/errors/{record.id}/{record.slug}"
    kinds = (record.error_class, record.repo)
    named = " · ".join(escaped(on_one_line(kind)) for kind in kinds if kind)
    means = on_one_line(record.body.get("documentation") or "")
    if len(means) > _SENTENCE:
        means = means[:_SENTENCE].rsplit(" ", 1)[0] + " …"
    first = f"{number}. [{escaped(on_one_line(record.heading))}]({link}) ({named})"
    return f"{first}\n   {escaped(means)}" if means else first


def _parts(record: Record) -> Iterator[tuple[str, str]]:
    """The parts that the record has, each with its title, in the order of its page."""
    texts = record_texts(record)
    place = record.safe_github_url
    for title, body in (
        ("Solutions", _steps(texts["solutions"] or ())),
        ("Example fix", _code(texts["example_fix"], record)),
        ("What it means", _prose(texts["documentation"])),
        ("What the source says", _prose(record.source_explanation)),
        ("What triggers it", _prose(texts["trigger_scenarios"])),
        ("Common situations", _prose(texts["common_situations"])),
        ("Source", "\n\n".join(_source(record))),
        ("Other places", "\n".join(_places(record))),
        ("Strategy", _prose(texts["handling_strategy"])),
        ("Validate before calling", _code(texts["validation_code"], record)),
        ("Type guard", _code(texts["type_guard"], record)),
        ("Catch it", _code(texts["try_catch_pattern"], record)),
        ("Prevention", _items(texts["prevention_tips"] or ())),
        ("References", _links([*record.safe_references, *([place] if place else [])])),
    ):
        if body:
            yield title, body


def _prose(text: str | None) -> str:
    return escaped_prose(printable(text.strip("\n"))) if text else ""


def _code(text: str | None, record: Record) -> str:
    language = language_of_snippet(text, record.language) if text else None
    return fenced(printable(text.strip("\n")), language or "text") if text else ""


def _steps(texts: Sequence[str]) -> str:
    steps = (list_item(_prose(text)) for text in texts)
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def _items(texts: Sequence[str]) -> str:
    return "\n".join(f"-  {list_item(_prose(text))}" for text in texts)


def _links(addresses: Sequence[str]) -> str:
    """Addresses in angle brackets, none of which a safe address has."""
    return "\n".join(f"- <{each}>" for each in addresses)


def _source(record: Record) -> Iterator[str]:
    if record.file_path:
        yield _where(record)
    if record.source_code:
        yield fenced(printable(record.source_code.strip("\n")), record.language or "text")


def _places(record: Record) -> Iterator[str]:
    """The further places that say the same."""
    places = record.places or []
    for place in places[:MOST_PLACES]:
        when = f" when {inline_code(on_one_line(place.raised_when))}" if place.raised_when else ""
        yield f"- {_where(place)}{when}"
    if more := max(0, len(places) - MOST_PLACES) + (record.places_left_out or 0):
        yield f"- … and {more:,} more"


def _where(place: Record | Place) -> str:
    line = f":{place.line_number}" if place.line_number else ""
    within = f" in {inline_code(on_one_line(place.function))}" if place.function else ""
    return inline_code(f"{on_one_line(place.file_path or '')}{line}") + within
