"""Errdex: a searchable knowledge base of errors.

    import errdex

    answer = errdex.match(log)
    with errdex.open("errdex.db") as knowledge:
        answer = knowledge.match(log)

`import errdex` loads nothing else; the first use does. docs/python.md describes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from errdex.formats.answer import PasteAnswer as Answer
    from errdex.library import Knowledge, Pack
    from errdex.records.problems import Trouble

__all__ = ["Answer", "Knowledge", "Pack", "Trouble", "match", "open", "open_pack"]

_HOMES = {
    "Answer": ("errdex.formats.answer", "PasteAnswer"),
    "Knowledge": ("errdex.library", "Knowledge"),
    "Pack": ("errdex.library", "Pack"),
    "Trouble": ("errdex.records.problems", "Trouble"),
}
"""The module and the name there of each class that is imported when it is first used."""


def match(text: str | bytes) -> Answer:
    """The errors in a log, each with the records that match it.

    The first call opens the default database, as `open()` does, and later calls share it.
    Nothing of the text is stored or logged. Raises Trouble when the database cannot be read.
    """
    from errdex.library import default_knowledge

    return default_knowledge().match(text)


def open(database: str | PathLike[str] | None = None) -> Knowledge:  # noqa: A001
    """Open a database: a file, or a URL such as `sqlite:////srv/errdex.db`. By default the one
    that ERRDEX_DATABASE_URL names, else the user's own, else the starter database.

    Raises Trouble when it is missing or cannot be read.
    """
    from errdex.library import open_knowledge

    return open_knowledge(database)


def open_pack(path: str | PathLike[str]) -> Pack:
    """Open a file that `errdex pack` wrote: it answers without a database.

    Raises OSError, and Trouble when it is no pack, damaged, or of another version of Errdex.
    """
    from errdex.library import open_pack as opened

    return opened(path)


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext errdex` calls: show a known error's card below its traceback."""
    from errdex.plugins.ipython import load

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """What `%unload_ext errdex` calls."""
    from errdex.plugins.ipython import unload

    unload(shell)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'errdex' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)
