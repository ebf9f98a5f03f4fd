"""What routes are given: the knowledge base and the values of settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from app.knowledge import Knowledge


@dataclass(frozen=True, slots=True)
class WebContext:
    """What `create_app` puts into `app.state.context` for the routes."""

    knowledge: Knowledge
    cache_seconds: int = 60


def get_context(request: Request) -> WebContext:
    """The application's context."""
    context: WebContext = request.app.state.context
    return context


def get_knowledge(request: Request) -> Knowledge:
    """The knowledge base."""
    return get_context(request).knowledge


Context = Annotated[WebContext, Depends(get_context)]
KnowledgeBase = Annotated[Knowledge, Depends(get_knowledge)]
