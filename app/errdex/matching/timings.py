"""How long each step of the work for a paste takes, for whoever wants to know.

The steps say where they begin and end; only within `noted_stages` is it kept. So nothing has
to be passed through all that lies between the work and whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

Stages = dict[str, float]
"""Seconds by the name of the step."""
_noted: ContextVar[Stages | None] = ContextVar("noted_stages", default=None)


@contextmanager
def noted_stages() -> Iterator[Stages]:
    """What the steps within take, once they have ended, and `render` for all that is left."""
    noted: Stages = {}
    token = _noted.set(noted)
    begun = perf_counter()
    try:
        yield noted
    finally:
        _noted.reset(token)
        noted["render"] = max(0.0, perf_counter() - begun - sum(noted.values()))


@contextmanager
def stage(name: str) -> Iterator[None]:
    """One step. Steps do not lie within one another."""
    begun = perf_counter()
    try:
        yield
    finally:
        if (noted := _noted.get()) is not None:
            noted[name] = noted.get(name, 0.0) + perf_counter() - begun
