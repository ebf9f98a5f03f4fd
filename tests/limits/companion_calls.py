"""What tests have a companion call: a module of its own, which it imports quickly."""

from __future__ import annotations

import os
import time

from errdex.workers import cancellation


def until_the_clock_ends() -> float:
    while cancellation.clock() < float("inf"):
        time.sleep(0.01)
    return cancellation.clock()


def sleep_on() -> None:
    time.sleep(3600)


def end_hard() -> None:
    os._exit(9)


def fail() -> None:
    raise KeyError("here")


def print_something() -> int:
    print("among the answers", flush=True)  # noqa: T201
    os.write(1, b"and so is this")
    return 5
