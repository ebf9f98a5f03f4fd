"""Settings, from environment variables that begin with ERRDEX_. Read by main and cli only,
which both open here what the settings name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from platformdirs import user_data_path
from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.search.protocol import IndexStore
from app.store import Store


def default_database_url() -> str:
    """A SQLite file in the user's data folder."""
    return f"sqlite:///{user_data_path('errdex') / 'errdex.db'}"


class Settings(BaseSettings):
    """Each field is the environment variable ERRDEX_ + its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="ERRDEX_", frozen=True)

    database_url: str = Field(default_factory=default_database_url)
    """Such as sqlite:////var/lib/errdex/errdex.db."""
    index_folder: Path | None = None
    """Where full-text indexes are kept; by default a folder beside the database."""
    busy_timeout_ms: int = Field(default=10_000, ge=0, le=600_000)
    """How long to wait for a database that another process holds."""
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65_535)
    watch_seconds: float = Field(default=1.0, gt=0, le=3600)
    """How often a server looks whether there is a new dataset version to prepare."""
    cache_seconds: int = Field(default=60, ge=0)
    """For how long browsers and proxies may use an answer without asking again."""
    public_url: str | None = Field(default=None, pattern=r"^https?://[^\s/?#]+/?$")
    """The scheme and host that the public uses, such as https://errdex.example, for addresses
    that must be absolute; by default those of each request."""
    max_body_bytes: int = Field(default=1_000_000, ge=0)
    """The longest request body that is taken."""
    cors_origins: Annotated[tuple[str, ...], NoDecode] = ("*",)
    """Web pages from these origins may read the API; commas between them, * for all."""

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(re.split(r"[\s,]+", value.strip())) if isinstance(value, str) else value


def open_store(settings: Settings) -> tuple[Store, IndexStore]:
    """The database that the settings name, and the indexes that belong to it."""
    # Here, since a command that does not search should not wait for Whoosh and numpy.
    from app.search.whoosh_index import WhooshIndexStore

    store = Store(settings.database_url, busy_timeout_ms=settings.busy_timeout_ms)
    folder = settings.index_folder or index_folder_of(store.path)
    return store, WhooshIndexStore(folder)


def index_folder_of(database: Path) -> Path:
    """Where a database's indexes are kept when the settings don't say."""
    return database.with_name(f"{database.name}.index")
