"""The command that serves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errdex.cli.extras import needs_extra
from errdex.cli.wiring import Database, catch_up, opened_store, read_settings

if TYPE_CHECKING:
    from errdex.config import Settings


def serve(
    host: Annotated[
        str | None,
        typer.Option(help="The address to listen on; by default ERRDEX_HOST, then 127.0.0.1."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="The port to listen on; by default ERRDEX_PORT, then 8000."
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="The number of processes.")] = 1,
    database: Database = None,
) -> None:
    """Serve the website and the API. New data is picked up without a restart.

    Settings come from the environment (docs/settings.md): ERRDEX_DATABASE_URL, ERRDEX_CACHE_FOLDER,
    ERRDEX_INDEX_FOLDER, ERRDEX_BUSY_TIMEOUT_MS, ERRDEX_HOST, ERRDEX_PORT,
    ERRDEX_WATCH_SECONDS, ERRDEX_CACHE_SECONDS, ERRDEX_PAGE_CACHE_MB, ERRDEX_PAGE_FILE_MB,
    ERRDEX_PUBLIC_URL, ERRDEX_REPORT_URL, ERRDEX_CORS_ORIGINS,
    ERRDEX_OTLP_ENDPOINT.

    Limits for a public service: ERRDEX_CONNECTIONS, ERRDEX_MAX_BODY_BYTES, ERRDEX_MAX_HEADER_BYTES,
    ERRDEX_HEADER_SECONDS, ERRDEX_BODY_SECONDS, ERRDEX_SEND_SECONDS,
    ERRDEX_KEEP_ALIVE_SECONDS, ERRDEX_SHUTDOWN_SECONDS, ERRDEX_RATE_PER_MINUTE,
    ERRDEX_RATE_BURST, ERRDEX_TRUSTED_PROXIES, ERRDEX_MATCH_BYTES,
    ERRDEX_MATCH_SECONDS, ERRDEX_STREAM_SECONDS, ERRDEX_STREAM_IDLE_SECONDS,
    ERRDEX_REQUEST_MEMORY_MB, ERRDEX_MATCHES, ERRDEX_MATCHES_PER_RECORD,
    ERRDEX_CONCURRENT_MATCHES, ERRDEX_WAITING_MATCHES, ERRDEX_MATCH_WAIT_SECONDS,
    ERRDEX_ACCESS_LOG, ERRDEX_METRICS.
    """
    with needs_extra("server", "serve"):
        import_module("errdex.main")  # what a server imports, before anything else is done
    settings = read_settings(database)
    # Workers read their own environment: all serve the database that is chosen now.
    os.environ["ERRDEX_DATABASE_URL"] = settings.database_url
    with opened_store(settings.database_url) as (store, indexes):
        store.migrate(create=False)  # what is wrong with the database is said here, once
        catch_up(store, indexes)
        beside = None if store.immutable else store.path.parent
    with shared_metrics(workers, beside):
        run_server(
            settings.model_copy(
                update={
                    "host": host or settings.host,
                    "port": settings.port if port is None else port,
                }
            ),
            workers,
        )


def run_server(
    settings: Settings, workers: int = 1, application: str = "errdex.main:create_app"
) -> None:
    """Serve until a signal says to end; requests under way are then finished first."""
    import uvicorn  # here, since the other commands should not wait for it

    from errdex.cli.sockets import run_workers
    from errdex.web.http.protocol import BoundedHttp
    from errdex.workers.import_path import no_current_folder

    options: dict[str, Any] = {
        "factory": True,
        "host": settings.host,
        "port": settings.port,
        "workers": workers,
        "http": BoundedHttp,
        "ws": "none",
        "log_config": log_config(),
        "access_log": False,  # errdex.web.http.observation has one without query strings
        "proxy_headers": False,  # main adds it when there are trusted proxies
        "server_header": False,
        "timeout_keep_alive": settings.keep_alive_seconds,
        "timeout_graceful_shutdown": settings.shutdown_seconds,
    }
    if workers == 1:
        uvicorn.run(application, **options)
    else:
        with no_current_folder():
            run_workers(uvicorn.Config(application, **options))


@contextmanager
def shared_metrics(workers: int, beside: Path | None = None) -> Iterator[None]:
    """A folder for the counters of several workers, which /metrics adds up: where temporary
    files go, or in the folder `beside` where a read-only system has no place for them."""
    if workers == 1:
        yield
        return
    try:
        place = gettempdir()
    except FileNotFoundError:
        if beside is None:
            raise
        place = str(beside)
    with TemporaryDirectory(prefix="errdex-metrics-", dir=place) as folder:
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", folder)  # before a worker starts
        yield


def log_config() -> dict[str, Any]:
    """uvicorn's logging, with Errdex's own beside it; the access log goes to standard output."""
    line = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": line}, "bare": {"format": "%(message)s"}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
            "stdout": {
                "class": "logging.StreamHandler",
                "formatter": "bare",
                "stream": "ext://sys.stdout",
            },
        },
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {
            "errdex": {"level": "INFO"},
            "errdex.access": {"level": "INFO", "handlers": ["stdout"], "propagate": False},
            "uvicorn.error": {"level": "INFO"},
        },
    }
