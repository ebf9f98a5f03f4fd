"""The command that serves."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from app.cli.wiring import Database, opened_store, read_settings


def serve(
    host: Annotated[str | None, typer.Option(help="By default ERRDEX_HOST or 127.0.0.1.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="By default ERRDEX_PORT or 8000.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that serve.")] = 1,
    database: Database = None,
) -> None:
    """Serve the website and the API. New dataset versions are picked up by themselves.

    Settings from the environment: ERRDEX_DATABASE_URL, ERRDEX_INDEX_FOLDER,
    ERRDEX_BUSY_TIMEOUT_MS, ERRDEX_HOST, ERRDEX_PORT, ERRDEX_WATCH_SECONDS,
    ERRDEX_CACHE_SECONDS, ERRDEX_PUBLIC_URL, ERRDEX_MAX_BODY_BYTES,
    ERRDEX_CORS_ORIGINS.
    """
    import uvicorn  # here, since the other commands should not wait for it

    settings = read_settings(database)
    if database is not None:
        os.environ["ERRDEX_DATABASE_URL"] = database  # workers read their own environment
    with opened_store(database) as (store, _):
        store.migrate()  # what is wrong with the database is said here, once for all workers
    uvicorn.run(
        "app.main:create_app",
        factory=True,
        host=host or settings.host,
        port=settings.port if port is None else port,
        workers=workers,
        log_config=log_config(),
        server_header=False,
        timeout_graceful_shutdown=30,
    )


def log_config() -> dict[str, Any]:
    """uvicorn's logging, with Errdex's own beside it and no query strings in it: they may
    hold what someone pasted."""
    line = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": line}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {
            "errdex": {"level": "INFO"},
            "uvicorn.error": {"level": "INFO"},
            "uvicorn.access": {"level": "WARNING"},
        },
    }
