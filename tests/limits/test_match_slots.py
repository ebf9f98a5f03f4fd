"""A few pastes are matched at once, a few wait, and the others are told when to come."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from errdex.web.match.slots import MatchingBusy, MatchSlots

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
        slots.taken = 6  # three rounds of two
        assert slots.estimate() == pytest.approx(24.0, rel=0.01)
        assert MatchingBusy(slots.estimate()).headers == {"Retry-After": "24"}

    run(work())


@pytest.mark.parametrize(("wait", "told"), [(0.0, "1"), (1.2, "2"), (1e9, "60")])
def test_the_time_told_is_whole_seconds_within_reason(wait: float, told: str) -> None:
    assert MatchingBusy(wait).headers == {"Retry-After": told}
