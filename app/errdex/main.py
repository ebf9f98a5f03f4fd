"""Wires the parts for the web. `create_app` is what a server runs."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from ipaddress import ip_network
from multiprocessing import parent_process
from threading import Thread

from anyio import create_task_group, to_thread
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from starlette.routing import Route
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from errdex.config import Settings, match_limits, open_store, page_file_of
from errdex.knowledge import Knowledge
from errdex.knowledge.open_indexes import no_rebuilder
from errdex.mcp import http as mcp_http
from errdex.web.api import routes as api_routes
from errdex.web.api.openapi import DescribedApi
from errdex.web.http import assets, metrics
from errdex.web.http.cache_headers import CacheHeaders, NotModified, answer_not_modified
from errdex.web.http.dependencies import WebContext
from errdex.web.http.errors import install_error_handlers
from errdex.web.http.limits.allocator import give_back, share_arenas
from errdex.web.http.limits.connections import Connections, most_connections
from errdex.web.http.limits.rate_limit import Buckets, RateLimit
from errdex.web.http.limits.request_memory import RequestMemory
from errdex.web.http.metrics import Metrics
from errdex.web.http.middleware import Faults, HeadAsGet, RequestId, RequestLimits
from errdex.web.http.observation import Observed
from errdex.web.http.protocol import HttpBounds
from errdex.web.http.security import SecurityHeaders
from errdex.web.logs.forwarding import Forwarder
from errdex.web.logs.routes import PATH as LOGS_PATH
from errdex.web.logs.routes import LogsEndpoint
from errdex.web.match import api as match_api
from errdex.web.match.slots import lanes_of
from errdex.web.match.work import MatchWork
from errdex.web.pages import causes, docs, feeds, manual, sitemaps
from errdex.web.pages import routes as page_routes
from errdex.web.pages.cache.middleware import GZIP_FROM, CachedPages
from errdex.web.pages.cache.page_cache import PageCache
from errdex.web.pages.error_pages import error_page
from errdex.web.pages.rendering import lexing
from errdex.web.watching import BackgroundRebuild, Watcher
from errdex.workers.companion import forbid_core_dumps
from errdex.workers.parent import end_with

log = logging.getLogger("errdex")

MAX_URL_BYTES = 32_768
"""Enough for every parameter at its longest, each character escaped."""
OTHER_THREADS = 4
"""Threads that work at once beside those that match pastes. They take the interpreter in
turns, so that more of them make nothing faster: each would add a turn for whatever is quickly
answered to wait for, and memory and a database connection of its own."""
SWITCH_SECONDS = 0.001
"""After which a thread that works hands the interpreter on, instead of Python's 5 ms. An answer
takes some turns, each behind all that work: beside 30 clients who searched, nine of ten pastes
were answered in 60 ms instead of 86, with as many searches in a second of CPU."""


@dataclass(frozen=True)
class OpenKnowledge:
    """Opens the knowledge base of the settings in another process, to match pastes there."""

    settings: Settings

    def __call__(self) -> Knowledge:
        """It, open."""
        return Knowledge(*open_store(self.settings))


def create_app(settings: Settings | None = None) -> FastAPI:
    """The web application over the database that the settings name."""
    settings = settings or Settings()
    store, indexes = open_store(settings)
    rebuild = no_rebuilder if store.immutable else BackgroundRebuild(store, indexes)
    knowledge = Knowledge(store, indexes, rebuild=rebuild)
    page_file = page_file_of(settings, store.path)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        share_arenas()
        forbid_core_dumps()
        if (master := parent_process()) is not None:
            end_with(master, settings.shutdown_seconds + 5.0)
        sys.setswitchinterval(SWITCH_SECONDS)
        threads = to_thread.current_default_thread_limiter()
        threads.total_tokens = OTHER_THREADS
        store.migrate(create=False)
        new_version = asyncio.Event()
        loop = asyncio.get_running_loop()

        def tell() -> None:
            give_back()  # what the version before took, and making the new one ready
            loop.call_soon_threadsafe(new_version.set)

        Thread(target=lexing.make_ready, name="lexing", daemon=True).start()
        watcher = Watcher(knowledge, store, indexes, settings.watch_seconds, tell)
        watcher.start()
        async with create_task_group() as background:
            background.start_soon(matching.keep_ready, new_version)
            for other in (agents, forwarder):
                if other is not None:
                    background.start_soon(other.run)
            yield
            background.cancel_scope.cancel()
            matching.close()
        watcher.stop()
        knowledge.close()
        if page_file is not None:
            page_file.close()

    app = DescribedApi(
        title="Errdex",
        summary="A searchable knowledge base of errors.",
        version=version("errdex"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.metrics = Metrics(knowledge) if settings.metrics else None
    app.state.http_bounds = HttpBounds(
        settings.header_seconds,
        settings.max_header_bytes,
        settings.send_seconds,
        Connections(
            most_connections(settings.connections),
            trusted=[ip_network(each) for each in settings.trusted_proxies],
        ),
    )
    lanes = lanes_of(
        settings.concurrent_matches, settings.waiting_matches, settings.match_wait_seconds
    )
    matching = MatchWork(
        knowledge,
        OpenKnowledge(settings),
        lanes,
        match_limits(settings),
        settings.match_bytes,
        app.state.metrics,
        stream_seconds=settings.stream_seconds,
        stream_idle_seconds=settings.stream_idle_seconds,
        memory=RequestMemory(settings.request_memory_mb << 20),
    )
    agents, logs = _agents(settings), _is_installed("opentelemetry.proto")
    app.state.context = WebContext(
        knowledge,
        matching,
        settings.cache_seconds,
        settings.public_url,
        settings.report_url,
        pages=PageCache(settings.page_cache_mb << 20, page_file),
        metrics=app.state.metrics,
        extras=(mcp_http.PATH,) * (agents is not None) + (LOGS_PATH,) * logs,
    )
    app.add_exception_handler(NotModified, answer_not_modified)
    install_error_handlers(app, error_page)
    if agents is not None:
        app.router.routes.append(
            Route(mcp_http.PATH, agents, methods=["POST"], include_in_schema=False)
        )
    forwarder = Forwarder(settings.otlp_endpoint) if settings.otlp_endpoint else None
    if logs:
        endpoint = LogsEndpoint(settings.max_body_bytes, forwarder)
        app.add_route(LOGS_PATH, endpoint.answer, methods=["POST"], include_in_schema=False)
    # The page that is asked for most is looked for first.
    app.add_route(
        page_routes.RECORD_PATH, page_routes.show_record, methods=["GET"], include_in_schema=False
    )
    for router in (
        match_api.router,
        api_routes.router,
        docs.router,
        manual.router,
        assets.router,
        feeds.router,
        sitemaps.router,
        metrics.router,
        page_routes.router,
        causes.router,
    ):
        app.include_router(router)
    _add_middleware(app, settings)
    return app


def _agents(settings: Settings) -> mcp_http.McpEndpoint | None:
    """What answers coding agents, where the extra for it is installed."""
    if not _is_installed("mcp"):
        return None
    return mcp_http.McpEndpoint(settings.max_body_bytes, settings.cors_origins)


def _is_installed(package: str) -> bool:
    """Whether a package of an extra is there; it is not imported."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # nor is the one that holds it
        return False


