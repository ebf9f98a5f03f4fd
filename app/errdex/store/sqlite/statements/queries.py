"""Pure query builders: which conditions are set goes in, a compiled statement comes out.

Nothing here needs a database. Each shape of a statement is compiled once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    func,
    literal_column,
    or_,
    select,
    tuple_,
)

from errdex.records.fields import BY_NAME, COLUMNS, FACETS
from errdex.store.facets import COUNTED_TOGETHER
from errdex.store.schema.tables import (
    RECORD,
    Dataset,
    FacetCount,
    Ingestion,
    RecordBody,
    RecordTag,
    table_of,
)
from errdex.store.sqlite.statements.compiled import Statement, compiled

_dataset = table_of(Dataset)
_ingestion = table_of(Ingestion)
_record = RECORD
_body = table_of(RecordBody)
_tag = table_of(RecordTag)
_facet = table_of(FacetCount)
AnySelect: TypeAlias = Select[*tuple[Any, ...]]


FACET_COLUMNS: Mapping[str, ColumnElement[Any]] = {
    **{facet: _record.c[name] for facet, name in FACETS.items() if facet != "tag"},
    "tag": _tag.c.tag,
    "dataset": _dataset.c.name,
}
"""The columns of the facets that each ingestion counts."""

_KEY = _record.c.key

_DATASET_NAME = (
    select(_dataset.c.name).where(_dataset.c.key == _record.c.dataset_key).scalar_subquery()
)

_INDEXED_TOGETHER = ({"repo", "error_class"}, {"repo", "file_path"})

_counted_tag = _tag.alias("counted_tag")

_LIVE_VALUES: Mapping[str, ColumnElement[Any]] = {
    **FACET_COLUMNS,
    "tag": _counted_tag.c.tag,
    "dataset": _DATASET_NAME,
    "file": _record.c.file_path,
}

_SUMMARY = (
    _KEY,
    _DATASET_NAME,
    *(_record.c[name] for name in (*COLUMNS, "changed_version", "body_sum", "row_sum")),
)


def _narrowed(statement: AnySelect, names: tuple[str, ...]) -> AnySelect:
    """The statement, which selects from `record`, under the conditions named.

    The first name is that of the condition which SQLite is to start from, by its index; the
    unary plus keeps it from using that of another one. Left to itself it takes every value
    of a column for equally frequent, and reads 50,000 records to find 3.
    """
    for number, name in enumerate(names):
        if name == "tag" and number == 0:
            # A record has a tag once at most (its primary key), so the join repeats no record.
            tagged = and_(_tag.c.record_key == _KEY, _tag.c.tag == bindparam("tag"))
            statement = statement.join(_tag, tagged)
        elif name == "tag":
            keys = select(_tag.c.record_key).where(
                _tag.c.tag == bindparam("tag"), _tag.c.record_key == _KEY
            )
            statement = statement.where(keys.exists())
        elif name == "dataset":
            column = _record.c.dataset_key if number == 0 else _plain("dataset_key")
            statement = statement.where(column == _dataset_key())
        else:
            indexed = number == 0 or {name, names[0]} in _INDEXED_TOGETHER
            column = _record.c[name] if indexed else _plain(name)
            statement = statement.where(column == bindparam(name))
    return statement


def _dataset_key() -> ColumnElement[Any]:
    """The key of the `dataset` named."""
    key = select(_dataset.c.key).where(_dataset.c.name == bindparam("dataset"))
    return key.scalar_subquery()


def _plain(name: str) -> ColumnElement[Any]:
    """A column whose index is not to be used."""
    return literal_column(f"+record.{name}")


def _order_key(names: tuple[str, ...]) -> ColumnElement[Any]:
    """The record's key, taken from the table that delivers it in order."""
    return _tag.c.record_key if names[:1] == ("tag",) else _KEY


def _records() -> AnySelect:
    """A record without a body is found too, so that it is reported as damaged, not left out."""
    joined = select(*_SUMMARY).outerjoin(_body, _body.c.record_key == _record.c.key)
    return joined.add_columns(_body.c.body_json)


