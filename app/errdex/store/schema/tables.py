"""The tables, as the newest migration of each database leaves them (tests compare the two).

PostgreSQL has those of HELD; the others are derived from them, in SQLite, to be read quickly.

`record` is narrow on purpose: lists, counts and the matcher read it without
touching the bodies, which are four fifths of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, get_args

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    inspect,
    text,
)
from sqlmodel import Field, SQLModel

from errdex.records.fields import FIELDS

WHOLE = BigInteger().with_variant(Integer, "sqlite")
"""64 bits. SQLite's INTEGER has as many, and only a column of that name is the rowid."""


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
    checksum: int | None = Field(default=None, sa_column=Column(WHOLE))
    """The checksum of the version; see checksums.py."""


def _of_fields() -> Iterator[Column[Any]]:
    """A column for each field that has one in the table of fields; tags are a JSON list."""
    for field in FIELDS:
        if field.column:
            whole = get_args(field.type)[0] is int
            optional = not (field.required or field.derived or field.is_list)
            yield Column(field.column, WHOLE if whole else String, nullable=optional)


RECORD = Table(
    "record",
    SQLModel.metadata,
    Column("key", WHOLE, primary_key=True, autoincrement=False),  # its id, see keys.py
    Column("dataset_key", Integer, ForeignKey("dataset.key"), nullable=False),
    *_of_fields(),
    Column("changed_version", String, nullable=False),
    # Equal content hashes mean that the record is the same; equal source hashes, of the text in
    # the file, that it need not even be parsed.
    Column("content_hash", LargeBinary, nullable=False),
    Column("source_hash", String),
    # See checksums.py: of the pattern, since the matcher reads it alone; of the body; and of
    # rows.SUMMARY.
    Column("pattern_sum", WHOLE),
    Column("body_sum", WHOLE),
    Column("row_sum", WHOLE),
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
"""What is filtered, listed and matched of a record."""


class RecordBody(SQLModel, table=True):
    """The record as it is served, verbatim. Its key is its position in the file: bodies are
    appended, since each fills a page, and inserting pages by id would take three times as long.
    """

    __tablename__: ClassVar[str] = "record_body"

    key: int | None = Field(default=None, primary_key=True)
    record_key: int = Field(
        sa_column=Column(
            WHOLE, ForeignKey("record.key", ondelete="CASCADE"), nullable=False, unique=True
        )
    )
    body_json: str


class RecordTag(SQLModel, table=True):
    """Which records carry a tag, in the order of listings."""

    __tablename__: ClassVar[str] = "record_tag"
    __table_args__ = (Index("record_tag_record", "record_key"), {"sqlite_with_rowid": False})

    tag: str = Field(primary_key=True)
    record_key: int = Field(
        sa_column=Column(WHOLE, ForeignKey("record.key", ondelete="CASCADE"), primary_key=True)
    )


class FormerId(SQLModel, table=True):
    """Which record had an id once, as its body says. The key of a former id is as that of a
    record."""

    __tablename__: ClassVar[str] = "former_id"
    __table_args__ = (Index("former_id_record", "record_key"), {"sqlite_with_rowid": False})

    former_key: int = Field(primary_key=True)
    record_key: int = Field(
        sa_column=Column(WHOLE, ForeignKey("record.key", ondelete="CASCADE"), primary_key=True)
    )


class CauseText(SQLModel, table=True):
    """The text of a cause, as JSON. Causes are few and read together."""

    __tablename__: ClassVar[str] = "cause"
    __table_args__ = ({"sqlite_with_rowid": False},)

    tag: str = Field(sa_column=Column(String, primary_key=True))
    dataset: str
    body_json: str
    checksum: int = Field(sa_column=Column(WHOLE, nullable=False))
    """The checksum of the other three; see checksums.py."""


class FacetCount(SQLModel, table=True):
    """How many records have a value, counted by each ingestion."""

    __tablename__: ClassVar[str] = "facet_count"
    __table_args__ = (
        Index("facet_count_order", "facet", text("records DESC"), "value"),
        {"sqlite_with_rowid": False},
    )

    facet: str = Field(sa_column=Column(String, primary_key=True))
    value: str = Field(sa_column=Column(String, primary_key=True))
    records: int
    checksum: int | None = None
    """The checksum of the other three; see checksums.py."""


HELD = (AppliedMigration, Dataset, Ingestion, RecordBody, CauseText)
"""What holds the data, with RECORD."""


def table_of(model: type[SQLModel]) -> Table:
    """The table behind a model, for statements that make no objects."""
    table = inspect(model).local_table
    if not isinstance(table, Table):
        raise TypeError(f"{model.__name__} is not a table")
    return table
