"""The objects of a git repository, read from its files without git.

Only dulwich's decoders of packs, pack indexes and loose objects are used: nothing of
it starts a process, opens a connection or reads settings. An object is checked before
it is unpacked: it and everything that it is stored as a difference from have at most
LARGEST bytes, so that a small file cannot ask for much memory. Whatever is wrong with
the bytes is an OSError.

Objects may be borrowed from other folders (`objects/info/alternates`), since clones
with `--shared` and `--reference` need it. They are found by their hash alone.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dulwich.object_format import ObjectFormat
from dulwich.objects import (
    ObjectID,
    RawObjectID,
    ShaFile,
    hex_to_filename,
    hex_to_sha,
    parse_tree,
    sha_to_hex,
)
from dulwich.pack import Pack

from errdex.harvest.sources.errors import ObjectDamaged, ObjectMissing, ObjectTooLarge

LARGEST = 32 << 20
"""Bytes of one object, unpacked."""
LONGEST_CHAIN = 4096
"""Objects that one is stored as a difference from, one of the other: git's own bound."""
MOST_OF_CHAIN = 8 * LARGEST
"""Bytes that all objects of such a chain have together."""
MOST_FOLDERS = 20
"""Folders that objects are borrowed from."""
_LARGEST_LIST = 1 << 16
"""Bytes of the file that names them."""
_HEAD_BYTES = 4096
"""Of a packed object, enough to unpack its first bytes."""
_BY_OFFSET, _BY_NAME = 6, 7
"""The types of objects that are stored as a difference (gitformat-pack)."""
COMMIT, TREE, BLOB, TAG = 1, 2, 3, 4
"""The types of the others."""


class TreeEntry(NamedTuple):
    """One entry of a tree."""

    name: bytes
    mode: int
    """As git has it: 0o40000 a folder, 0o120000 a link, 0o160000 a submodule."""
    oid: str


