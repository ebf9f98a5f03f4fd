"""Records out of the store, in the form in which they can be ingested again."""

from __future__ import annotations

from typing import BinaryIO

import orjson

from errdex.store import Store


def export_records(store: Store, output: BinaryIO, *, dataset: str | None = None) -> int:
    """Write every cause and record (of one dataset) as a line of JSON, all of one version: the
    causes by tag, then the records by id. Returns the number of records. Ingested again they are
    equal objects."""
    written = 0
    with store.snapshot() as snapshot:
        for known in snapshot.causes().values():
            if dataset in (None, known.dataset):
                output.write(orjson.dumps(known.cause.to_dict()) + b"\n")
        for record in snapshot.documents(dataset):
            output.write(record.body_json.encode() + b"\n")
            written += 1
    return written
