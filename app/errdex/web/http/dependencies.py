"""What routes are given: the knowledge base and the values of settings.

The dependencies are coroutines although they wait for nothing: FastAPI runs plain
functions in a thread, and the way there and back takes longer than reading a record.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from errdex.knowledge import Knowledge
from errdex.web.http.metrics import Metrics
from errdex.web.match.work import MatchWork
from errdex.web.pages.cache.page_cache import PageCache


@dataclass(frozen=True, slots=True)
class WebContext:
    """What `create_app` puts into `app.state.context` for the routes."""

    knowledge: Knowledge
    matching: MatchWork
    cache_seconds: int = 60
    public_url: str | None = None
    """The scheme and host that the public uses."""
    report_url: str | None = None
    """Where problems are reported, with placeholders."""
    pages: PageCache = field(default_factory=PageCache)
    """Pages that were made already."""
    metrics: Metrics | None = None
    """To count matches and time stages, if that is wanted."""
    extras: tuple[str, ...] = ()
    """Paths that are there because an extra is installed."""

    def timed(self, stage: str) -> AbstractContextManager[None]:
        """Time what is done within as that stage."""
        return self.metrics.stage(stage) if self.metrics else nullcontext()


def context_of(request: Request) -> WebContext:
    """The application's context."""
    context: WebContext = request.app.state.context
    return context


async def get_context(request: Request) -> WebContext:
    """The same, as a dependency."""
    return context_of(request)


async def get_knowledge(request: Request) -> Knowledge:
    """The knowledge base."""
    return context_of(request).knowledge


Context = Annotated[WebContext, Depends(get_context)]
KnowledgeBase = Annotated[Knowledge, Depends(get_knowledge)]
