"""A server that is told to end finishes the requests that are under way."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from fastapi import FastAPI
from tests.limits.serving import read_all, running

from errdex.main import create_app


def create_slow_app() -> FastAPI:
    """The application with a route that waits until a file is there."""
    app = create_app()
    begun, gate = (Path(os.environ["ERRDEX_TEST_FOLDER"]) / name for name in ("begun", "gate"))

    async def wait() -> str:
        begun.touch()
        while not gate.exists():
            await asyncio.sleep(0.01)
        return "finished"

    app.add_api_route("/api/wait", wait)
    app.router.routes.insert(0, app.router.routes.pop())
    return app


SLOW = "tests.limits.test_shutdown:create_slow_app"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_under_way_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int, signal_number: int
) -> None:
    monkeypatch.setenv("ERRDEX_TEST_FOLDER", str(tmp_path))
    with running(tmp_path, workers=workers, application=SLOW) as server:
        with server.connect() as connection, server.connect() as idle:
            connection.sendall(b"GET /api/wait HTTP/1.1\r\nHost: here\r\n\r\n")
            while not (tmp_path / "begun").exists():
                time.sleep(0.01)
            server.process.send_signal(signal_number)
            assert read_all(idle) == b"", "an idle connection is closed"
            (tmp_path / "gate").touch()
            answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert answer.endswith(b'"finished"')
        assert server.process.wait(600) in {0, -signal_number}
    assert "Traceback" not in server.stderr.read_text()


@pytest.mark.slow
def test_a_request_that_does_not_end_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRDEX_TEST_FOLDER", str(tmp_path))
    with (
        running(tmp_path, application=SLOW, shutdown_seconds=1) as server,
        server.connect() as connection,
    ):
        connection.sendall(b"GET /api/wait HTTP/1.1\r\nHost: here\r\n\r\n")
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        server.end()
        assert b"finished" not in read_all(connection)
