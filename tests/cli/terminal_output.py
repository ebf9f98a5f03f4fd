"""What a command prints to a terminal that a test opened for it."""

from __future__ import annotations

import os


def read_terminal(ours: int) -> bytes:
    """All that comes until the other side has closed; closes this one."""
    shown = b""
    while True:
        try:
            some = os.read(ours, 65_536)
        except OSError:  # the other side has closed
            break
        if not some:
            break
        shown += some
    os.close(ours)
    return shown
