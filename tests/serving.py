"""A server of a few records, for tests that need a real address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn
from tests.knowledge_base import load

from errdex.config import Settings, open_store
from errdex.main import create_app


@contextmanager
def served(folder: Path, records: list[dict[str, Any]], **given: Any) -> Iterator[str]:
    """A server of these records, with some settings; gives its address."""
    url = f"sqlite:///{folder / 'errdex.db'}"
    settings = Settings(database_url=url, watch_seconds=3600, **given)
    store, indexes = open_store(settings)
    load(folder, store, indexes, records)
    config = uvicorn.Config(create_app(settings), port=0, log_level="warning")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, name="served")
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
