"""Files whose records wait until their whole tree is read: then it is known which functions of the
tree report what they are given, and files that call one with a text are read again.

What a file is read again with depends on the functions that it calls and on no other file, so
that it need not be read a third time while these report the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errdex.harvest.extractors import MODULES, find_language
from errdex.harvest.merging import RecordLine, RecordSpool
from errdex.harvest.sources.source_tree import SourceFile

if TYPE_CHECKING:
    from errdex.harvest.trees.forwarding import Passed
    from errdex.harvest.trees.reporters import Known, Reporters


@dataclass(frozen=True, slots=True)
class Rereading:
    """A file to read again."""

    number: int
    """Under which its records are in the spool."""
    tree: int
    file: SourceFile
    key: str
    """Under which the state of the harvest has it."""
    known: Known
    """The functions that it calls and that report."""
    known_name: str
    """What names them: equal for equal ones alone."""


@dataclass(frozen=True, slots=True)
class _Caller:
    number: int
    file: SourceFile
    key: str
    called: frozenset[str]


class HeldFiles:
    """The files whose records wait in a spool, in their order."""

    def __init__(self, spool: RecordSpool) -> None:
        self._spool = spool
        self._callers: dict[tuple[int, str], list[_Caller]] = {}
        self._reporters: dict[tuple[int, str], Reporters] = {}
        """By tree and by the module that reads the language: C and C++ share functions."""

    def hold(
        self, tree: int, file: SourceFile, lines: Sequence[RecordLine], passed: Passed, key: str
    ) -> None:
        """Keep the records of a file of a tree."""
        from errdex.harvest.trees.reporters import Reporters

        language = find_language(file.path)
        together = tree, MODULES[language.name] if language is not None else ""
        self._reporters.setdefault(together, Reporters()).add(passed)
        caller = _Caller(self._spool.add(lines), file, key, frozenset(passed.called))
        self._callers.setdefault(together, []).append(caller)

    def reread(self) -> Iterator[Rereading]:
        """The files to read again, those of one tree and language together."""
        for together, reporters in self._reporters.items():
            known = reporters.known()
            names = {name: _named(repr(found)) for name, found in known.items()}
            for each in self._callers[together]:
                if called := sorted(each.called & known.keys()):
                    own = {name: known[name] for name in called}
                    named = _named("\n".join(f"{name} {names[name]}" for name in called))
                    yield Rereading(each.number, together[0], each.file, each.key, own, named)
        self._reporters.clear()

    def replace(self, again: Rereading, lines: Sequence[RecordLine]) -> None:
        """Take the records of a file that was read again."""
        self._spool.replace(again.number, lines)


def _named(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
