"""A few pastes are matched at once, a few wait, and the others are told when to come."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from errdex.web.match.slots import MatchingBusy, MatchSlots
from errdex.workers.cancellation import Cancellation

NEVER = 3600.0


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 600))


async def hold(slots: MatchSlots, done: asyncio.Event, order: list[int], number: int) -> None:
    async with slots.take():
        order.append(number)
        await done.wait()


async def let_run(times: int = 10) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


def test_who_finds_no_place_is_refused_at_once() -> None:
    async def work() -> None:
        slots, done, order = MatchSlots(2, 1, NEVER), asyncio.Event(), []
        held = [asyncio.create_task(hold(slots, done, order, each)) for each in range(3)]
        await let_run()
        assert order == [0, 1], "the third waits"
        with pytest.raises(MatchingBusy) as refused:
            async with slots.take():
                pytest.fail("there was no place")
        assert refused.value.status_code == 503
        assert int(refused.value.headers["Retry-After"]) >= 1
        done.set()
        await asyncio.gather(*held)
        assert order == [0, 1, 2], "in the order of coming"
        assert slots.taken == 0

    run(work())


def test_who_waits_too_long_is_refused_and_leaves_no_trace() -> None:
    async def work() -> None:
        slots, done, order = MatchSlots(1, 1, 0.01), asyncio.Event(), []
        held = asyncio.create_task(hold(slots, done, order, 0))
        await let_run()
        with pytest.raises(MatchingBusy):
            async with slots.take():
                pytest.fail("there was no place")
        assert slots.taken == 1
        done.set()
        await held
        async with slots.take():
            assert slots.taken == 1

    run(work())


@pytest.mark.parametrize("waiting", [True, False])
def test_a_request_that_is_given_up_frees_its_place(waiting: bool) -> None:
    async def work() -> None:
        slots, done, order = MatchSlots(1, 1, NEVER), asyncio.Event(), []
        held = [asyncio.create_task(hold(slots, done, order, each)) for each in range(2)]
        await let_run()
        given_up = held[1 if waiting else 0]
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)
        await let_run()
        assert slots.taken == 1
        done.set()
        await held[0 if waiting else 1]
        assert slots.taken == 0
        async with slots.take():
            pass

    run(work())


def test_a_failed_match_frees_its_place() -> None:
    async def work() -> None:
        slots = MatchSlots(1, 0, NEVER)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                async with slots.take():
                    raise ZeroDivisionError
        assert slots.taken == 0

    run(work())


def test_the_time_told_follows_how_long_matches_take() -> None:
    async def work() -> None:
        now = 0.0
        slots = MatchSlots(2, 4, NEVER, clock=lambda: now)
        for _ in range(100):
            async with slots.take():
                now += 8.0
        done, order = asyncio.Event(), []
        held = [asyncio.create_task(hold(slots, done, order, each)) for each in range(6)]
        await let_run()
        assert slots.taken == 6, "three rounds of two"
        assert slots.estimate() == pytest.approx(24.0, rel=0.01)
        assert MatchingBusy(slots.estimate()).headers == {"Retry-After": "24"}
        done.set()
        await asyncio.gather(*held)

    run(work())


async def pass_through(slots: MatchSlots, client: str, order: list[str]) -> None:
    async with slots.take(client):
        order.append(client)
        await asyncio.sleep(0)


def test_a_client_that_sends_much_waits_behind_itself() -> None:
    async def work() -> None:
        slots, order = MatchSlots(1, 100, NEVER), []
        clients = ["many"] * 20 + ["few"] * 2 + ["one"]
        tasks = [asyncio.create_task(pass_through(slots, each, order)) for each in clients]
        await asyncio.gather(*tasks)
        assert order[:6] == ["many", "many", "few", "one", "many", "few"]
        assert order[6:] == ["many"] * 17
        assert slots.taken == 0

    run(work())


def test_a_free_place_goes_to_the_client_of_whom_the_fewest_run() -> None:
    async def work() -> None:
        slots, done, order = MatchSlots(3, 100, NEVER), asyncio.Event(), []
        clients = ["many"] * 10 + ["few"]
        tasks = [asyncio.create_task(pass_through(slots, each, order)) for each in clients]
        await asyncio.gather(*tasks)
        assert order.index("few") == 3
        done.set()

    run(work())


def test_of_places_to_wait_who_has_most_gives_way() -> None:
    async def work() -> None:
        slots, done = MatchSlots(1, 4, NEVER), asyncio.Event()

        async def hold_one(client: str) -> None:
            async with slots.take(client):
                await done.wait()

        many = [asyncio.create_task(hold_one("many")) for _ in range(5)]
        await let_run()
        few = [asyncio.create_task(hold_one("few")) for _ in range(2)]
        await let_run()
        assert [each.done() for each in many] == [False, False, False, True, True]
        with pytest.raises(MatchingBusy):
            many[-1].result()
        third = asyncio.create_task(hold_one("few"))
        await let_run()
        assert third.done(), "it has as many as the other"
        assert isinstance(third.exception(), MatchingBusy)
        done.set()
        await asyncio.gather(*many[:3], *few)
        assert slots.taken == 0

    run(work())


def test_who_is_cancelled_while_it_waits_leaves_its_place_at_once() -> None:
    async def work() -> None:
        slots, cancellation = MatchSlots(1, 4, NEVER), Cancellation()

        async def wait() -> None:
            async with slots.take("a", cancellation):
                pytest.fail("it was cancelled")

        async with slots.take("a"):
            waiting = asyncio.create_task(wait())
            await let_run()
            assert slots.taken == 2
            cancellation.set()
            with pytest.raises(ClientDisconnect):
                await waiting
            assert slots.taken == 1

    run(work())


def test_a_patient_one_is_never_refused() -> None:
    async def work() -> None:
        slots, order = MatchSlots(1, 0, 0.0), []

        async def stream() -> None:
            async with slots.take("a", patient=True):
                order.append("stream")

        async with slots.take("b"):
            streams = [asyncio.create_task(stream()) for _ in range(50)]
            await asyncio.sleep(0.05)
            assert order == []
        await asyncio.gather(*streams)
        assert len(order) == 50

    run(work())


@pytest.mark.parametrize(("wait", "told"), [(0.0, "1"), (1.2, "2"), (1e9, "60")])
def test_the_time_told_is_whole_seconds_within_reason(wait: float, told: str) -> None:
    assert MatchingBusy(wait).headers == {"Retry-After": told}
