"""The lines of a request's body as they come in: of a stream that may never end, in constant
memory. What is packed is unpacked on the way, a bounded piece at a time.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import zstandard

from errdex.web.match.body import MAX_ZSTD_WINDOW, damaged

MAX_LINE = 65_536
"""Bytes of a line; a longer one is reported and left out."""
_PIECE = 65_536
_ZSTD_STEP = 64
"""Bytes given to zstd at once: the least that a block takes is 4 for 128 kB of output."""
_ZSTD_HEAD = 18
"""The most bytes of a frame's header."""

Count = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class StreamLine:
    """A line with its number in the stream, from 1. `data` is None for one that is too long."""

    number: int
    data: bytes | None


class LineSplitter:
    """Cuts pieces of bytes into lines. Holds at most MAX_LINE bytes. Blank lines are counted
    and left out."""

    def __init__(self) -> None:
        self._held = b""
        self._skipping = False
        self.number = 0
        """Of the line that ended last."""

    def feed(self, piece: bytes) -> Iterator[StreamLine]:
        """The lines that end in this piece, each cut when it is asked for."""
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            self._hold(piece[start:end])
            yield from self._end_line()
            start = end + 1
        self._hold(piece[start:])

    def end(self) -> Iterator[StreamLine]:
        """The line that no line break ends, if there is one."""
        if self._held or self._skipping:
            yield from self._end_line()

    def _hold(self, part: bytes) -> None:
        if self._skipping or len(self._held) + len(part) > MAX_LINE:
            self._held, self._skipping = b"", True
        else:
            self._held += part

    def _end_line(self) -> Iterator[StreamLine]:
        self.number += 1
        if self._skipping:
            yield StreamLine(self.number, None)
        elif self._held.strip():
            yield StreamLine(self.number, self._held)
        self._held, self._skipping = b"", False


class LineReader:
    """The lines of a body whose Content-Encoding is named ("" for none). `count` is called with
    the bytes that unpacking it needs more or, if negative, less."""

    def __init__(self, encoding: str, count: Count = lambda _: None) -> None:
        self._unpacker: _Plain | _Gzip | _Zstd = _UNPACKERS[encoding](count)
        self._splitter = LineSplitter()

    @property
    def number(self) -> int:
        """Of the line that was read last."""
        return self._splitter.number

    def feed(self, chunk: bytes) -> Iterator[StreamLine | None]:
        """The lines that end in this chunk, unpacked and cut as they are asked for; None now
        and then, so that who asks can leave off. Raises PasteRefused where it is not sound,
        and what `count` does."""
        for piece in self._unpacker.feed(chunk):
            yield from self._splitter.feed(piece)
            yield None

    def ends_no_line(self, chunk: bytes) -> bool:
        """Whether to feed the chunk is no work."""
        return type(self._unpacker) is _Plain and b"\n" not in chunk

    def close(self) -> None:
        """Let go of what unpacking needs."""
        self._unpacker = _Plain(lambda _: None)

    def end(self) -> Iterator[StreamLine]:
        """The line at the end of the body. Raises PasteRefused when that is cut off."""
        self._unpacker.check_end()
        yield from self._splitter.end()


class _Plain:
    """Bytes as they are."""

    encoding = ""

    def __init__(self, count: Count) -> None:
        """There is nothing to count."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        for start in range(0, len(chunk), _PIECE):
            yield chunk[start : start + _PIECE]

    def check_end(self) -> None:
        """Any end is a good one."""


class _Gzip:
    """gzip, of several members too."""

    encoding = "gzip"

    def __init__(self, count: Count) -> None:
        self._inflater: zlib._Decompress | None = None

    def _new(self) -> zlib._Decompress:
        return zlib.decompressobj(16 + zlib.MAX_WBITS)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        while chunk:
            inflater = self._inflater = self._inflater or self._new()
            try:
                piece = inflater.decompress(chunk, _PIECE)
            except zlib.error:
                raise damaged(self.encoding) from None
            if piece:
                yield piece
            chunk = inflater.unconsumed_tail
            if inflater.eof:
                chunk, self._inflater = inflater.unused_data, None

    def check_end(self) -> None:
        if self._inflater is not None:
            raise damaged(self.encoding)


class _Deflate(_Gzip):
    """zlib's format."""

    encoding = "deflate"

    def _new(self) -> zlib._Decompress:
        return zlib.decompressobj()


class _Zstd:
    """Zstandard, of several frames too. Fed little by little, since its decompressor does not
    bound what comes out. Of the window that a frame asks for, as much is used as comes out."""

    encoding = "zstd"

    def __init__(self, count: Count) -> None:
        self._maker = zstandard.ZstdDecompressor(max_window_size=MAX_ZSTD_WINDOW)
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._count = count
        self._head = b""
        self._out = self._used = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        for start in range(0, len(chunk), _ZSTD_STEP):
            step = chunk[start : start + _ZSTD_STEP]
            while step:
                frame = self._frame = self._frame or self._maker.decompressobj()
                self._head += step[: _ZSTD_HEAD - len(self._head)]
                try:
                    piece = frame.decompress(step)
                except zstandard.ZstdError:
                    raise damaged(self.encoding) from None
                self._use(len(piece))
                step = b""
                if frame.eof:
                    step, self._frame = frame.unused_data, None
                    self._count(-self._used)
                    self._head, self._out, self._used = b"", 0, 0
                for place in range(0, len(piece), _PIECE):
                    yield piece[place : place + _PIECE]

    def _use(self, size: int) -> None:
        self._out += size
        try:
            window = zstandard.get_frame_parameters(self._head).window_size
        except zstandard.ZstdError:  # it is not there yet
            window = MAX_ZSTD_WINDOW
        used = min(self._out, window)
        if used > self._used:
            self._used, more = used, used - self._used
            self._count(more)

    def check_end(self) -> None:
        if self._frame is not None:
            raise damaged(self.encoding)


_UNPACKERS: dict[str, type[_Plain | _Gzip | _Zstd]] = {
    each.encoding: each for each in (_Plain, _Gzip, _Deflate, _Zstd)
}