@lru_cache(maxsize=1)
def versions() -> Statement:
    """The newest `limit` versions."""
    newest = select(_ingestion.c.version).order_by(_ingestion.c.version.desc())
    return compiled(newest.limit(bindparam("limit")))


@lru_cache(maxsize=256)
def records(names: tuple[str, ...], *, after: bool) -> Statement:
    """The first `limit` records under conditions, by id, from behind the key `after`."""
    return compiled(_page(_records(), names, after=after))


def _page(statement: AnySelect, names: tuple[str, ...], *, after: bool) -> AnySelect:
    key = _order_key(names)
    statement = _narrowed(statement, names).order_by(key)
    if after:
        statement = statement.where(key > bindparam("after"))
    return statement.limit(bindparam("limit"))


@lru_cache(maxsize=1)
def addresses() -> Statement:
    """Id, slug and version of the first `limit` records from `first` on, by id."""
    columns = select(_KEY, _record.c.slug, _record.c.changed_version)
    return compiled(
        columns.where(bindparam("first") <= _KEY).order_by(_KEY).limit(bindparam("limit"))
    )


@lru_cache(maxsize=1)
def every_nth() -> Statement:
    """The keys of the first record by id and of each `step`-th after it."""
    position = func.row_number().over(order_by=_KEY) - 1
    numbered = select(_KEY.label("key"), position.label("position")).subquery()
    met = numbered.c.position % bindparam("step") == 0
    return compiled(select(numbered.c.key).where(met).order_by(numbered.c.key))


@lru_cache(maxsize=256)
def changes(names: tuple[str, ...], *, after: bool) -> Statement:
    """The newest `limit` records changed later than `since`, newest first and
    from behind (`version`, `key`)."""
    changed = _record.c.changed_version
    statement = _narrowed(_records(), names).where(changed > bindparam("since"))
    if after:
        last = tuple_(bindparam("version"), bindparam("key"))
        statement = statement.where(tuple_(changed, _KEY) < last)
    # Both descend, so that the index on the version delivers them in order.
    return compiled(statement.order_by(changed.desc(), _KEY.desc()).limit(bindparam("limit")))


@lru_cache(maxsize=256)
def count(names: tuple[str, ...]) -> Statement:
    """How many records meet the conditions."""
    return compiled(_narrowed(select(func.count()).select_from(_record), names))


@lru_cache(maxsize=256)
def keys(names: tuple[str, ...], *, with_file: bool = False) -> Statement:
    """The keys of the first `limit` records under conditions from `first` on, in their order; only
    those of records `with_file`, where that is asked for."""
    statement = _narrowed(select(_KEY).select_from(_record), names)
    if with_file:
        statement = statement.where(_record.c.file_path.is_not(None))
    statement = statement.where(_order_key(names) >= bindparam("first"))
    return compiled(statement.order_by(_order_key(names)).limit(bindparam("limit")))


@lru_cache(maxsize=1)
def known() -> Statement:
    """Dataset and content hash of the records whose keys are in the JSON list `keys`."""
    keys = func.json_each(bindparam("keys")).table_valued("value")
    statement = select(_KEY, _DATASET_NAME, _record.c.content_hash)
    return compiled(statement.where(_KEY.in_(select(keys.c.value))))


@lru_cache(maxsize=1)
def known_sources() -> Statement:
    """Source hash, key and content hash of the records of a `dataset` whose source hashes are
    in the JSON list `hashes`."""
    hashes = func.json_each(bindparam("hashes")).table_valued("value")
    statement = select(_record.c.source_hash, _KEY, _record.c.content_hash).where(
        _record.c.source_hash.is_not(None), _record.c.source_hash.in_(select(hashes.c.value))
    )
    return compiled(statement.where(_plain("dataset_key") == _dataset_key()))


@lru_cache(maxsize=1)
def counted_value() -> Statement:
    """The kept count of one `value` of a `facet`."""
    return compiled(
        select(*_facet.c).where(
            _facet.c.facet == bindparam("facet"),
            _facet.c.value == bindparam("value"),
        )
    )


