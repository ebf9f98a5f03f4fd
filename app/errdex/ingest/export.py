"""Records out of the store, in the form in which they can be ingested again."""

from __future__ import annotations

from typing import BinaryIO

from errdex.store import Store


def export_records(store: Store, output: BinaryIO, *, dataset: str | None = None) -> int:
    """Write every record (of one dataset) as a line of JSON, all of one version, by id.
    Gives their number. Ingested again they are equal objects."""
    written = 0
    with store.snapshot() as snapshot:
        for record in snapshot.documents(dataset):
            output.write(record.body_json.encode() + b"\n")
            written += 1
    return written
