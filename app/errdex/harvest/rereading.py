"""Files whose records wait until their whole tree is read: then it is known which functions of the
tree report what they are given, and files that call one with a text are read again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import SEEK_END
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import TYPE_CHECKING

from errdex.harvest.extractors import MODULES
from errdex.harvest.sources.source_tree import SourceFile

if TYPE_CHECKING:
    from errdex.harvest.trees.forwarding import Passed
    from errdex.harvest.trees.reporters import Known, Reporters

FILES = 32
"""Files that are read again at once."""
IN_MEMORY = 32_000_000
"""Bytes of waiting records. What is more waits on the disk."""


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file's records, and what its functions make of what they are given."""

    file: SourceFile
    language: str
    lines: list[bytes]
    passed: Passed


@dataclass(slots=True)
class _Waiting:
    """Where records wait: bytes of the temporary file."""

    start: int
    size: int


@dataclass(frozen=True, slots=True)
class _Caller:
    tree: int
    module: str
    file: SourceFile
    called: frozenset[str]


class HeldFiles:
    """The records that wait, in the order of their files."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by __exit__
        self._waiting: list[_Waiting] = []
        self._places: dict[tuple[int, str], _Waiting] = {}
        """By tree and path."""
        self._callers: list[_Caller] = []
        self._reporters: dict[tuple[int, str], Reporters] = {}
        """By tree and by the module that reads the language: C and C++ share functions."""

    def __enter__(self) -> HeldFiles:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def hold(self, tree: int, files: Sequence[HeldFile]) -> None:
        """Keep the records of some files of a tree."""
        from errdex.harvest.trees.reporters import Reporters

        for each in files:
            module = MODULES[each.language]
            self._reporters.setdefault((tree, module), Reporters()).add(each.passed)
            called = frozenset(each.passed.called)
            self._callers.append(_Caller(tree, module, each.file, called))
            self._places[tree, each.file.path] = self.add(each.lines)

    def add(self, lines: Sequence[bytes]) -> _Waiting:
        """Keep records behind those that wait."""
        waiting = _Waiting(*self._written(lines))
        self._waiting.append(waiting)
        return waiting

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

    def replace(self, tree: int, files: Sequence[HeldFile]) -> int:
        """Take the records of files that were read again; returns how many more they are."""
        more = 0
        for each in files:
            waiting = self._places[tree, each.file.path]
            more += len(each.lines) - len(self._read(waiting))
            waiting.start, waiting.size = self._written(each.lines)
        return more

    def lines(self) -> Iterator[bytes]:
        """All records, by tree, in the order of the files."""
        for waiting in self._waiting:
            yield from self._read(waiting)

    def _written(self, lines: Sequence[bytes]) -> tuple[int, int]:
        start = self._file.seek(0, SEEK_END)
        return start, self._file.write(b"".join(lines))

    def _read(self, waiting: _Waiting) -> list[bytes]:
        self._file.seek(waiting.start)
        return self._file.read(waiting.size).splitlines(keepends=True)
