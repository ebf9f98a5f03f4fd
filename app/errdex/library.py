"""Errdex as a Python library: what `import errdex` offers. See docs/python.md."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from errdex.config import Settings, match_limits, open_store
from errdex.formats.answer import PasteAnswer
from errdex.formats.build import build_answer
from errdex.knowledge import Knowledge as ReadLayer
from errdex.store import Replica

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errdex.knowledge.packed import PackedKnowledge


class Knowledge:
    """An open knowledge base. Safe to share between threads; close it when it is no longer
    needed, or use it in a `with` statement. Its methods raise `errdex.Trouble`, whose message
    says what to do, when the database cannot be read."""

    def __init__(self, settings: Settings) -> None:
        store, indexes = open_store(settings)
        if isinstance(store, Replica):
            from errdex.ingest import catch_up

            catch_up(store, indexes)

        def rebuild() -> bool:
            if store.immutable:
                return False
            from errdex.ingest import rebuild_index

            return bool(rebuild_index(store, indexes))

        self._knowledge = ReadLayer(store, indexes, rebuild=rebuild)
        self._limits = match_limits(settings)

    def match(self, text: str | bytes) -> PasteAnswer:
        """The errors in a log, each with the records that match it. Bytes are decoded as
        UTF-8. Nothing of the text is stored or logged."""
        return build_answer(self._knowledge.match(text, self._limits))

    def search(self, words: str, *, limit: int = 20) -> Sequence[Mapping[str, Any]]:
        """The records that are found with these words, the best first; 200 at most."""
        page = self._knowledge.search_records(words, limit=limit)
        return [item.record.body for item in page.items]

    def find(self, record_id: str) -> Mapping[str, Any] | None:
        """The record with that id, as docs/records.md describes it; None when there is none."""
        answer = self._knowledge.find_record(record_id)
        return None if answer is None else answer.stored.body

    @property
    def version(self) -> str:
        """The dataset version, a moment in UTC; "" when nothing was ever ingested."""
        return self._knowledge.get_version()

    def close(self) -> None:
        """Close the files of the knowledge base."""
        self._knowledge.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class Pack:
    """An open pack, which `errdex pack` wrote. Safe to share between threads."""

    def __init__(self, knowledge: PackedKnowledge) -> None:
        self._knowledge = knowledge
        self._limits = match_limits(Settings(database_url="sqlite:///:memory:"))

    def match(self, text: str | bytes) -> PasteAnswer:
        """The errors in a log, each with the records that match it, as `Knowledge.match`, but
        for near misses. Nothing of the text is stored or logged."""
        return build_answer(self._knowledge.match(text, self._limits))

    @property
    def version(self) -> str:
        """The dataset version that it was written of, a moment in UTC."""
        return self._knowledge.version


def open_pack(path: str | PathLike[str]) -> Pack:
    """Open a file that `errdex pack` wrote. Raises OSError, and `errdex.Trouble` when it is no
    pack, damaged, or of another version of Errdex."""
    from errdex.knowledge.packed import PackedKnowledge

    return Pack(PackedKnowledge(Path(path)))


def open_knowledge(database: str | PathLike[str] | None = None) -> Knowledge:
    """Open a database: a file, or a URL such as `sqlite:////srv/errdex.db`. By default the one
    that ERRDEX_DATABASE_URL names, else the user's own, else the starter database.

    Raises `errdex.Trouble` when it is missing or cannot be read.
    """
    if database is None:
        settings = Settings()
    else:
        place = fspath(database)
        settings = Settings(database_url=place if "://" in place else f"sqlite:///{place}")
    knowledge = Knowledge(settings)
    _ = knowledge.version  # a database that is missing is reported now
    return knowledge


@lru_cache(maxsize=1)
def default_knowledge() -> Knowledge:
    """The knowledge base of `errdex.match`, opened at its first call and kept."""
    return open_knowledge()
