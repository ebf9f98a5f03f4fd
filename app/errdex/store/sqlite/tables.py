"""The tables, as the newest migration leaves them (a test compares the two).

`record` is narrow on purpose: lists, counts and the matcher read it without
touching the bodies, which are four fifths of the file.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import Column, ForeignKey, Index, Integer, LargeBinary, String, Table, inspect, text
from sqlmodel import Field, SQLModel


class AppliedMigration(SQLModel, table=True):
    """One row for each migration that this database went through."""

    __tablename__: ClassVar[str] = "applied_migration"

    number: int = Field(primary_key=True)
    name: str
    applied_at: str


class Dataset(SQLModel, table=True):
    """A named set of records."""

    __tablename__: ClassVar[str] = "dataset"

    key: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)


class Ingestion(SQLModel, table=True):
    """One row for each version; the greatest version is the one that is served."""

    __tablename__: ClassVar[str] = "ingestion"

    version: str = Field(primary_key=True)
    dataset: str
    added: int
    changed: int
    removed: int
    checksum: int | None = None
    """Of the version; see checksums.py."""


class RecordRow(SQLModel, table=True):
    """What is filtered, listed and matched of a record. `key` is its id, see keys.py."""

    __tablename__: ClassVar[str] = "record"
    __table_args__ = (
        Index("record_repo", "repo"),
        Index("record_repo_class", "repo", "error_class"),
        Index("record_repo_file", "repo", "file_path"),
        Index("record_class", "error_class"),
        Index("record_type", "error_type"),
        Index("record_severity", "severity"),
        Index("record_language", "language"),
        Index("record_background", "background_tag"),
        Index("record_dataset", "dataset_key"),
        Index("record_changed", "changed_version"),
        Index("record_source", "source_hash", sqlite_where=text("source_hash IS NOT NULL")),
    )

    key: int = Field(primary_key=True)
    dataset_key: int = Field(foreign_key="dataset.key")
    repo: str
    slug: str
    error_message: str
    pattern: str
    error_class: str | None = None
    error_type: str | None = None
    error_code: str | None = None
    http_status: int | None = None
    severity: str | None = None
    language: str | None = None
    background_tag: str | None = None
    file_path: str | None = None
    line_number: int | None = None
    function: str | None = None
    tags: str
    """A JSON list, in the record's own order."""
    changed_version: str
    content_hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    """Equal means that the record need not be looked at again."""
    source_hash: str | None = None
    """Of the text in the file. Equal means that it need not even be parsed again."""
    pattern_sum: int | None = None
    """Of the pattern alone, since the matcher reads it alone; see checksums.py."""
    body_sum: int | None = None
    """Of the body."""
    row_sum: int | None = None
    """Of queries.SUMMARY_COLUMNS and `body_sum`."""


class RecordBody(SQLModel, table=True):
    """The record as it is served, verbatim. Its key is its place in the file: bodies are
    appended, since each fills a page, and sorting pages in by id would take three times as long.
    """

    __tablename__: ClassVar[str] = "record_body"

    key: int | None = Field(default=None, primary_key=True)
    record_key: int = Field(
        sa_column=Column(
            Integer, ForeignKey("record.key", ondelete="CASCADE"), nullable=False, unique=True
        )
    )
    body_json: str


class RecordTag(SQLModel, table=True):
    """Which records carry a tag, in the order of listings."""

    __tablename__: ClassVar[str] = "record_tag"
    __table_args__ = (Index("record_tag_record", "record_key"), {"sqlite_with_rowid": False})

    tag: str = Field(primary_key=True)
    record_key: int = Field(
        sa_column=Column(Integer, ForeignKey("record.key", ondelete="CASCADE"), primary_key=True)
    )


class FacetCount(SQLModel, table=True):
    """How many records have a value, counted anew by each ingestion."""

    __tablename__: ClassVar[str] = "facet_count"
    __table_args__ = (
        Index("facet_count_order", "facet", text("records DESC"), "value"),
        {"sqlite_with_rowid": False},
    )

    facet: str = Field(sa_column=Column(String, primary_key=True))
    value: str = Field(sa_column=Column(String, primary_key=True))
    records: int
    checksum: int | None = None
    """Of the three; see checksums.py."""


def table_of(model: type[SQLModel]) -> Table:
    """The table behind a model, for statements that make no objects."""
    table = inspect(model).local_table
    if not isinstance(table, Table):
        raise TypeError(f"{model.__name__} is not a table")
    return table
