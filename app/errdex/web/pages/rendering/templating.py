"""Jinja2 set up once, with what templates may call.

A template's context is a dataclass of contexts.py; `render` accepts nothing else.
Autoescaping is on for every template and an unknown name is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from errdex.records.messages.derived_explanation import source_explanation
from errdex.records.messages.texts import language_of_snippet, with_blanks
from errdex.resources import TEMPLATES
from errdex.store import StoredRecord
from errdex.web.http.assets import static_url
from errdex.web.pages.rendering import code, filled, prose
from errdex.web.pages.rendering.lexing import page_time

if TYPE_CHECKING:
    from errdex.web.pages.contexts import PageContext


def shortened(text: str, most: int) -> str:
    """The text, or so much of it as fits, cut at a word."""
    if len(text) <= most:
        return text
    return text[: max(text.rfind(" ", 0, most), most // 2)].rstrip() + "…"


def mark(text: str, spans: Iterable[tuple[int, int]], most: int = 2000) -> Markup:
    """The text, escaped and shortened, with the spans inside <mark>."""
    text = shortened(text, most)
    parts: list[str] = []
    end = 0
    for start, stop in spans:
        if stop > len(text):
            break
        parts += (escape(text[end:start]), Markup("<mark>"), escape(text[start:stop]))
        parts.append(Markup("</mark>"))
        end = stop
    parts.append(escape(text[end:]))
    return Markup("").join(parts)


_FACET_PATHS = {"repo": "repos", "tag": "tags", "class": "classes", "background": "causes"}


def value_url(facet: str, value: str) -> str:
    """The address of the page of a facet's value, whatever characters the value has.

    Browsers remove path segments that are empty or only dots: such a value is a parameter of
    the search page instead.
    """
    segments = value.split("/")
    if facet not in _FACET_PATHS or any(segment.strip(".") == "" for segment in segments):
        return search_url("", {facet: value})
    return f"/{_FACET_PATHS[facet]}/{quote(value, safe='/~')}"


def search_url(query: str, filters: Mapping[str, str], cursor: str | None = None) -> str:
    """The address of a search."""
    given = {"q": query, **filters, "cursor": cursor or ""}
    parameters = {name: value for name, value in given.items() if value}
    return f"/search?{urlencode(parameters)}" if parameters else "/search"


class HasPage(Protocol):
    """A record, in any form that has its id and slug."""

    @property
    def id(self) -> str: ...  # noqa: D102

    @property
    def slug(self) -> str: ...  # noqa: D102


def record_url(record: HasPage) -> str:
    """The address of a record's page."""
    return f"/errors/{record.id}/{quote(record.slug, safe='~')}"


def page_url(address: str, cursor: str) -> str:
    """The address of the next page of a list."""
    return f"{address}?{urlencode({'cursor': cursor})}"


def list_url(address: str, wanted: str, *, sort: str = "", cursor: str | None = None) -> str:
    """The address of a list of names: those that contain a text, in an order, from a page on."""
    given = {"q": wanted, "sort": sort, "cursor": cursor or ""}
    parameters = {name: value for name, value in given.items() if value}
    return f"{address}?{urlencode(parameters)}" if parameters else address


def code_html(text: filled.Text, language: str | None) -> Markup:
    """A piece of code, highlighted."""

    def render(plain: str) -> Markup:
        plain = plain.strip("\n")
        return code.block(plain, language_of_snippet(plain, language))

    return filled.show(text, render)


def gist(record: StoredRecord) -> str:
    """What the error means, in a sentence; empty when the record does not say."""
    meaning = record.body.get("documentation")
    if not isinstance(meaning, str):
        return (source_explanation(record.body) or "").replace("`", "")
    meaning = with_blanks("documentation", meaning, record.pattern, record.error_message)
    return prose.first_sentence(meaning, 180).replace("`", "")


def bare_url(url: str) -> str:
    """The address as people write it."""
    return url.split("://", 1)[-1].removeprefix("www.").rstrip("/")


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "static_url": static_url,
        "value_url": value_url,
        "search_url": search_url,
        "record_url": record_url,
        "page_url": page_url,
        "mark": mark,
        "code_html": code_html,
    }
    environment.filters |= {
        "thousands": "{:,}".format,
        "shortened": shortened,
        "prose": lambda text: filled.show(text, prose.to_html),
        "inline": lambda text: filled.show(text, prose.to_inline),
        "item": lambda text: filled.show(text, prose.to_item),
        "step": lambda text: filled.show(text, prose.to_step),
        "sentences": lambda text, most: filled.show(
            text, lambda plain: prose.to_inline(prose.first_sentence(plain, most))
        ),
        "said": lambda text: filled.show(text, prose.whole_words),
        "whole_words": prose.whole_words,
        "breakable": prose.breakable,
        "bare_url": bare_url,
        "gist": gist,
        "gist_of": lambda text: prose.first_sentence(text, 180).replace("`", ""),
        "day": lambda version: version[:10],
    }
    return environment


environment = _environment()


@page_time()
def render(context: PageContext, status: int = 200) -> HTMLResponse:
    """The page that the context belongs to."""
    template = environment.get_template(context.template)
    values = {field.name: getattr(context, field.name) for field in fields(context)}
    return HTMLResponse(template.render(values), status)
