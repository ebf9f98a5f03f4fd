"""Files whose records wait until their whole tree is read: then it is known which functions of the
tree report what they are given, and files that call one with a text are read again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errdex.harvest.extractors import MODULES
from errdex.harvest.merging import RecordLine, RecordSpool
from errdex.harvest.sources.source_tree import SourceFile

if TYPE_CHECKING:
    from errdex.harvest.trees.forwarding import Passed
    from errdex.harvest.trees.reporters import Known, Reporters

FILES = 32
"""Files that are read again at once."""


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file's records, and what its functions make of what they are given."""

    file: SourceFile
    language: str
    lines: list[RecordLine]
    passed: Passed


@dataclass(frozen=True, slots=True)
class _Caller:
    tree: int
    module: str
    file: SourceFile
    called: frozenset[str]


class HeldFiles:
    """The files whose records wait in a spool, in their order."""

    def __init__(self, spool: RecordSpool) -> None:
        self._spool = spool
        self._numbers: dict[tuple[int, str], int] = {}
        """By tree and path."""
        self._callers: list[_Caller] = []
        self._reporters: dict[tuple[int, str], Reporters] = {}
        """By tree and by the module that reads the language: C and C++ share functions."""

    def hold(self, tree: int, files: Sequence[HeldFile]) -> None:
        """Keep the records of some files of a tree."""
        from errdex.harvest.trees.reporters import Reporters

        for each in files:
            module = MODULES[each.language]
            self._reporters.setdefault((tree, module), Reporters()).add(each.passed)
            called = frozenset(each.passed.called)
            self._callers.append(_Caller(tree, module, each.file, called))
            self._numbers[tree, each.file.path] = self._spool.add(each.lines)

    def reread(self) -> Iterator[tuple[int, list[SourceFile], Known]]:
        """The files to read again, some of one tree and language at a time, with the functions
        that they call."""
        for (tree, module), reporters in self._reporters.items():
            known = reporters.known()
            again = [
                each
                for each in self._callers
                if (each.tree, each.module) == (tree, module) and not each.called.isdisjoint(known)
            ]
            for start in range(0, len(again), FILES):
                some = again[start : start + FILES]
                called = frozenset().union(*(each.called for each in some))
                names = {name: found for name, found in known.items() if name in called}
                yield tree, [each.file for each in some], names
        self._reporters.clear()

    def replace(self, tree: int, files: Sequence[HeldFile]) -> None:
        """Take the records of files that were read again."""
        for each in files:
            self._spool.replace(self._numbers[tree, each.file.path], each.lines)
