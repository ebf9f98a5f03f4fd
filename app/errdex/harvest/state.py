"""What a harvest keeps for the next one: the outcome of each file, so that only files that changed
are read again, and of the others those that call a function that now reports something else.

A file's outcome depends on its path, its content, the options of reading, and this program; its
second one also on the functions that it was read again with. All that is in the key under which an
outcome is kept, or in the version of the whole state. The commit is not: a record is given that of
the present harvest when it is taken.

The state is a file: a line that names its format and version, entries of JSON, an index of their
places with checksums, and a trailer that says where the index is. An entry that does not have its
checksum or is not what it should be is not used. Nothing in it is run.
"""

from __future__ import annotations

import hashlib
import struct
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from io import SEEK_END
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple

from pydantic import TypeAdapter

from errdex.harvest.cross_file import ClassMessage, UnfinishedRecord
from errdex.harvest.merging import IN_MEMORY, RecordLine, to_line
from errdex.harvest.reading import FileOutcome, Tally
from errdex.harvest.records import Origin, of_origin
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import SourceFile
from errdex.records.wire import load_wire

if TYPE_CHECKING:
    from errdex.harvest.trees.forwarding import Passed

FORMAT = "errdex harvest state 1"
_TRAILER = struct.Struct(">QQI8s")
_MAGIC = b"errdex\r\n"
_LONGEST_HEAD = 200
_ROOMS = ("harvest", "records")
"""Packages whose source decides what is harvested from a file."""

_NOT_AN_ENTRY = (ValueError, KeyError, TypeError, RecursionError)
"""Raised for an entry that is not what it should be."""

OTHER_VERSION = "The last harvest was made by another version: every file is read again."
DAMAGED = "The state of the last harvest is damaged: what it lacks is read again."


class _Slot(NamedTuple):
    """Where an entry is."""

    start: int
    """In the file of the state. Less than 0 for an entry that is not there yet: -1 is the first
    byte of the new ones, -2 the second."""
    size: int
    checksum: int


@dataclass(frozen=True, slots=True)
class _Index:
    """Where the entries are, by their keys."""

    first: dict[str, _Slot]
    again: dict[str, tuple[str, _Slot]]
    """With the name of the functions that the file was read again with."""


@dataclass(frozen=True, slots=True)
class _Head:
    """An outcome but for the lines of its records and what its functions pass on."""

    listed: str
    """A digit for each record: "1" for one that is only listed."""
    files: int
    skipped: dict[str, int]
    left_out: dict[str, int]
    drafts: list[UnfinishedRecord]
    wordings: list[ClassMessage]


