"""A body is read ahead of the answers to it, so far and no further."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.types import Message

from errdex.web.http.limits.request_memory import RequestMemory, Share
from errdex.web.match.read_ahead import ReadAhead

CHUNK = b"x" * 100


class Client:
    """Sends ten chunks as soon as they are read, and then stays until it is told to leave."""

    def __init__(self, chunks: int = 10) -> None:
        self.left = asyncio.Event()
        self.sent = 0
        self._chunks = chunks
        self.request = Request({"type": "http", "method": "POST"}, self._receive)

    async def _receive(self) -> Message:
        if self.sent == self._chunks:
            await self.left.wait()
            return {"type": "http.disconnect"}
        self.sent += 1
        more = self.sent < self._chunks
        return {"type": "http.request", "body": CHUNK, "more_body": more}

    async def settle(self) -> None:
        """Let all that can happen happen."""
        for _ in range(50):
            await asyncio.sleep(0)


def read_ahead(client: Client, most: int = 1_000_000, idle_seconds: float = 60.0) -> ReadAhead:
    return ReadAhead(client.request, most, Share(RequestMemory(), ""), idle_seconds)


def later() -> float:
    return asyncio.get_running_loop().time() + 60


@pytest.mark.parametrize(("most", "sent"), [(1_000_000, 10), (301, 4), (300, 3), (1, 1)])
def test_so_much_is_sent_before_anything_is_taken(most: int, sent: int) -> None:
    async def work() -> None:
        client = Client()
        async with read_ahead(client, most) as body:
            await client.settle()
            assert client.sent == sent
            taken = [chunk async for chunk in body.chunks(later())]
        assert b"".join(taken) == CHUNK * 10

    asyncio.run(work())


def test_of_a_client_that_left_nothing_is_taken_any_more() -> None:
    async def work() -> None:
        client = Client()
        async with read_ahead(client) as body:
            await client.settle()
            client.left.set()
            await client.settle()
            with pytest.raises(ClientDisconnect):
                await anext(body.chunks(later()))

    asyncio.run(work())


@pytest.mark.parametrize("chunks", [0, 10])
def test_a_body_that_goes_on_is_ended_at_the_deadline(chunks: int) -> None:
    """Whether the client waits or has sent more."""

    async def work() -> None:
        client = Client(chunks)
        async with read_ahead(client) as body:
            await client.settle()
            with pytest.raises(TimeoutError):
                await anext(body.chunks(asyncio.get_running_loop().time() - 1))

    asyncio.run(work())


def test_a_fault_while_answering_ends_the_reading() -> None:
    async def work() -> None:
        client = Client(0)
        with pytest.raises(RuntimeError):
            async with read_ahead(client):
                raise RuntimeError
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(work())
