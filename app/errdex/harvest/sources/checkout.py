"""A git checkout: its commit, its files as committed, and where it comes from.

Nothing that belongs to the checkout is run: git is not asked, and no filter, hook,
monitor, credential helper, transport or signature program that the checkout names is
started. Of its settings four values are read: the format of its objects and refs, its
work tree and the address of `origin`. Includes are not followed.

A checkout speaks for itself alone. What `.git` leads to counts only where it leads back
(worktrees, submodules), and refs are read only from inside of it: a checkout cannot
have another repository's commits harvested as its own.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dulwich.config import ConfigFile
from dulwich.index import IndexEntry, Stage, read_index
from dulwich.object_format import SHA1, SHA256, ObjectFormat
from dulwich.objects import Commit, ObjectID, ShaFile, Tag
from dulwich.refs import DiskRefsContainer, Ref

from errdex import lazy_re as re
from errdex.harvest.sources.errors import HarvestError, ObjectDamaged, ObjectMissing
from errdex.harvest.sources.git_objects import COMMIT, TAG, GitObjects, decoding

MOST_ENTRIES = 2_000_000
"""Files, folders and links of a commit."""
LONGEST_PATH = 4096
"""Bytes."""
MOST_OF_PATHS = 256 << 20
"""Bytes of all paths of a commit together. A tree that is in it many times costs a commit
nothing."""
MOST_ANCESTORS = 100_000
"""Commits that `~N` goes back, all together."""
_LARGEST_TEXT = 1 << 20
"""Bytes of a settings file, and of other short files."""
_LARGEST_INDEX = 64 << 20
_LARGEST_ENTRY = LONGEST_PATH + 256
"""Bytes of an index entry: its path and what is known of the file."""
_DEEPEST_TAG = 10
_MOST_BEGUN = 50
"""Objects that a shortened name may mean, of which one may be a commit."""
_SKIPPED = 0x4000
"""Of an index entry's extended flags: left out of a sparse checkout (gitformat-index)."""
_FOLDER, _LINK, _FILE = 0o040000, 0o120000, 0o100000
_KINDS = 0o170000
_REVISION = re.compile(r"(?P<name>[^~^\s]+)(?P<steps>(?:~\d{0,9}|\^\d{0,3})*)")
_HEX = re.compile(r"[0-9a-fA-F]{4,64}")
_OID = re.compile(rb"[0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?")
_REF_FORMS = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}")
"""In git's order (gitrevisions)."""


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """A file or link of a commit."""

    path: str
    """From the top of the checkout, with `/`."""
    oid: str
    is_link: bool


