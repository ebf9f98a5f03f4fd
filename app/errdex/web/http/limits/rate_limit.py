"""How many requests one client may make.

Each client has a bucket that holds `burst` requests and is refilled at a steady rate,
kept as one number: the time at which the bucket will be full again (the generic cell
rate algorithm of ITU-T I.371). A bucket that is full is like one that was never used,
so the least recently used ones may be forgotten: `CLIENTS` bounds the memory, at some
10 MB. Who comes with more addresses than that is given new buckets, and nobody else
is refused for it.

A client is an IPv4 address or an IPv6 network of 64 bits, which is what one customer
is given. Behind proxies it is the nearest address that is not a trusted proxy's (see
`trusted_proxies` in the settings); a client cannot choose it.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

CLIENTS = 50_000
"""How many clients are remembered at once."""
UNLIMITED = frozenset({"/healthz", "/readyz", "/metrics"})
"""What orchestrators ask, from few addresses and often."""
_ROUNDING = 1e-6

Client = int | str


class TooManyRequests(HTTPException):
    """A client is over its rate. `wait`: seconds until its next request is taken."""

    def __init__(self, wait: float) -> None:
        seconds = max(1, math.ceil(wait))
        super().__init__(
            429,
            f"There are too many requests from your address. Try again in {seconds} s.",
            {"Retry-After": str(seconds)},
        )


class Buckets:
    """The buckets of all clients. `per_minute` and `burst` are at least 1."""

    def __init__(
        self,
        per_minute: int,
        burst: int,
        *,
        clients: int = CLIENTS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._interval = 60.0 / per_minute
        self._tolerance = self._interval * (burst - 1)
        self._clients = clients
        self._clock = clock
        self._full_at: OrderedDict[Client, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, client: Client) -> float:
        """Take one request out of the client's bucket. 0, or the seconds to wait for one."""
        now = self._clock()
        full_at = max(self._full_at.get(client, now), now)
        wait = full_at - now - self._tolerance
        if wait > _ROUNDING:
            return wait
        self._full_at[client] = full_at + self._interval
        self._full_at.move_to_end(client)
        if len(self._full_at) > self._clients:
            self._full_at.popitem(last=False)
        return 0.0


def client_of(scope: Scope) -> Client:
    """Who asks. Addresses that are none, as of a Unix socket, are one client together."""
    try:
        address = ip_address(scope["client"][0])
    except (TypeError, ValueError, KeyError):
        return "unknown"
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped
        return int(mapped) if mapped else f"{int(address) >> 64:x}"
    return int(address)


class RateLimit:
    """Refuses with TooManyRequests what is over the rate."""

    def __init__(self, app: ASGIApp, buckets: Buckets) -> None:
        self._app = app
        self._buckets = buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http" and scope["path"] not in UNLIMITED:
            wait = self._buckets.take(client_of(scope))
            if wait:
                raise TooManyRequests(wait)
        await self._app(scope, receive, send)
