"""Work whose client has left ends, and what ends by itself is replaced."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.types import Message
from tests.limits.companion_calls import (
    end_hard,
    fail,
    print_something,
    sleep_on,
    until_the_clock_ends,
)
from tests.limits.serving import Server, read_all, running

from errdex.knowledge import Knowledge
from errdex.matching.ranking import MatchLimits
from errdex.web.http.limits.request_memory import Share
from errdex.web.match.slots import lanes_of
from errdex.web.match.stream import Written, answer_lines
from errdex.web.match.work import MatchWork
from errdex.workers import cancellation
from errdex.workers.cancellation import Cancellation
from errdex.workers.companion import Companion, CompanionEnded, CompanionTimeout

LARGE = b"ShopError: Basket 4711 is empty\n" + b"all is well\n" * 6_000
POST = b"POST /api/errors/match HTTP/1.1\r\nHost: here\r\nConnection: close\r\n"


@pytest.fixture
def companion() -> Any:
    one = Companion()
    yield one
    one.close()


def in_thread(work: Callable[[], object]) -> asyncio.Future[object]:
    return asyncio.ensure_future(asyncio.to_thread(work))


def test_a_companion_calls_and_goes_on_after_a_fault(companion: Companion) -> None:
    assert companion.call(os.getpid) == companion.pid
    with pytest.raises(KeyError, match="here"):
        companion.call(fail)
    assert companion.call(print_something) == 5
    assert companion.call(os.getpid) == companion.pid


def test_a_cancelled_call_ends_by_its_clock_and_the_next_is_not_cancelled(
    companion: Companion,
) -> None:
    companion.call(print_something)  # by then it has imported this module

    async def run() -> object:
        calling = in_thread(lambda: companion.call(until_the_clock_ends))
        while not companion._calling:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        companion.cancel()
        return await calling

    assert asyncio.run(run()) == float("inf")
    assert companion.call(cancellation.clock) < float("inf")
    assert companion.is_alive


def test_a_cancelled_call_that_goes_on_is_ended_with_its_process(companion: Companion) -> None:
    async def run() -> None:
        calling = in_thread(lambda: companion.call(sleep_on))
        while not companion._calling:
            await asyncio.sleep(0.01)
        companion.cancel()
        await calling

    with pytest.raises(CompanionEnded):
        asyncio.run(run())
    assert not companion.is_alive


def test_an_end_is_told_from_a_call_that_takes_too_long(companion: Companion) -> None:
    with pytest.raises(CompanionTimeout):
        companion.call(sleep_on, seconds=0.1)
    with pytest.raises(CompanionEnded):
        companion.call(sleep_on)
    other = Companion()
    with pytest.raises(CompanionEnded):
        other.call(end_hard)
    other.close()


_PARENT = """
import os, signal, sys
from errdex.workers.companion import Companion
one = Companion()
one.call(os.getpid)
print(one.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_companion_ends_with_its_parent_however_that_ends() -> None:
    parent = subprocess.run(
        [sys.executable, "-c", _PARENT], capture_output=True, text=True, timeout=600
    )
    pid = int(parent.stdout)
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.05)  # for as long as a test may take


def test_a_companion_writes_no_core_dump(companion: Companion) -> None:
    import resource  # which Windows has not

    assert companion.call(resource.getrlimit, resource.RLIMIT_CORE)[0] == 0


class Counting:
    def __init__(self) -> None:
        self.answered = 0

    def __call__(self, knowledge: Knowledge, paste: bytes | str, limits: MatchLimits) -> Written:
        self.answered += 1
        time.sleep(0.001)
        return Written(b'{"found":false}', False)


def test_lines_of_a_client_that_left_are_not_answered() -> None:
    counting = Counting()
    left = asyncio.Event()
    body = b"a line\n" * 9_000

    async def run() -> None:
        sent = iter([{"type": "http.request", "body": body, "more_body": True}])

        async def receive() -> Message:
            for message in sent:
                return message
            await left.wait()
            return {"type": "http.disconnect"}

        nobody = cast(Any, None)
        work = MatchWork(
            nobody, nobody, lanes_of(1, 1, 60), MatchLimits(), 1_000_000, stream_seconds=60
        )
        request = Request({"type": "http", "method": "POST"}, receive)
        answers = answer_lines(request, "", work, counting, Share(work.memory, ""))
        await anext(answers)
        left.set()
        with pytest.raises(ClientDisconnect):
            async for _ in answers:
                pass

    asyncio.run(run())
    assert counting.answered < 1000


def test_what_was_cancelled_before_is_called_at_once() -> None:
    called: list[int] = []
    cancelled = Cancellation()
    cancelled.then(lambda: called.append(1))
    assert called == []
    cancelled.set()
    cancelled.then(lambda: called.append(2))
    assert called == [1, 2]


def companions(server: Server) -> list[psutil.Process]:
    children = psutil.Process(server.process.pid).children(recursive=True)
    return [each for each in children if is_companion(each)]


def is_companion(process: psutil.Process) -> bool:
    try:
        return any("errdex.workers.companion" in part for part in process.cmdline())
    except psutil.Error:  # it ends meanwhile
        return False


def post(server: Server, body: bytes) -> bytes:
    with server.connect() as connection:
        connection.sendall(POST + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        return read_all(connection)


def test_a_server_writes_no_core_dump(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        if sys.platform == "linux":
            assert psutil.Process(server.process.pid).rlimit(psutil.RLIMIT_CORE)[0] == 0


@pytest.mark.slow
def test_a_paste_whose_process_was_killed_is_answered_and_the_next_is_ready(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as server:
        while not companions(server):
            time.sleep(0.1)
        assert post(server, LARGE).startswith(b"HTTP/1.1 200 ")
        killed = companions(server)
        for each in killed:
            each.suspend()  # so that it ends under the paste
        with server.connect() as connection:
            connection.sendall(POST + b"Content-Length: %d\r\n\r\n%b" % (len(LARGE), LARGE))
            time.sleep(0.5)
            for each in killed:
                with suppress(psutil.NoSuchProcess):
                    each.kill()
            assert read_all(connection).startswith(b"HTTP/1.1 200 ")
        for each in companions(server):
            with suppress(psutil.NoSuchProcess):
                each.kill()
        assert post(server, LARGE).startswith(b"HTTP/1.1 200 "), "between two pastes"
        assert "Traceback" not in server.stderr.read_text()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="by signals")
def test_workers_end_with_their_master_and_free_the_port(tmp_path: Path) -> None:
    with running(tmp_path, workers=2) as server:
        children = psutil.Process(server.process.pid).children(recursive=True)
        while len(children) < 2:
            children = psutil.Process(server.process.pid).children(recursive=True)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        _, alive = psutil.wait_procs(children, timeout=600)
        assert not alive
        assert server.process.returncode == -signal.SIGKILL
        again = subprocess.Popen(
            [sys.executable, "-c", "from errdex.cli import main; main()", "serve",
             "--port", str(server.port), "--database",
             f"sqlite:///{tmp_path / 'errdex.db'}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            answered = b""
            while not answered.startswith(b"HTTP/1.1 200 "):
                assert again.poll() is None, "it could not take the port"
                try:
                    answered = server.ask("/healthz")
                except OSError:
                    time.sleep(0.05)
        finally:
            again.kill()
            again.wait()