@lru_cache(maxsize=1)
def tag_rows() -> Statement:
    """Each tag and how many records are listed under it."""
    return compiled(select(_tag.c.tag, func.count()).group_by(_tag.c.tag))


@lru_cache(maxsize=256)
def facet_rows(names: tuple[str, ...]) -> Statement:
    """The values of COUNTED_TOGETHER, tags as a JSON list, of each record under conditions."""
    columns = [
        _record.c.tags if facet == "tag" else FACET_COLUMNS[facet] for facet in COUNTED_TOGETHER
    ]
    return compiled(_narrowed(select(*columns).select_from(_record), names))


@lru_cache(maxsize=256)
def live_counts(facet: str, names: tuple[str, ...], *, after: bool) -> Statement:
    """The most frequent values of a facet among the records under conditions."""
    value = _LIVE_VALUES[facet]
    number = func.count()
    statement = select(value, number).select_from(_record)
    if facet == "tag":
        statement = statement.join(_counted_tag, _counted_tag.c.record_key == _KEY)
    statement = _narrowed(statement, names).where(value.is_not(None)).group_by(value)
    if after:
        statement = statement.having(_behind(number, value))
    return compiled(statement.order_by(number.desc(), value).limit(bindparam("limit")))


def _behind(number: ColumnElement[Any], value: ColumnElement[Any]) -> ColumnElement[bool]:
    last: ColumnElement[int] = bindparam("last_count")
    return or_(number < last, and_(number == last, value > bindparam("last_value")))


@lru_cache(maxsize=1)
def verification() -> Statement:
    """For each topic (the records' first tag), largest first: how many records there are, were
    reproduced, have two samples, how many samples there are, how many records have references.

    Reads every body: a second for some 100,000 records.
    """
    topic = func.json_extract(_record.c.tags, "$[0]")
    samples = func.coalesce(func.json_array_length(_body.c.body_json, "$.samples"), 0)
    references = func.json_array_length(_body.c.body_json, "$.references")
    field = BY_NAME["verified_with"]  # a body that was stored earlier may have another spelling
    verified = (
        func.json_extract(_body.c.body_json, f"$.{key}") for key in (field.wire, *field.other_names)
    )
    number = func.count()
    columns = (
        topic,
        number,
        func.count(func.coalesce(*verified)),
        func.sum(samples >= 2),
        func.sum(samples),
        func.sum(func.coalesce(references, 0) > 0),
    )
    statement = select(*columns).join(_body, _body.c.record_key == _KEY)
    return compiled(statement.group_by(topic).order_by(number.desc(), topic))


@lru_cache(maxsize=2)
def documents(*, dataset: bool) -> Statement:
    """Every record whole, by id; only those of one `dataset` on request."""
    names = ("dataset",) if dataset else ()
    return compiled(_narrowed(_records(), names).order_by(_KEY))


@lru_cache(maxsize=1)
def documents_unlike() -> Statement:
    """Every record whole that was last changed in another version than `version`."""
    changed = _record.c.changed_version
    return compiled(_records().where(changed != bindparam("version")).order_by(_KEY))


@lru_cache(maxsize=1)
def copied() -> Statement:
    """Every record whole that was changed later than `since`, with its hashes, by id."""
    whole = _records().add_columns(_record.c.content_hash, _record.c.source_hash)
    return compiled(whole.where(_record.c.changed_version > bindparam("since")).order_by(_KEY))


@lru_cache(maxsize=1)
def documents_until() -> Statement:
    """Every record whole that was last changed in `version` or before."""
    return compiled(
        _records().where(_record.c.changed_version <= bindparam("version")).order_by(_KEY)
    )


@lru_cache(maxsize=1)
def every_key() -> Statement:
    """The key of every record, in their order."""
    return compiled(select(_KEY).order_by(_KEY))


@lru_cache(maxsize=1)
def version() -> Statement:
    """The `version`, if there is such a one."""
    return compiled(
        select(_ingestion.c.version).where(_ingestion.c.version == bindparam("version"))
    )
