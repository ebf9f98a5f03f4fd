"""Answers that are there as text too, for terminals and agents: `Accept` chooses.

A dependency notes the choice, which is a part of the answer's ETag; CacheHeaders then says that
the answer varies by `Accept`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fastapi import Request, Response

from errdex.formats.layout import Row, lay_out
from errdex.web.http.accept import best_media_type

MARKDOWN = "text/markdown"
TEXT = "text/plain"
_KEY = "representation"
_ANY = ("", "*/*")


@dataclass(frozen=True, slots=True)
class Negotiation:
    """Notes which type a client prefers: the usual one, or text. A dependency of routes, before
    `check_freshness`. Who accepts none of them gets the usual one."""

    usual: str

    async def __call__(self, request: Request) -> None:
        """Note it for this request."""
        choose(request, self.usual)


def choose(request: Request, usual: str) -> None:
    """Note the type that the request's client prefers."""
    accept = request.headers.get("accept", "")
    best = None if accept in _ANY else best_media_type(accept, (usual, MARKDOWN, TEXT))
    setattr(request.state, _KEY, "" if best in (None, usual) else best)


def chosen_type(request: Request) -> str:
    """MARKDOWN or TEXT; "" for the usual type, and where there is no choice."""
    return str(getattr(request.state, _KEY, ""))


def is_negotiated(state: object) -> bool:
    """Whether the state of a request has a choice."""
    return isinstance(state, dict) and _KEY in state


def text_answer(
    kind: str, markdown: Callable[[], str], rows: Callable[[], Iterable[Row]]
) -> Response:
    """The answer in a chosen type."""
    text = markdown() if kind == MARKDOWN else "".join(f"{row}\n" for row in lay_out(rows()))
    return Response(text.encode("utf-8", "backslashreplace"), media_type=kind)
