"""Opening an input: counting what is read of it, and decompressing on the way.

Nothing is decompressed further ahead than one buffer, so a small file that unpacks
to terabytes costs time and no memory.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from typing import BinaryIO, cast

import zstandard

from errdex.records.files.raw import InputDamaged

BUFFER_BYTES = 256 * 1024
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

_MAX_WINDOW_BYTES = 128 * 1024 * 1024
"""What `zstd --long` and its highest levels use by default; a file may ask for more."""


class CountedInput(io.RawIOBase):
    """The bytes of a file or a pipe; calls `count` with the number of bytes of each read."""

    def __init__(self, source: BinaryIO, count: Callable[[int], None]) -> None:
        self._source = source
        self._count = count

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read what is there, at most a buffer full."""
        read = getattr(self._source, "read1", self._source.read)
        data = read(len(buffer)) or b""
        buffer[: len(data)] = data
        self._count(len(data))
        return len(data)


def open_gzip(source: BinaryIO) -> io.BufferedReader:
    """Read gzip, of several members too. Reading raises InputDamaged."""
    return io.BufferedReader(_Gunzipped(source), BUFFER_BYTES)


def open_zstd(source: BinaryIO, max_window_bytes: int = _MAX_WINDOW_BYTES) -> io.BufferedReader:
    """Read Zstandard, of several frames too. Reading raises InputDamaged, also for a frame
    that asks for more memory than `max_window_bytes`."""
    return io.BufferedReader(_Unzstded(source, max_window_bytes), BUFFER_BYTES)


class _Gunzipped(io.RawIOBase):
    def __init__(self, source: BinaryIO) -> None:
        self._file = gzip.GzipFile(fileobj=source, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._file.read1(len(buffer))
        except EOFError as problem:
            raise _cut_short("gzip") from problem
        except (gzip.BadGzipFile, zlib.error) as problem:
            raise _damaged("gzip", problem) from problem
        buffer[: len(data)] = data
        return len(data)


_SEAL = b"\x00the end of the file\x00"


class _Unzstded(io.RawIOBase):
    """Zstandard's reader ends in silence where a file is cut off. So a frame of our own
    is read behind the file: if it does not come out last, the file was cut."""

    def __init__(self, source: BinaryIO, max_window_bytes: int) -> None:
        decompressor = zstandard.ZstdDecompressor(max_window_size=max_window_bytes)
        self._reader = decompressor.stream_reader(
            cast(BinaryIO, _Sealed(source)), read_size=BUFFER_BYTES, read_across_frames=True
        )
        self._held = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while True:
            try:
                data = self._reader.read1(max(1, len(buffer)))
            except zstandard.ZstdError as problem:
                raise _damaged("zstd", problem) from problem
            if not data:
                if self._held != _SEAL:
                    raise _cut_short("zstd")
                return 0
            joined = self._held + data
            ready = min(len(buffer), max(0, len(joined) - len(_SEAL)))
            self._held = joined[ready:]
            if ready:
                buffer[:ready] = joined[:ready]
                return ready


class _Sealed:
    """A source with the seal at the end of its last piece. Handed over by itself, the
    seal could pass for a whole frame where the file ends in the header of one."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._next: bytes | None = None
        self._at_end = False

    def read(self, size: int) -> bytes:
        if self._at_end:
            return b""
        piece = self._source.read(size) if self._next is None else self._next
        self._next = self._source.read(size)
        if self._next:
            return piece
        self._at_end = True
        # The checksum keeps the seal from ending in its own text, which is what a decoder
        # in the middle of uncompressed data would hand out.
        return piece + zstandard.ZstdCompressor(write_checksum=True).compress(_SEAL)


def _cut_short(kind: str) -> InputDamaged:
    return InputDamaged(f"the {kind} data is cut off", "copy or write the file again")


def _damaged(kind: str, problem: Exception) -> InputDamaged:
    remedy = f"write the file again, or rename it if it is not {kind}"
    return InputDamaged(f"is not sound {kind} data ({problem})", remedy)
