"""Cutting a long log: nothing is lost, and no error is cut."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from errdex.matching.cutting import AROUND, cut_log, find_cut
from errdex.matching.events import find_events
from errdex.matching.reading import read_paste

pytestmark = pytest.mark.slow

PART = 3 * AROUND
CHAIN = """\
Traceback (most recent call last):
  File "shop/basket.py", line 12, in load
    return baskets[key]
KeyError: 'basket {n}'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "shop/run.py", line 3, in <module>
    load(key)
  File "shop/basket.py", line 14, in load
    raise ShopError("no basket {n}") from error
shop.errors.ShopError: no basket {n}
"""
JAVA = """\
java.lang.IllegalStateException: order {n} is closed
\tat shop.Order.close(Order.java:12)
\tat shop.Main.main(Main.java:3)
Caused by: java.io.IOException: no shelf {n}
\tat shop.Shelf.open(Shelf.java:7)
\t... 1 more
"""


def healthy(rng: random.Random) -> str:
    return f"2026-01-02 03:04:05 INFO request {rng.randrange(10**9)} served in 12 ms\n"


def long_log(seed: int, size: int) -> bytes:
    rng = random.Random(seed)
    lines: list[str] = []
    length = 0
    while length < size:
        if rng.random() < 0.1:
            lines.append(rng.choice((CHAIN, JAVA)).format(n=rng.randrange(10**6)))
        else:
            lines.append(healthy(rng))
        length += len(lines[-1])
    return "".join(lines).encode()


def events_of(data: bytes, first_line: int = 1) -> list[tuple[object, ...]]:
    return [
        (e.error_class, e.message, e.first_line + first_line - 1, e.last_line + first_line - 1,
         e.role, len(e.frames))
        for e in find_events(read_paste(data)).events
    ]  # fmt: skip


def pieces_of(data: bytes, size: int) -> Iterator[bytes]:
    for begin in range(0, len(data), size):
        yield data[begin : begin + size]


@pytest.mark.parametrize("size", [1, 777, 1 << 20])
def test_the_parts_are_the_log_however_it_comes(size: int) -> None:
    log = long_log(1, 5 * PART)
    if size == 1:
        log = log[: PART + AROUND + 200]
    parts = list(cut_log(pieces_of(log, size), part=PART))
    assert b"".join(part.data for part in parts) == log
    assert len(parts) > 1
    line = 1
    for part in parts:
        assert part.first_line == line
        assert len(part.data) <= PART + 2 * AROUND
        line += part.data.count(b"\n")
    assert parts == list(cut_log([log], part=PART))


def test_no_error_is_cut_wherever_a_part_would_end() -> None:
    before = "".join(healthy(random.Random(n)) for n in range(3_000)).encode()[: 2 * AROUND]
    before = before[: before.rfind(b"\n") + 1]
    after = b"".join(healthy(random.Random(n)).encode() for n in range(1_000))
    for error in (CHAIN, JAVA):
        log = before + error.format(n=7).encode() * 2 + after
        whole = events_of(log)
        for place in range(len(before) - 60, len(before) + 2 * len(error) + 60, 7):
            cut = find_cut(log, place)
            assert log[cut - 1 : cut] == b"\n"
            assert place <= cut <= place + len(error) + 100
            first = 1 + log.count(b"\n", 0, cut)
            parts = events_of(log[:cut]) + events_of(log[cut:], first)
            assert parts == whole, (error[:20], place)


def test_all_errors_of_a_long_log_are_found_in_its_parts() -> None:
    log = long_log(2, 12 * PART)
    found = [
        event
        for part in cut_log([log], part=PART)
        for event in events_of(part.data, part.first_line)
    ]
    assert len(found) > 1_000
    assert found == events_of(log)


def test_a_cut_depends_on_what_is_around_it_alone() -> None:
    log = long_log(3, 6 * AROUND)
    rng = random.Random(4)
    for _ in range(50):
        place = rng.randrange(AROUND, len(log) - AROUND)
        begin = place - AROUND
        assert begin + find_cut(log[begin : place + AROUND], AROUND) == find_cut(log, place)


ENDLESS = {
    "a line": b"x" * (6 * PART),
    "a stack": b"Traceback (most recent call last):\n"
    + b'  File "shop/basket.py", line 12, in load\n    load()\n' * (6 * PART // 50),
    "line ends": b"\n" * (3 * PART),
    "nothing": b"",
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_goes_on_and_on_is_cut_all_the_same(kind: str) -> None:
    log = ENDLESS[kind]
    parts = list(cut_log(pieces_of(log, 100_000), part=PART))
    assert b"".join(part.data for part in parts) == log
    assert all(len(part.data) <= PART + 2 * AROUND for part in parts)
