"""One step from the tables of one release to those of the next."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Migration:
    """A step, by its number (its place in a list of them, from 1)."""

    name: str
    statements: tuple[str, ...]
