"""Which records may be related to one: those that share something, by the indexes alone.

The page of a record shows six of them. The indexes name some hundred; of the forty that are
found under most of what is shared, only what is compared is read. Reading all of them whole
took 4 ms, a quarter of what the page took.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import orjson
from sqlalchemy import ColumnElement, bindparam, func, select

from errdex.store.keys import id_of, json_keys, key_of
from errdex.store.schema.tables import RECORD, RecordTag, table_of
from errdex.store.sqlite.statements.compiled import Runner, Statement, compiled
from errdex.store.values import RecordSummary, RelatedTraits

_MOST_TAGS = 5
_MOST_COMPARED = 40
_record = RECORD
_tag = table_of(RecordTag)


def list_candidates(
    run: Runner,
    record: RecordSummary,
    alike: Iterable[str],
    frequency: Callable[[str], int],
    limit_each: int,
) -> list[RelatedTraits]:
    """Records that share the background, a tag (the rarest first), the file or the class within
    the repository, up to `limit_each` for each of these, and those with the ids `alike`; without
    the record itself; those that share most. `frequency` gives how many records have a tag."""
    own = key_of(record.id)
    likes: list[int] = orjson.loads(json_keys(alike))
    shared = Counter[int]()
    for names, values in _shared_values(record, frequency):
        shared.update(dict.fromkeys(_neighbours(run, names, values, own, limit_each), 1))
    del shared[own]
    # Equal ones stay as they were found: what weighs most was looked for first.
    keys = {*likes, *(key for key, _ in shared.most_common(_MOST_COMPARED))} - {own}
    rows = run.rows(_traits(), keys=orjson.dumps(sorted(keys)).decode())
    tags = orjson.loads(f"[{','.join(row[-1] for row in rows)}]")
    return [
        RelatedTraits(id_of(key), repo, background, file, error_class, tuple(own_tags))
        for (key, repo, background, file, error_class, _), own_tags in zip(rows, tags, strict=True)
    ]


def _shared_values(
    record: RecordSummary, frequency: Callable[[str], int]
) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
    """The names of what may be shared, with the record's values of these."""
    if record.background_tag:
        yield ("background_tag",), {"background_tag": record.background_tag}
    for tag in sorted(set(record.tags), key=frequency)[:_MOST_TAGS]:
        yield ("tag",), {"tag": tag}
    if record.file_path:
        yield ("repo", "file_path"), {"repo": record.repo, "file_path": record.file_path}
    if record.error_class:
        yield ("repo", "error_class"), {"repo": record.repo, "error_class": record.error_class}


def _neighbours(
    run: Runner, names: tuple[str, ...], values: dict[str, str], own: int, limit: int
) -> Iterator[int]:
    """The keys behind the record's own, then from the start, so that each record of a large
    group has neighbours of its own instead of all having the same few."""
    rows = run.rows(_sharing(names, after=True), **values, after=own, limit=limit)
    if len(rows) < limit:
        rows += run.rows(_sharing(names, after=False), **values, limit=limit)
    return (key for (key,) in rows)


@lru_cache(maxsize=16)
def _sharing(names: tuple[str, ...], *, after: bool) -> Statement:
    """The first `limit` keys under conditions that an index has together, from behind `after`."""
    key: ColumnElement[int] = _tag.c.record_key if names == ("tag",) else _record.c.key
    table = _tag if names == ("tag",) else _record
    statement = select(key).where(*(table.c[name] == bindparam(name) for name in names))
    if after:
        statement = statement.where(key > bindparam("after"))
    return compiled(statement.order_by(key).limit(bindparam("limit")))


@lru_cache(maxsize=1)
def _traits() -> Statement:
    """What is compared of the records whose keys are in the JSON list `keys`."""
    keys = func.json_each(bindparam("keys")).table_valued("value")
    columns = (
        _record.c.key,
        _record.c.repo,
        _record.c.background_tag,
        _record.c.file_path,
        _record.c.error_class,
        _record.c.tags,
    )
    return compiled(select(*columns).where(_record.c.key.in_(select(keys.c.value))))
