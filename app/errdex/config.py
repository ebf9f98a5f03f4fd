"""Settings, from environment variables that begin with ERRDEX_. Read by main and cli only,
which both open here what the settings name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path, user_data_path
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from errdex.resources import DATABASE_NAME
from errdex.search.protocol import IndexStore, IndexWriter, SearchIndex
from errdex.starter import ensure_starter, is_starter, starter_path
from errdex.store import PageFile, Store, database_path, open_database

if TYPE_CHECKING:
    from errdex.matching.ranking import MatchLimits


def own_database_url() -> str:
    """The user's own database: a SQLite file in the user's data folder."""
    return f"sqlite:///{user_data_path('errdex') / DATABASE_NAME}"


def default_database_url() -> str:
    """The user's own database where there is one, else the starter database. Raises
    StarterMissing."""
    own = user_data_path("errdex") / DATABASE_NAME
    # A home folder that cannot be entered has no database for this user: os.path says so.
    path = own if os.path.isfile(own) else starter_path()  # noqa: PTH113
    return f"sqlite:///{path}"


class Settings(BaseModel):
    """Each field is the environment variable ERRDEX_ + its name in capitals; what is given by
    its name goes before that."""

    # Without use_attribute_docstrings, for which each command would parse this file's source.
    model_config = ConfigDict(frozen=True, extra="forbid")

    database_url: str = Field(default_factory=default_database_url)
    """Such as sqlite:////var/lib/errdex/errdex.db, or for several servers
    postgresql+psycopg://user:password@host/database. By default the user's own database, and where
    there is none the starter database, which is only read."""
    cache_folder: Path | None = None
    """Where the copy of a PostgreSQL database is kept, which queries are answered from; by default
    the user's cache folder. It needs the room that a SQLite database of the records needs."""
    index_folder: Path | None = None
    """Where full-text indexes are kept; by default a folder beside the database."""
    busy_timeout_ms: int = Field(default=10_000, ge=0, le=600_000)
    """How long to wait for a database that another process holds."""
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65_535)
    watch_seconds: float = Field(default=1.0, gt=0, le=3600)
    """How often a server looks whether there is a new dataset version to prepare."""
    page_cache_mb: int = Field(default=64, ge=0, le=1_000_000)
    """How much memory each worker keeps pages in that it has made: 200 pages take about 1 MB."""
    page_file_mb: int = Field(default=1000, ge=0, le=1_000_000)
    """How large the file beside the database may get in which workers keep the pages of records
    that were made; 0: none. It may be deleted at any time."""
    cache_seconds: int = Field(default=60, ge=0)
    """For how long browsers and proxies may use an answer without asking again."""
    public_url: str | None = Field(default=None, pattern=r"^https?://[^\s/?#]+/?$")
    """The scheme and host that the public uses, such as https://errdex.example, for addresses
    that must be absolute. Without it, addresses on pages are relative, and feeds, site maps and
    examples of commands follow each request's Host header."""
    report_url: str | None = Field(default=None, pattern=r"^https?://[^\s<>\"]{1,2000}$")
    """Where readers report problems with a record: the address of an issue form, in which {record},
    {version} and {problem} are filled in, such as
    https://github.com/acme/errdex/issues/new?title={problem}+{record}. Nothing of a paste is in it.
    Without it, pages have no such links."""
    cors_origins: tuple[str, ...] = ("*",)
    """Web pages from these origins may read the API; commas between them, * for all."""

    otlp_endpoint: str | None = Field(default=None, pattern=r"^https?://[^\s<>\"]{1,2000}$")
    """Where known errors among the logs sent to /v1/logs are handed on to, such as
    http://localhost:4318/v1/logs. Without it, nothing is sent anywhere."""

    connections: int = Field(default=1000, ge=16, le=1_000_000)
    """How many connections each worker holds, of which one client has half at most; fewer where
    the system allows it too few descriptors. 16 more are kept for health checks."""
    max_body_bytes: int = Field(default=1_000_000, ge=0)
    """The longest request body that is taken."""
    max_header_bytes: int = Field(default=65_536, ge=1024)
    """The longest request line and headers together that are taken."""
    header_seconds: float = Field(default=10.0, gt=0, le=3600)
    """How long a client may take to send its headers."""
    body_seconds: float = Field(default=30.0, gt=0, le=3600)
    """How long a client may take to send its body."""
    send_seconds: float = Field(default=30.0, gt=0, le=3600)
    """How long a client may take nothing of an answer that is sent to it."""
    keep_alive_seconds: int = Field(default=15, ge=0, le=3600)
    """How long a connection is kept for a further request."""
    shutdown_seconds: int = Field(default=30, ge=0, le=3600)
    """How long requests under way have to finish when the server is asked to stop."""
    rate_per_minute: int = Field(default=0, ge=0, le=1_000_000)
    """How many requests a client may make in a minute, of each worker; 0: as many as it likes."""
    rate_burst: int = Field(default=60, ge=1, le=1_000_000)
    """How many of these it may make at once."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are
    believed; commas between them."""
    match_bytes: int = Field(default=5_000_000, ge=0)
    """The longest paste that is taken, measured after unpacking."""
    match_seconds: float = Field(default=10.0, gt=0, le=3600)
    """How long a paste is worked on; then the answer so far is given."""
    stream_seconds: float = Field(default=3600.0, gt=0, le=604_800)
    """How long a stream of lines (application/x-ndjson) may last; then it is ended, which its
    last line says."""
    stream_idle_seconds: float = Field(default=30.0, gt=0, le=604_800)
    """How long such a stream may pause; an empty line ends a pause."""
    request_memory_mb: int = Field(default=128, ge=1, le=1_000_000)
    """How much each worker holds of all requests together: of bodies, of lines that wait, and
    what unpacking them needs. One client may hold half of it; beyond that: 503."""
    matches: int = Field(default=2_000, ge=1)
    """The most matches of an answer."""
    matches_per_record: int = Field(default=500, ge=1)
    """The most of these that are one record's."""
    concurrent_matches: int = Field(default=2, ge=1, le=1024)
    """How many pastes each worker matches at once: so many short ones, so many long ones, and
    lines of so many streams."""
    waiting_matches: int = Field(default=16, ge=0, le=100_000)
    """How many short ones, and how many long ones, may wait for that, in turns by client; who
    comes after them is asked to try again later."""
    match_wait_seconds: float = Field(default=10.0, gt=0, le=3600)
    """How long they may wait."""
    access_log: bool = True
    """Whether a line of JSON is written to standard output for each request."""
    metrics: bool = True
    """Whether /metrics answers."""

    @model_validator(mode="before")
    @classmethod
    def _read_environment(cls, given: dict[str, Any]) -> dict[str, Any]:
        names = {field: f"ERRDEX_{field.upper()}" for field in cls.model_fields}
        read = {field: os.environ[name] for field, name in names.items() if name in os.environ}
        return {**read, **given}

    @field_validator("cors_origins", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(each for each in re.split(r"[\s,]+", value) if each)
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            ip_network(each)
        return value


def match_limits(settings: Settings) -> MatchLimits:
    """The bounds of the work for one paste."""
    from errdex.matching.ranking import MatchLimits  # which other commands need not import

    return MatchLimits(
        seconds=settings.match_seconds,
        matches=settings.matches,
        matches_per_record=settings.matches_per_record,
    )


def cache_of(settings: Settings) -> Path | None:
    """Where copies of databases are kept; None if none is named and the user has no folder."""
    if settings.cache_folder is not None:
        return settings.cache_folder
    try:
        return user_cache_path("errdex")
    except RuntimeError:  # no home folder
        return None


def open_store(
    settings: Settings, on_build: Callable[[], object] = lambda: None
) -> tuple[Store, IndexStore]:
    """The database that the settings name, and the indexes that belong to it. The starter
    database of a checkout is built first if need be, after a call of `on_build`. Raises
    StarterMissing."""
    cache = cache_of(settings)
    path = database_path(settings.database_url, cache)
    starter = is_starter(path)
    if starter:
        ensure_starter(path, on_build)
    store = open_database(
        settings.database_url,
        busy_timeout_ms=settings.busy_timeout_ms,
        immutable=starter,
        cache=cache,
    )
    beside = index_folder_of(path)
    return store, _Indexes(beside if starter else settings.index_folder or beside)


class _Indexes:
    """The indexes in a folder. Whoosh and numpy are imported when one is first needed, since a
    command that does not search should not wait for them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _whoosh(self) -> IndexStore:
        from errdex.search.whoosh.index import WhooshIndexStore

        return WhooshIndexStore(self._folder)

    def open(self, version: str) -> SearchIndex:
        return self._whoosh.open(version)

    def verify(self, version: str) -> int:
        return self._whoosh.verify(version)

    def begin(self, version: str, *, base: str | None = None) -> IndexWriter:
        return self._whoosh.begin(version, base=base)

    def sweep(self, keep: set[str]) -> None:
        self._whoosh.sweep(keep)


def page_file_of(settings: Settings, database: Path, *, patient: bool = False) -> PageFile | None:
    """The file of made pages beside the database, if there is to be one: beside the starter
    database nothing is written."""
    if not settings.page_file_mb or is_starter(database):
        return None
    path = database.with_name(f"{database.name}.pages")
    return PageFile(path, settings.page_file_mb << 20, patient=patient)


def index_folder_of(database: Path) -> Path:
    """Where a database's indexes are kept when the settings don't say."""
    return database.with_name(f"{database.name}.index")
