"""A listening socket for each of several workers.

Workers that share one take connections from one queue: who wakes up first takes all that
came at that instant, and keeps them for as long as they last, while the others idle. Linux
spreads connections over sockets that listen at one port (SO_REUSEPORT). Where the system
does not, workers share one as uvicorn has them do.

A worker makes its own when it begins, so that one that ended has no queue in which
connections would wait for nobody. The connections that a killed worker had, and those in its
queue, are reset: nothing can hand them on.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

from uvicorn.config import Config
from uvicorn.supervisors import Multiprocess

SPREADS = sys.platform == "linux" and hasattr(socket, "SO_REUSEPORT")
"""Elsewhere the option is missing, or the socket that listened last gets every connection."""

SECONDS_TO_ANSWER = 30
"""A worker that does not answer the supervisor for as long is hung: it is killed and replaced.
uvicorn's 5 seconds also kill a worker that a busy machine does not run: while it starts, and
then again while its successor starts."""


def run_workers(config: Config) -> None:
    """Serve with several workers until a signal says to end. Exits when the port is taken."""
    config.timeout_worker_healthcheck = max(config.timeout_worker_healthcheck, SECONDS_TO_ANSWER)
    sock = config.bind_socket()
    if SPREADS:
        # It does not listen, keeps the port while no worker does, and has told when the port is
        # taken: sockets of workers would listen beside those of another server too.
        sock = _Reserved(fileno=sock.detach())
    with sock:
        Multiprocess(config, [sock]).run()


class _Reserved(socket.socket):
    """A bound socket. In a process that it is sent to it becomes another, of that process' own,
    at the same address."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _bind_beside, (self.family, self.getsockname())


def _bind_beside(family: int, address: Any) -> socket.socket:  # noqa: ANN401
    own = socket.socket(family)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    own.bind(address)
    return own
