"""How many connections a worker holds, and whose.

A descriptor that a client holds is one that nobody else can have, a health check neither. So
there are `most` connections, of which one client has half at most, and `spare` ones beyond
them, on which only health checks are answered. For a new one the connection is closed that
has waited longest for a further request; among the spare ones that which came first. An
orchestrator that connects and asks at once is answered, however many others wait.

The addresses of trusted proxies are no client's: their connections are bounded together with
all others.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Protocol

from errdex.web.http.limits.rate_limit import Client, client_of

HEALTH_PATHS = frozenset({"/healthz", "/readyz"})
"""What is answered on a spare connection."""
SPARE = 16
_FILES = 64
"""Descriptors for databases, indexes and processes that are opened later on."""
_FEWEST = 8


class Connection(Protocol):
    """What is held."""

    client: tuple[str, int] | None

    def give_up(self) -> None:
        """Close it; nothing is under way on it."""


class Connections:
    """The open connections of one worker. Of one event loop."""

    def __init__(
        self,
        most: int,
        spare: int = SPARE,
        trusted: Sequence[IPv4Network | IPv6Network] = (),
    ) -> None:
        self.most = most
        self._spare_places = spare
        self._trusted = trusted
        self._held: dict[Connection, Client | None] = {}
        self._of_client: Counter[Client] = Counter()
        self._idle: OrderedDict[Connection, None] = OrderedDict()
        self._spare: OrderedDict[Connection, None] = OrderedDict()

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._held) + len(self._spare)

    def admit(self, connection: Connection) -> bool:
        """Hold a new connection. False: as a spare one."""
        client = self._client(connection)
        if self._has_place(client) or self._make_place(client):
            self._held[connection] = client
            self._idle[connection] = None
            if client is not None:
                self._of_client[client] += 1
            return True
        self._spare[connection] = None
        if len(self._spare) > self._spare_places:
            oldest, _ = self._spare.popitem(last=False)
            oldest.give_up()
        return False

    def leave(self, connection: Connection) -> None:
        """It has ended, or is about to."""
        self._idle.pop(connection, None)
        self._spare.pop(connection, None)
        client = self._held.pop(connection, None)
        if client is not None:
            self._of_client[client] -= 1
            if not self._of_client[client]:
                del self._of_client[client]

    def wait(self, connection: Connection) -> None:
        """Its requests are answered; a further one may come."""
        if connection in self._held:
            self._idle[connection] = None

    def work(self, connection: Connection) -> None:
        """Something came on it."""
        self._idle.pop(connection, None)

    def _has_place(self, client: Client | None) -> bool:
        of_client = 0 if client is None else self._of_client[client]
        return len(self._held) < self.most and of_client < max(1, self.most // 2)

    def _make_place(self, client: Client | None) -> bool:
        """By ending a connection that waits: one of the client itself if that has too many."""
        full = len(self._held) >= self.most
        for each in self._idle:
            if full or self._held[each] == client:
                self.leave(each)
                each.give_up()
                return self._has_place(client)
        return False

    def _client(self, connection: Connection) -> Client | None:
        host = connection.client[0] if connection.client else ""
        try:
            address = ip_address(host)
        except ValueError:
            return None
        if any(address in network for network in self._trusted):
            return None
        return client_of({"client": connection.client})


def most_connections(wanted: int, spare: int = SPARE) -> int:
    """As many as wanted, or as the descriptors allow that this process may have, whose soft
    limit is raised for that where it can be."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return wanted
    opened = _opened()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = opened + _FILES + spare + wanted
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    allowed = needed if hard == resource.RLIM_INFINITY else min(hard, needed)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (OSError, ValueError):
        allowed = soft
    # Of few descriptors, no more than half are set aside.
    free = allowed - opened - spare
    return max(_FEWEST, min(wanted, free - min(_FILES, free // 2)))


def _opened() -> int:
    folder = Path("/dev/fd")
    return sum(1 for _ in folder.iterdir()) if folder.is_dir() else _FILES