class Checkout:
    """A git checkout whose files are read. `close` releases them."""

    def __init__(self, top: Path, git_folder: Path, common: Path) -> None:
        """For a worktree `common` is the folder that it shares with the others."""
        self.top = top
        self.common = common
        self._git_folder = git_folder
        self._settings = _read_settings(common)
        self._format = _object_format(self._settings, top)
        self._refs = _Refs(common, git_folder)
        self.objects = GitObjects(common / "objects", self._format)

    def find_commit(self, revision: str = "HEAD") -> str | None:
        """The name of the commit that a revision means (HEAD, a branch, a tag, a name of a
        commit or its beginning, each with `~N` and `^N` behind it), or None. Raises
        OSError."""
        asked = _REVISION.fullmatch(revision)
        oid = asked and self._find_named(asked["name"])
        if not asked or not oid:
            return None
        oid = self._peel(oid)
        budget = MOST_ANCESTORS
        for step in re.findall(r"[~^]\d*", asked["steps"]):
            count = int(step[1:] or 1)
            times, parent = (count, 1) if step[0] == "~" else (1, count)
            for _ in range(times if parent else 0):
                budget -= 1
                parents = self._read_commit(oid).parents if oid else []
                if parent > len(parents) or budget < 0:
                    return None
                oid = parents[parent - 1].decode()
        return oid

    def commit_time(self, commit: str) -> int:
        """When the commit was made, in seconds since 1970. Raises OSError."""
        return int(self._read_commit(commit).commit_time)

    def remote_url(self) -> str:
        """The address of `origin`; empty when there is none."""
        return _setting(self._settings, (b"remote", b"origin"), b"url")

    def list_files(self, commit: str, below: str = "") -> Iterator[CommittedFile | OSError]:
        """The files and links of a commit below a folder, in git's order; for a folder that
        cannot be read the error. Raises OSError and HarvestError."""
        oid: str | None = self._read_commit(commit).tree.decode()
        for part in below.split("/") if below else ():
            entries = self.objects.read_tree(oid) if oid else []
            name = os.fsencode(part)
            oid = next((e.oid for e in entries if e.name == name and e.mode == _FOLDER), None)
        if oid is not None:
            start = os.fsencode(below) + b"/" if below else b""
            yield from self._walk(start, oid)

    def has_changes(self, files: Mapping[str, str], below: str = "") -> bool:
        """Whether the source files here may differ from these committed ones (path and object),
        going by git's index and by the files themselves."""
        path = self._git_folder / "index"
        try:
            if not path.is_file() or path.stat().st_size > _LARGEST_INDEX:
                return False
            index = self._read_index(path, {os.fsencode(name) for name in files})
            indexed_at = path.stat().st_mtime_ns
        except Exception:  # noqa: BLE001 - it decides about a note alone
            return False
        for name, oid in files.items():
            entry = index.get(os.fsencode(name))
            if entry is None or entry.sha.decode() != oid:
                return True
            if self._differs(self.top / name, entry, indexed_at):
                return True
        return False

    def close(self) -> None:
        """Release its files."""
        self.objects.close()

    def _read_index(self, path: Path, wanted: Container[bytes]) -> dict[bytes, IndexEntry]:
        """The entries of these paths that are in no conflict. An entry of version 4 is written
        as a difference from the one before it, so that few bytes may say long paths."""
        found: dict[bytes, IndexEntry] = {}
        with path.open("rb") as file:
            reads = _BoundedReads(file)
            for entry in read_index(reads, self._format):
                if len(entry.name) > LONGEST_PATH:
                    raise ValueError("a path is too long")
                if entry.name in wanted and entry.stage() == Stage.NORMAL:
                    found[entry.name] = IndexEntry.from_serialized(entry)
                reads.taken = 0
        return found

    def _find_named(self, name: str) -> str | None:
        for form in _REF_FORMS:
            if found := self._refs.find(form.format(name)):
                return found
        if not _HEX.fullmatch(name):
            return None
        if len(name) == self._format.hex_length:
            return name.lower()
        begun = self.objects.find_by_prefix(name.lower(), _MOST_BEGUN)
        commits = [oid for oid in begun if self.objects.read(oid)[0] in (COMMIT, TAG)]
        return commits[0] if len(commits) == 1 else None

    def _peel(self, oid: str) -> str | None:
        """The commit that a tag names."""
        for _ in range(_DEEPEST_TAG):
            try:
                kind, content = self.objects.read(oid)
            except ObjectMissing:
                return None
            if kind == COMMIT:
                return oid
            if kind != TAG:
                return None
            with decoding(oid):
                tag = ShaFile.from_raw_string(kind, content, object_format=self._format)
                assert isinstance(tag, Tag)  # noqa: S101 - for the type checker
                oid = tag.object[1].decode()
        return None

    def _read_commit(self, oid: str) -> Commit:
        kind, content = self.objects.read(oid)
        with decoding(oid):
            commit = ShaFile.from_raw_string(kind, content, object_format=self._format)
            if not isinstance(commit, Commit):
                raise ObjectDamaged(f"{oid} is no commit.")
            # Parsed when it is first asked for something.
            _ = commit.tree, commit.parents, commit.commit_time
            return commit

    def _walk(self, start: bytes, oid: str) -> Iterator[CommittedFile | OSError]:
        waiting = [(start, oid, _FOLDER)]
        count = size = 0
        while waiting:
            path, oid, mode = waiting.pop()
            size += len(path)
            if size > MOST_OF_PATHS:
                raise HarvestError(
                    f"The paths of the commit at {self.top} have more than {MOST_OF_PATHS:,} "
                    "bytes: harvest a folder of it."
                )
            if mode == _FOLDER:
                try:
                    entries = self.objects.read_tree(oid)
                except OSError as error:
                    if path == start:
                        raise
                    yield error
                    continue
                count += len(entries)
                if count > MOST_ENTRIES:
                    raise HarvestError(
                        f"The commit at {self.top} has more than {MOST_ENTRIES:,} files and "
                        "folders: harvest a folder of it."
                    )
                for entry in reversed(entries):
                    if _is_name(entry.name) and len(path) + len(entry.name) < LONGEST_PATH:
                        end = b"/" if entry.mode == _FOLDER else b""
                        waiting.append((path + entry.name + end, entry.oid, entry.mode))
            elif mode & _KINDS in (_FILE, _LINK):
                yield CommittedFile(os.fsdecode(path), oid, mode & _KINDS == _LINK)

    def _differs(self, path: Path, entry: IndexEntry, indexed_at: int) -> bool:
        try:
            found = path.lstat()
        except OSError:
            # In a sparse checkout git leaves files out, and marks them so.
            return not entry.extended_flags & _SKIPPED
        if not stat.S_ISREG(found.st_mode) or found.st_size != entry.size:
            return True
        if _nanoseconds(entry.mtime) == found.st_mtime_ns < indexed_at:
            return False
        if found.st_size > _LARGEST_TEXT:
            return True
        content = path.read_bytes()
        return self._format.hash_object_hex(b"blob %d\0" % len(content) + content) != entry.sha