class GitObjects:
    """The objects of one repository. `close` releases its files."""

    def __init__(self, folder: Path, object_format: ObjectFormat) -> None:
        """`folder` is the repository's `objects`."""
        self._format = object_format
        self._folders = _with_alternates(folder)
        self._packs = [
            Pack(
                os.fspath(index.with_suffix("")),
                object_format=object_format,
                delta_base_cache_limit=LARGEST,
            )
            for each in self._folders
            for index in sorted((each / "pack").glob("*.idx"))
            if index.is_file() and index.with_suffix(".pack").is_file()
        ]

    def read(self, oid: str, largest: int = LARGEST) -> tuple[int, bytes]:
        """The type and content of an object. Raises OSError: ObjectMissing, ObjectTooLarge
        or ObjectDamaged."""
        name = ObjectID(oid.encode("ascii", "replace"))
        with decoding(oid):
            raw = hex_to_sha(name)
            if len(raw) != self._format.oid_length:
                raise ObjectDamaged(f"{oid} is no name of an object.")
            found = self._read_packed(raw, largest) or self._read_loose(name, largest)
        if found is None:
            raise ObjectMissing(f"The repository has no object {oid}.")
        return found

    def read_tree(self, oid: str) -> list[TreeEntry]:
        """The entries of a tree, in git's order. Raises OSError."""
        kind, content = self.read(oid)
        with decoding(oid):
            if kind != TREE:
                raise ObjectDamaged(f"{oid} is no tree.")
            return [
                TreeEntry(name, mode, found.decode())
                for name, mode, found in parse_tree(content, self._format.oid_length)
            ]

    def find_by_prefix(self, prefix: str, most: int = 2) -> list[str]:
        """Names of objects that begin with these hexadecimal digits, at least four, at most so
        many. Raises OSError."""
        found: set[str] = set()
        with decoding(prefix):
            for name in self._iterate(prefix):
                found.add(name)
                if len(found) >= most:
                    break
        return sorted(found)

    def close(self) -> None:
        """Release the files."""
        for pack in self._packs:
            pack.close()

    def _iterate(self, prefix: str) -> Iterator[str]:
        for folder in self._folders:
            for path in (folder / prefix[:2]).glob(f"{prefix[2:]}*"):
                yield prefix[:2] + path.name
        even = bytes.fromhex(prefix[: len(prefix) // 2 * 2])
        for pack in self._packs:
            for raw in pack.index.iter_prefix(even):
                name = sha_to_hex(raw).decode()
                if name.startswith(prefix):
                    yield name

    def _read_packed(self, raw: RawObjectID, largest: int) -> tuple[int, bytes] | None:
        damage = ""
        for place, pack in enumerate(self._packs):
            try:
                offset = pack.index.object_offset(raw)
                _check_size(pack, offset, largest)
                found = pack.get_raw(raw)
            except KeyError:
                continue
            except ObjectTooLarge:
                raise
            except Exception as error:  # noqa: BLE001 - another copy may be whole
                # Kept, the error would hold on to the pack's memory.
                damage = type(error).__name__
                continue
            # The next object is most likely in the same pack.
            self._packs.insert(0, self._packs.pop(place))
            return found
        if damage:
            raise ObjectDamaged(f"{raw.hex()} is damaged: {damage}")
        return None

    def _read_loose(self, name: ObjectID, largest: int) -> tuple[int, bytes] | None:
        for folder in self._folders:
            path = Path(hex_to_filename(os.fspath(folder), name))
            if not path.is_file():
                continue
            if path.stat().st_size > LARGEST or _loose_size(path) > largest:
                raise ObjectTooLarge(f"{name.decode()} is larger than what is read.")
            found = ShaFile.from_path(
                os.fspath(path), name, object_format=self._format, max_size=LARGEST
            )
            return found.type_num, found.as_raw_string()
        return None


@contextmanager
def decoding(oid: str) -> Iterator[None]:
    """Whatever is raised while a stranger's bytes are decoded says that they are wrong."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise ObjectDamaged(f"{oid} is damaged: {type(error).__name__}") from error


def _with_alternates(folder: Path) -> list[Path]:
    """The folder and those that it borrows from, each once."""
    found = [folder.resolve()]
    for each in found:
        listed = each / "info" / "alternates"
        if not listed.is_file() or listed.stat().st_size > _LARGEST_LIST:
            continue
        for line in listed.read_bytes().splitlines():
            # Two slashes begin the name of another machine on Windows.
            if not line or line.startswith((b"#", b"//", b"\\\\")):
                continue
            other = (each / os.fsdecode(line)).resolve()
            if other.is_dir() and other not in found and len(found) <= MOST_FOLDERS:
                found.append(other)
    return found


def _loose_size(path: Path) -> int:
    """The size that a loose object gives itself."""
    with path.open("rb") as file:
        head = zlib.decompressobj().decompress(file.read(_HEAD_BYTES), 64)
    return int(head.split(b"\0", 1)[0].split(b" ")[1])


def _check_size(pack: Pack, offset: int, largest: int) -> None:
    """Raise ObjectTooLarge when the object has more than `largest` bytes, or what it is stored
    as a difference from too many (gitformat-pack)."""
    total = 0
    with open(pack.data.path, "rb") as file:  # noqa: PTH123 - may be bytes
        for step in range(LONGEST_CHAIN):
            file.seek(offset)
            kind, size, base, rest = _read_head(file.read(_HEAD_BYTES), pack.object_format)
            total += size
            if base is not None:
                sizes = zlib.decompressobj().decompress(rest, 32)
                _, sizes = _take_size(sizes)
                size, _ = _take_size(sizes)
                total += size
            if size > (LARGEST if step else largest) or total > MOST_OF_CHAIN:
                raise ObjectTooLarge("An object is larger than what is read.")
            if base is None:
                return
            offset = pack.index.object_offset(base) if isinstance(base, bytes) else offset - base
            if offset <= 0:
                raise ObjectDamaged(f"An object of type {kind} is a difference from nothing.")
    raise ObjectTooLarge("An object is a difference from too many others.")


def _read_head(
    data: bytes, object_format: ObjectFormat
) -> tuple[int, int, int | RawObjectID | None, bytes]:
    """The type and size of a packed object, what it is a difference from (how far before it,
    or its name), and its packed content."""
    kind, size, shift, place = data[0] >> 4 & 7, data[0] & 15, 4, 1
    while data[place - 1] & 0x80:
        size |= (data[place] & 0x7F) << shift
        shift, place = shift + 7, place + 1
    if kind == _BY_NAME:
        end = place + object_format.oid_length
        return kind, size, RawObjectID(data[place:end]), data[end:]
    if kind != _BY_OFFSET:
        return kind, size, None, data[place:]
    distance, place = data[place] & 0x7F, place + 1
    while data[place - 1] & 0x80:
        distance = (distance + 1) << 7 | data[place] & 0x7F
        place += 1
    return kind, size, distance, data[place:]


def _take_size(data: bytes) -> tuple[int, bytes]:
    """A size at the start of a difference, and what is behind it."""
    size = shift = 0
    for place, byte in enumerate(data):
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return size, data[place + 1 :]
    raise ObjectDamaged("A difference has no size.")
