"""The files of a finished index, all opened at once and kept.

An index goes on being searched when its folder is swept, and a file that is cut
short meanwhile is an error, not a crash: everything is read, and only the running
text, which phrases are looked for in, is mapped, its size being checked each time.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Lock
from typing import NoReturn
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from whoosh.filedb.filestore import Storage, StorageError
from whoosh.filedb.filetables import FileFormatError
from whoosh.filedb.structfile import StructFile

from errdex.search.analysis import SIGNED
from errdex.search.protocol import IndexDamaged

DAMAGE = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, ImportError, LookupError),
    *(MemoryError, NameError, RecursionError, TypeError, ValueError, struct.error),
    *(FileFormatError, StorageError),
)
"""What reading something else than was written can end in."""


FileIdentity = tuple[int, int, int, int]
"""Device, inode, time of the last change in ns, and size."""


class _Descriptor:
    """An open file, closed when nobody refers to it any more: a search that is under way
    keeps reading what it began with."""

    def __init__(self, path: Path) -> None:
        self.number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        found = os.fstat(self.number)
        self.length = found.st_size
        self.identity = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)
        self._moving = Lock()

    def read(self, length: int, position: int) -> bytes:
        """So many bytes from there, fewer at the end. Safe to call from several threads."""
        if hasattr(os, "pread"):
            return os.pread(self.number, length, position)
        with self._moving:  # Windows reads only from where the descriptor is
            os.lseek(self.number, position, os.SEEK_SET)
            return os.read(self.number, length)

    def __del__(self) -> None:
        if hasattr(self, "number"):
            os.close(self.number)


class _PinnedFile(StructFile):
    """A file of an open index. `get` is safe to call from several threads, and reads
    (rather than maps) so that a file that was cut short meanwhile is an error, not a crash."""

    def __init__(self, descriptor: _Descriptor, name: str) -> None:
        self._descriptor = descriptor
        super().__init__(_Cursor(descriptor), name)

    def get(self, position: int, length: int) -> bytes:
        """So many bytes from there. Raises IndexDamaged when the file has ended."""
        data = self._descriptor.read(length, position)
        if len(data) != length:
            raise IndexDamaged(f"{self._name} of the full-text index is shorter than it was.")
        return data

    def read_pickle(self) -> NoReturn:
        """Refuse: nothing that an index holds may run code."""
        raise IndexDamaged(f"{self._name} of the full-text index is asked for a pickle.")

    def close(self) -> None:
        """Nothing: see _Descriptor."""


class _Cursor:
    """What Whoosh reads with while it opens a file."""

    def __init__(self, descriptor: _Descriptor) -> None:
        self._descriptor = descriptor
        self._position = 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go there."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._descriptor.length}
        self._position = start[whence] + offset
        return self._position

    def tell(self) -> int:
        """Where the next read begins."""
        return self._position

    def read(self, length: int = -1) -> bytes:
        """The next bytes, fewer at the end."""
        length = self._descriptor.length - self._position if length < 0 else length
        data = self._descriptor.read(length, self._position)
        self._position += len(data)
        return data


class PinnedStorage(Storage):
    """The files of a finished index, all opened at once, so that it can go on being searched
    when its folder is swept."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._files = {name: _Descriptor(folder / name) for name in names}

    def list(self) -> list[str]:
        """The names of the files."""
        return list(self._files)

    def checksum(self, name: str) -> int:
        """The CRC-32 of the file."""
        file = self.open_file(name)
        checksum = 0
        while chunk := file.read(1 << 20):
            checksum = crc32(chunk, checksum)
        return checksum

    def identity(self, name: str) -> FileIdentity:
        """What stays the same while the file does, under whatever name."""
        return self._files[name].identity

    def file_exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return name in self._files

    def file_length(self, name: str) -> int:
        """How many bytes the file has."""
        return self._files[name].length

    def open_file(self, name: str, **_options: object) -> _PinnedFile:
        """The file, from its beginning."""
        return _PinnedFile(self._files[name], name)

    def map(self, name: str) -> MappedText:
        """The file as signed text to search in."""
        return MappedText(self._files[name], name)


_FEW_SPANS = 16
"""So many spans are searched one by one."""


class MappedText:
    """A file that begins with signed words (see `errdex.search.analysis.sign`), to find them in.
    Safe to use from several threads. Offsets are in bytes from the beginning."""

    def __init__(self, descriptor: _Descriptor, name: str) -> None:
        self._descriptor = descriptor
        self._name = name
        self._data = mmap(descriptor.number, 0, access=ACCESS_READ)
        count = descriptor.length // SIGNED
        self._words = np.frombuffer(self._data, f"<u{SIGNED}", count)

    def find_each(
        self, phrase: bytes, starts: NDArray[np.intp], ends: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """For each span whether the words stand there in a row."""
        self._check()
        if len(starts) <= _FEW_SPANS:
            spans = zip(starts.tolist(), ends.tolist(), strict=True)
            return np.array([self._find(phrase, start, end) for start, end in spans], bool)
        sought = np.frombuffer(phrase, self._words.dtype)
        first = starts // SIGNED
        # The words at which the whole phrase still fits into its span.
        room = np.maximum(ends // SIGNED - first - len(sought) + 1, 0)
        before = np.cumsum(room) - room
        places = np.repeat(first - before, room) + np.arange(int(room.sum()))
        found = np.flatnonzero(self._words[places] == sought[0])
        for offset, word in enumerate(sought[1:], start=1):
            found = found[self._words[places[found] + offset] == word]
        having = np.zeros(len(starts), bool)
        having[np.searchsorted(before + room, found, side="right")] = True
        return having

    def find_all(self, phrase: bytes) -> NDArray[np.intp]:
        """Where in the whole text the words stand in a row."""
        self._check()
        sought = np.frombuffer(phrase, self._words.dtype)
        last = max(len(self._words) - len(sought) + 1, 0)
        places = np.flatnonzero(self._words[:last] == sought[0])
        for offset, word in enumerate(sought[1:], start=1):
            places = places[self._words[places + offset] == word]
        return places * SIGNED

    def _find(self, phrase: bytes, start: int, end: int) -> bool:
        place = self._data.find(phrase, start, end)
        while place >= 0 and place % SIGNED:
            place = self._data.find(phrase, place + 1, end)
        return place >= 0

    def _check(self) -> None:
        """Reading behind the end of a file that was cut short would kill the process."""
        if os.fstat(self._descriptor.number).st_size != self._descriptor.length:
            raise IndexDamaged(f"{self._name} of the full-text index is shorter than it was.")
