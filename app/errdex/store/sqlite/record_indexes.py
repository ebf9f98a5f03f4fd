"""The indexes of `record`, left out while a transaction adds so much that building them
at its end is quicker.

An entry of an index is sorted in wherever it belongs. Ten indexes whose pages do not fit
into the cache together take five times as long as the record itself; made at once from
all records each is one sort.
"""

from __future__ import annotations

from sqlalchemy import Index
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.schema import CreateIndex, DropIndex

from errdex.store.schema.tables import RECORD
from errdex.store.sqlite.statements.compiled import Runner

WORTH_IT = 2_000
"""Records added at least, before the indexes are dropped."""
_NEEDED_MEANWHILE = {"record_source"}

_DIALECT = SQLiteDialect_pysqlite()


def _list_indexes() -> list[Index]:
    indexes = {str(index.name): index for index in RECORD.indexes}
    return [indexes[name] for name in sorted(indexes.keys() - _NEEDED_MEANWHILE)]


class RecordIndexes:
    """The indexes as one transaction sees them. Nothing of this is seen by readers."""

    def __init__(self, run: Runner) -> None:
        self._run = run
        self._dropped = False

    def drop(self) -> None:
        """Leave them out from now on; what is found by them is then found slowly."""
        if not self._dropped:
            self._dropped = True
            self._run.run_text(
                *(str(DropIndex(index).compile(dialect=_DIALECT)) for index in _list_indexes())
            )

    def restore(self) -> None:
        """Build those again that were dropped."""
        if self._dropped:
            self._dropped = False
            self._run.run_text(
                *(str(CreateIndex(index).compile(dialect=_DIALECT)) for index in _list_indexes())
            )