def _add_middleware(app: FastAPI, settings: Settings) -> None:
    """From the inside out: what is added last sees a request first."""
    app.add_middleware(CacheHeaders)
    app.add_middleware(
        RequestLimits,
        url_bytes=MAX_URL_BYTES,
        body_bytes=settings.max_body_bytes,
        body_seconds=settings.body_seconds,
    )
    if settings.rate_per_minute:
        buckets = Buckets(settings.rate_per_minute, settings.rate_burst)
        app.add_middleware(RateLimit, buckets=buckets)
    app.add_middleware(Faults)
    app.add_middleware(GZipMiddleware, minimum_size=GZIP_FROM, compresslevel=5)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=settings.cors_origins,
        allow_methods=["GET", "HEAD", "POST"],
        allow_headers=[
            "Content-Encoding",
            "Content-Type",
            "If-None-Match",
            "X-Request-ID",
            *mcp_http.HEADERS,
        ],
        expose_headers=["ETag", "Retry-After", "X-Request-ID"],
    )
    if not settings.rate_per_minute:  # which counts every request, further in
        app.add_middleware(CachedPages)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(HeadAsGet)
    app.add_middleware(Observed, metrics=app.state.metrics, access_log=settings.access_log)
    app.add_middleware(RequestId)
    if settings.trusted_proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.trusted_proxies))