class _BoundedReads:
    """A file of which so much is read for one entry, and no more."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.tell = file.tell
        self.seek = file.seek
        self.taken = 0

    def read(self, size: int = -1, /) -> bytes:
        """Some bytes. Raises ValueError."""
        self.taken += size
        if size < 0 or self.taken > _LARGEST_ENTRY:
            raise ValueError("an entry is too long")
        return self._file.read(size)


def find_checkout(path: Path) -> tuple[Checkout | None, str]:
    """The checkout that a folder belongs to, and a note where there is one that cannot be
    used. Raises HarvestError."""
    whole = path.resolve()
    for folder in (whole, *whole.parents):
        marker = folder / ".git"
        if not os.path.lexists(marker):
            continue
        git_folder = _git_folder(marker)
        if git_folder is None or not _leads_back(git_folder, marker):
            note = f"{marker} is not that of a checkout here: the files are read as they are."
            return None, note
        common = _common_folder(git_folder)
        if not (common / "objects").is_dir() or not (git_folder / "HEAD").is_file():
            return None, f"{marker} is no git repository: the files are read as they are."
        return Checkout(folder, git_folder, common), ""
    return None, ""


def open_objects(common: Path) -> GitObjects:
    """The objects of the repository whose folder this is. Raises HarvestError."""
    return GitObjects(common / "objects", _object_format(_read_settings(common), common))


class _Refs:
    """A repository's refs that are files inside of it."""

    def __init__(self, common: Path, git_folder: Path) -> None:
        self._roots = (common.resolve(), git_folder.resolve())
        self._container = _InnerRefs(common, git_folder, self._roots)

    def find(self, name: str) -> str | None:
        """The object that a ref names, symbolic refs followed."""
        try:
            _, oid = self._container.follow(Ref(name.encode()))
        except Exception:  # noqa: BLE001 - a ref that is not one names nothing
            return None
        return oid.decode().lower() if oid and _OID.fullmatch(oid) else None


class _InnerRefs(DiskRefsContainer):
    def __init__(self, common: Path, git_folder: Path, roots: tuple[Path, ...]) -> None:
        super().__init__(common, git_folder)
        self._roots = roots
        packed = common / "packed-refs"
        self._has_packed = packed.is_file() and not packed.is_symlink()

    def read_loose_ref(self, name: Ref) -> bytes | None:
        path = Path(os.fsdecode(self.refpath(name)))
        if not path.is_file() or not any(map(path.resolve().is_relative_to, self._roots)):
            return None
        return super().read_loose_ref(name)

    def get_packed_refs(self) -> dict[Ref, ObjectID]:
        return super().get_packed_refs() if self._has_packed else {}


def _git_folder(marker: Path) -> Path | None:
    if marker.is_dir():
        return marker.resolve()
    text = _read_text(marker)
    if not text.startswith("gitdir:"):
        return None
    return _resolved(marker.parent, text.removeprefix("gitdir:").strip())


def _leads_back(git_folder: Path, marker: Path) -> bool:
    """Whether the repository is the marker's own folder, or says itself that its files are
    here: a worktree in `gitdir`, a submodule in `core.worktree`."""
    if git_folder == marker.parent.resolve() / ".git":
        return True
    back = _read_text(git_folder / "gitdir").strip()
    if back and _resolved(git_folder, back) == marker.parent.resolve() / ".git":
        return True
    try:
        tree = _setting(_read_settings(git_folder), (b"core",), b"worktree")
    except HarvestError:
        return False
    return bool(tree) and _resolved(git_folder, tree) == marker.parent.resolve()


def _common_folder(git_folder: Path) -> Path:
    """The folder that a worktree shares with the repository that lists it."""
    shared = _resolved(git_folder, _read_text(git_folder / "commondir").strip() or ".")
    if shared is not None and git_folder.parent == shared / "worktrees":
        return shared
    return git_folder


def _resolved(folder: Path, path: str) -> Path | None:
    """The path from that folder; None for the name of another machine on Windows."""
    return None if path.startswith(("//", "\\\\")) else (folder / path).resolve()


def _read_text(path: Path) -> str:
    """What a short file says; nothing when it is not there."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_TEXT:
            return ""
        return os.fsdecode(path.read_bytes())
    except OSError:
        return ""


def _read_settings(folder: Path) -> ConfigFile:
    path = folder / "config"
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_TEXT:
            return ConfigFile()
        return ConfigFile.from_path(path, expand_includes=False)
    except (OSError, ValueError) as error:
        raise HarvestError(f"{path} cannot be read: {error}") from error


def _setting(settings: ConfigFile, section: tuple[bytes, ...], name: bytes) -> str:
    try:
        return os.fsdecode(settings.get(section, name))
    except KeyError:
        return ""


def _object_format(settings: ConfigFile, place: Path) -> ObjectFormat:
    refs = _setting(settings, (b"extensions",), b"refstorage") or "files"
    if refs != "files":
        raise HarvestError(
            f"{place} keeps its refs as {refs}, which Errdex does not read: convert them "
            "(git refs migrate --ref-format=files), or harvest a copy without .git."
        )
    name = _setting(settings, (b"extensions",), b"objectformat") or "sha1"
    formats = {"sha1": SHA1, "sha256": SHA256}
    if name not in formats:
        raise HarvestError(f"{place} has objects of the unknown format {name!r}.")
    return formats[name]


def _is_name(name: bytes) -> bool:
    return bool(name) and b"/" not in name and name not in (b".", b"..")


def _nanoseconds(time: float | tuple[int, int]) -> int:
    if isinstance(time, tuple):
        return time[0] * 1_000_000_000 + time[1]
    return int(time * 1_000_000_000)
