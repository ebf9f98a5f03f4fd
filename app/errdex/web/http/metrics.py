"""What the server counts and times, for Prometheus.

Labels have few values: the route's template, never the address, and the status. The
dataset version is read when it is asked for, so that no old one is left behind.

Several workers share files in the folder that PROMETHEUS_MULTIPROC_DIR names (`errdex
serve --workers` sees to it); the worker that is asked for /metrics then adds them up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from time import perf_counter

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import Scope

from errdex.knowledge import Knowledge
from errdex.store import StoreError
from errdex.web.http.parameters import take_no_parameters

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def method_of(scope: Scope) -> str:
    """The method, or "other": a client may make up any."""
    method: str = scope["method"]
    return method if method in _METHODS else "other"


class Metrics:
    """The counters of one application."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._registry = own = CollectorRegistry()
        self._dataset = _Dataset(knowledge)
        self._requests = Counter(
            "errdex_requests",
            "Requests answered, by the route's template; status 0: the client left before.",
            ("route", "method", "status"),
            registry=own,
        )
        self._seconds = Histogram(
            "errdex_request_seconds",
            "Time from a request's headers to the end of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=own,
        )
        self.under_way = Gauge(
            "errdex_requests_under_way",
            "Requests being answered.",
            multiprocess_mode="livesum",
            registry=own,
        )
        self._stages = Histogram(
            "errdex_stage_seconds",
            "Time in each stage of the work on a request. Within match, with the way there and "
            "back: read, events, engine, ranking, similar (for what is unknown) and render.",
            ("stage",),
            buckets=_SECONDS,
            registry=own,
        )
        self._matches = Counter(
            "errdex_matches", "Pastes matched, by whether an error was found.", ("found",),
            registry=own,
        )  # fmt: skip
        for found in ("yes", "no"):
            self._matches.labels(found)
        self._counted: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        """The counters of requests, which take a fifth of the time to be found here."""

    def count_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """One request has been answered."""
        counted = self._counted.get((route, method, status))
        if counted is None:
            # As many as there are routes, methods and kinds of answers.
            counted = (
                self._requests.labels(route, method, str(status)),
                self._seconds.labels(route),
            )
            self._counted[route, method, status] = counted
        counted[0].inc()
        counted[1].observe(seconds)

    def count_match(self, found: bool) -> None:
        """One paste was matched."""
        self._matches.labels("yes" if found else "no").inc()

    def count_stages(self, stages: Mapping[str, float]) -> None:
        """The time that each step of some work took, which was done elsewhere."""
        for name, seconds in stages.items():
            self._stages.labels(name).observe(seconds)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what is done within as that stage."""
        begun = perf_counter()
        try:
            yield
        finally:
            self._stages.labels(name).observe(perf_counter() - begun)

    def expose(self) -> bytes:
        """All of it in Prometheus's text format."""
        registry = self._registry
        if FOLDER_VARIABLE in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry) + generate_latest(self._dataset)


class _Dataset(Collector):
    """What is served, read when it is asked for."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def collect(self) -> Iterator[GaugeMetricFamily]:
        try:
            stats = self._knowledge.get_stats()
        except StoreError:
            yield GaugeMetricFamily("errdex_store_up", "Whether the database can be read.", 0)
            return
        yield GaugeMetricFamily("errdex_store_up", "Whether the database can be read.", 1)
        yield GaugeMetricFamily("errdex_records", "Records served.", stats.records)
        info = GaugeMetricFamily("errdex_dataset_info", "The version served.", labels=("version",))
        info.add_metric((stats.version,), 1)
        yield info
        if stats.version:
            yield GaugeMetricFamily(
                "errdex_dataset_time_seconds",
                "When the version served was ingested, in seconds since 1970.",
                datetime.fromisoformat(stats.version).timestamp(),
            )


router = APIRouter()


@router.get("/metrics", include_in_schema=False, dependencies=[Depends(take_no_parameters)])
async def show_metrics(request: Request) -> Response:
    """Requests by route and status, matches found or not, the time in each stage, and the
    dataset version. Nothing of what anybody asked."""
    metrics: Metrics | None = request.app.state.metrics
    if metrics is None:
        raise HTTPException(404)
    body = await run_in_threadpool(metrics.expose)
    return Response(body, media_type=CONTENT_TYPE_LATEST)
