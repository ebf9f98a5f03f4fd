"""What the pages of the documentation are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from errdex.web.pages.contexts.page import PageContext


@dataclass(frozen=True, kw_only=True)
class DocsParameter:
    """A parameter of a route."""

    name: str
    place: str
    description: str
    form: str
    """Its type and bounds, in words."""


@dataclass(frozen=True, kw_only=True)
class DocsBody:
    """A media type that a route accepts."""

    media_type: str
    description: str
    example: str


@dataclass(frozen=True, kw_only=True)
class DocsField:
    """A field of an answer."""

    name: str
    form: str
    """Its type in words, without the type that `refers_to` names."""
    refers_to: str
    """The DocsForm that it holds, or empty."""
    description: str


@dataclass(frozen=True, kw_only=True)
class DocsForm:
    """A JSON object that answers are, or hold."""

    name: str
    description: str
    fields: Sequence[DocsField]


@dataclass(frozen=True, kw_only=True)
class DocsRoute:
    """A route of the API."""

    method: str
    path: str
    summary: str
    description: str
    parameters: Sequence[DocsParameter]
    bodies: Sequence[DocsBody]
    form: str
    """The name of the form that its answer has."""
    example: str
    """The answer's example, as JSON text."""
    snippets: Sequence[tuple[str, str, str]]
    """Code that calls it: what it is written in, its language, and the code."""
    problems: Sequence[str]
    """The statuses of the problem documents that it may answer."""


@dataclass(frozen=True, kw_only=True)
class ManualLink:
    """A page of docs/."""

    name: str
    title: str


@dataclass(frozen=True, kw_only=True)
class ManualPage(PageContext):
    """`/docs/{name}`: a page of docs/."""

    template: ClassVar[str] = "manual.html"

    name: str
    html: Markup
    contents: Sequence[tuple[str, str]]
    """Its headings: anchor and words."""
    manual: Sequence[ManualLink]
    """All pages of docs/."""


@dataclass(frozen=True, kw_only=True)
class DocsPage(PageContext):
    """`/docs`: the API, from its OpenAPI description."""

    template: ClassVar[str] = "docs.html"

    routes: Sequence[DocsRoute]
    forms: Sequence[DocsForm]
    """Those of the answers, and what they hold."""
    statuses: Sequence[tuple[int, str, str]]
    """Each status of a problem document, its name and what it means."""
    manual: Sequence[ManualLink]
    """The pages of docs/."""