class HarvestState:
    """The outcomes of an earlier harvest, and those of the present one. Close it."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        """A file that is not there yet, is damaged or was written by another version has no
        outcomes, and `note` says so; a `fresh` state has none whatever the file has. Raises OSError
        when it is there and cannot be read."""
        self.path = path
        self.note = ""
        self._old: BinaryIO | None = None
        self._known = _Index({}, {})
        self._kept = _Index({}, {})
        self._new = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by close
        with suppress(FileNotFoundError):
            if fresh:
                return
            self._old = path.open("rb")
            self._known = self._read_index(self._old)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of any file."""
        return not self._known.first

    def knows(self, key: str) -> bool:
        """Whether there is an outcome."""
        return key in self._known.first

    def take(self, key: str, origin: Origin) -> FileOutcome | None:
        """The outcome of a file as one of this origin. None when it is damaged."""
        slot = self._known.first.get(key)
        if slot is None:
            return None
        try:
            head, passed, lines = self._entry(slot).split(b"\n", 2)
            read = _heads().validate_json(head)
            outcome = FileOutcome(
                _of_origin(read.listed, lines, origin),
                [
                    UnfinishedRecord(of_origin(draft.body, origin), draft.classes, draft.word)
                    for draft in read.drafts
                ],
                read.wordings,
                _passed().validate_json(passed) if passed else None,
                Tally(read.files, read.files, 0, Counter(read.skipped), Counter(read.left_out)),
            )
        except _NOT_AN_ENTRY:
            self.note = DAMAGED
            return None
        self._kept.first[key] = slot
        return outcome

    def take_again(self, key: str, known_name: str, origin: Origin) -> list[RecordLine] | None:
        """The records of a file that was read again with the functions of that name."""
        found_name, slot = self._known.again.get(key, ("", None))
        if slot is None or found_name != known_name:
            return None
        try:
            listed, lines = self._entry(slot).split(b"\n", 1)
            found = _of_origin(listed.decode(), lines, origin)
        except _NOT_AN_ENTRY:
            self.note = DAMAGED
            return None
        self._kept.again[key] = known_name, slot
        return found

    def keep(self, key: str, outcome: FileOutcome) -> None:
        """Keep an outcome for the next harvest."""
        tally = outcome.tally
        head = _Head(
            _listed(outcome.lines),
            tally.files,
            dict(tally.skipped),
            dict(tally.left_out),
            outcome.drafts,
            outcome.wordings,
        )
        # What has no form in UTF-8, such as half of a pair, is read again next time.
        with suppress(ValueError):
            passed = b"" if outcome.passed is None else _passed().dump_json(outcome.passed)
            lines = (each.line for each in outcome.lines)
            slot = self._add(b"\n".join((_heads().dump_json(head), passed, b"".join(lines))))
            self._kept.first[key] = slot

    def keep_again(self, key: str, known_name: str, lines: Sequence[RecordLine]) -> None:
        """Keep the records of a file that was read again with the functions of that name."""
        text = b"\n".join((_listed(lines).encode(), b"".join(each.line for each in lines)))
        self._kept.again[key] = known_name, self._add(text)

    def save(self) -> None:
        """Write what this harvest took and kept, and nothing else. Raises OSError."""
        if self._kept == self._known:
            with suppress(OSError):
                self.path.touch()
            return
        aside = tempfile.NamedTemporaryFile(  # noqa: SIM115 - closed before it is renamed
            dir=self.path.parent, prefix=f".{self.path.name}.", delete=False
        )
        written = Path(aside.name)
        try:
            with aside:
                self._write(aside)
            written.replace(self.path)
        finally:
            written.unlink(missing_ok=True)

    def close(self) -> None:
        """Release its files."""
        self._new.close()
        if self._old is not None:
            self._old.close()

    def _add(self, text: bytes) -> _Slot:
        slot = _Slot(-1 - self._new.tell(), len(text), zlib.crc32(text))
        self._new.write(text)
        return slot

    def _entry(self, slot: _Slot) -> bytes:
        """Raises ValueError when it is damaged."""
        text = b"" if self._old is None else _part(self._old, slot.start, slot.size)
        if zlib.crc32(text) != slot.checksum:
            raise ValueError("damaged")
        return text

    def _read_index(self, file: BinaryIO) -> _Index:
        head = file.readline(_LONGEST_HEAD).split()
        if head != f"{FORMAT} {reader_version()}".encode().split():
            self.note = OTHER_VERSION if head[:3] == FORMAT.encode().split()[:3] else DAMAGED
            return _Index({}, {})
        try:
            file.seek(file.seek(0, SEEK_END) - _TRAILER.size)
            start, length, checksum, magic = _TRAILER.unpack(file.read(_TRAILER.size))
            text = _part(file, start, length)
            if magic != _MAGIC or zlib.crc32(text) != checksum:
                raise ValueError("damaged")
            return TypeAdapter(_Index).validate_json(text)
        except (ValueError, OSError, struct.error):
            self.note = DAMAGED
            return _Index({}, {})

    def _write(self, file: IO[bytes]) -> None:
        file.write(f"{FORMAT} {reader_version()}\n".encode())
        index = _Index(
            {key: self._copied(slot, file) for key, slot in self._kept.first.items()},
            {
                key: (name, self._copied(slot, file))
                for key, (name, slot) in self._kept.again.items()
            },
        )
        text = TypeAdapter(_Index).dump_json(index)
        start = file.tell()
        file.write(text)
        file.write(_TRAILER.pack(start, len(text), zlib.crc32(text), _MAGIC))

    def _copied(self, slot: _Slot, file: IO[bytes]) -> _Slot:
        if slot.start < 0:
            self._new.seek(-1 - slot.start)
            text = self._new.read(slot.size)
        else:
            text = self._entry(slot)
        start = file.tell()
        file.write(text)
        return _Slot(start, slot.size, slot.checksum)


def _part(file: BinaryIO, start: int, length: int) -> bytes:
    """So many bytes of a file. Raises ValueError when it does not have them: what says where they
    are may be forged."""
    if start < 0 or length < 0 or start + length > file.seek(0, SEEK_END):
        raise ValueError("damaged")
    file.seek(start)
    return file.read(length)


def key_of(file: SourceFile, content: str, origin: Origin, selection: Selection) -> str:
    """Under which a file's outcome is kept: equal for files that are read alike. `content` names
    the content."""
    named = (
        *(origin.repo, origin.part, origin.tags, origin.url_template),
        *(origin.ref is None, origin.analyzed_at is None, selection.generated, file.path, content),
    )
    text = repr(named).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


@cache
def reader_version() -> str:
    """What names all that reads files: this program's source, the interpreter (whose own parser
    reads Python) and the installed grammars."""
    said = hashlib.blake2b(f"{metadata.version('errdex')}\n{sys.version}".encode(), digest_size=16)
    package = Path(__file__).parent.parent
    for room in _ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            said.update(path.relative_to(package).as_posix().encode() + b"\n" + path.read_bytes())
    for requirement in metadata.requires("errdex") or ():
        name = requirement.partition(">")[0].strip()
        if name.startswith("tree-sitter"):
            with suppress(metadata.PackageNotFoundError):
                said.update(f"{name} {metadata.version(name)}\n".encode())
    return said.hexdigest()


def _listed(lines: Sequence[RecordLine]) -> str:
    return "".join("1" if each.listed else "0" for each in lines)


def _of_origin(listed: str, text: bytes, origin: Origin) -> list[RecordLine]:
    """The lines of records, as those of this origin. Raises ValueError and KeyError."""
    return [
        to_line(of_origin(load_wire(line), origin), listed=digit == "1")
        for digit, line in zip(listed, text.split(b"\n")[:-1], strict=True)
    ]


@cache
def _heads() -> TypeAdapter[_Head]:
    return TypeAdapter(_Head)


@cache
def _passed() -> TypeAdapter[Passed]:
    from errdex.harvest.trees.forwarding import Passed

    return TypeAdapter(Passed)
