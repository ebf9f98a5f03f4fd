"""Ports for the servers of tests."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port of 127.0.0.1 at which a server may listen, and which nobody else is given until
    the block ends: between looking for a free one and listening there, a server is imported,
    and other tests look for free ones meanwhile."""
    with socket.socket() as held:
        # With both, a server may bind beside a socket that does not listen.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if sys.platform == "linux":
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(("127.0.0.1", 0))
        port = int(held.getsockname()[1])
        if sys.platform != "linux":
            held.close()  # elsewhere it may not
        yield port
