"""Python's garbage collector in a process that matches pastes."""

from __future__ import annotations

import gc

_OBJECTS = 50_000


def collect_rarely() -> None:
    """Look for garbage that refers to itself each 50,000 objects instead of each 700. The
    answer to a paste is made of thousands of objects, none of which is such garbage, and which
    the collector would go through again and again: a tenth of all work, or more."""
    if gc.get_threshold()[0]:  # 0: it is off
        gc.set_threshold(max(_OBJECTS, gc.get_threshold()[0]))
