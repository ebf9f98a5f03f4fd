"""All versions of the full-text index in one folder, with Whoosh as the engine.

    FOLDER/index-<version>/     a finished index: Whoosh's files and manifest.json
    FOLDER/building-<random>/   one that is being built, or was when its builder was killed
    FOLDER/building-<random>.lock   held by its builder

An index is built in a folder of its own, made durable, and renamed into place, so a
folder with its final name is whole. The manifest names each file with its size and
CRC-32, which `open` checks. Files are immutable: a version built from another links
to its files, and goes on to be searched when the other is swept.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4
from zlib import crc32

from filelock import FileLock, Timeout

from errdex.search.protocol import IndexDamaged, IndexDocument, IndexMissing, SearchError
from errdex.search.whoosh.build import Builder, BuildLimits, Operation, complete, read_segments
from errdex.search.whoosh.files import DAMAGE, FileIdentity, PinnedStorage
from errdex.search.whoosh.search import WhooshSearchIndex
from errdex.search.whoosh.worker import Worker

FORMAT = 6
"""Raised when what is written changes, also when words are taken apart or weighed in
another way: an index of another format counts as missing, so it is built again."""

_MANIFEST = "manifest.json"
_FINISHED = "index-"
_BUILDING = "building-"
_LOCK = ".lock"
_BATCH = 200
_CHUNK = 1 << 20

Files = dict[str, tuple[int, int]]
"""The size and CRC-32 of each file."""


class WhooshIndexStore:
    """See `errdex.search.protocol.IndexStore`."""

    def __init__(self, folder: Path, limits: BuildLimits | None = None) -> None:
        """The folder is made when something is built."""
        self._folder = folder
        self._limits = limits or BuildLimits()
        self._read_before: dict[FileIdentity, int] = {}

    def open(self, version: str) -> WhooshSearchIndex:
        """Open a finished index. Raises IndexMissing or IndexDamaged."""
        count, storage = self._verified(version)
        with _damage_of(version):
            index = WhooshSearchIndex(version, storage, read_segments(storage))
            if index.count() != count:
                raise IndexDamaged("it has not the number of records that it should.")
        return index

    def verify(self, version: str) -> int:
        """How many records a finished index holds, once its files were found to be what was
        written. Raises IndexMissing or IndexDamaged."""
        return self._verified(version)[0]

    def begin(self, version: str, *, base: str | None = None) -> WhooshIndexWriter:
        """Start building `version`: empty, or from a copy of the finished index `base`.
        Raises IndexMissing or IndexDamaged for `base`, SearchError when the folder cannot
        be written."""
        if base is not None:
            # Merging reads the files and would give what is damaged a new checksum.
            self.verify(base)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            source = None if base is None else self._place(base)
            return WhooshIndexWriter(version, self._place(version), source, self._limits)
        except OSError as error:
            raise SearchError(f"The full-text index cannot be written: {error}") from error

    def sweep(self, keep: set[str]) -> None:
        """Remove every other version and the left-overs of killed builds. A build that is
        under way, here or in another process, is left alone."""
        if not self._folder.is_dir():
            return
        kept = {self._place(version).name for version in keep}
        for path in sorted(self._folder.iterdir()):
            if path.name.startswith(_FINISHED) and path.name not in kept:
                _remove(path)
            elif path.name.startswith(_BUILDING) and not path.name.endswith(_LOCK):
                _remove_left_over(path)

    def _verified(self, version: str) -> tuple[int, PinnedStorage]:
        folder = self._place(version)
        count, files = _read_manifest(folder, version)
        with _damage_of(version):
            storage = PinnedStorage(folder, list(files))
            read = {}
            for name, (size, checksum) in files.items():
                identity = storage.identity(name)
                # Most files of a version are those of the one before, which were read then.
                found = self._read_before.get(identity)
                read[identity] = storage.checksum(name) if found is None else found
                if storage.file_length(name) != size or read[identity] != checksum:
                    raise IndexDamaged(f"{name} is not what was written.")
        self._read_before = read
        return count, storage

    def _place(self, version: str) -> Path:
        return self._folder / (_FINISHED + quote(version, safe=""))


class WhooshIndexWriter:
    """See `errdex.search.protocol.IndexWriter`."""

    def __init__(self, version: str, target: Path, base: Path | None, limits: BuildLimits) -> None:
        self._version = version
        self._limits = limits
        self._target = target
        self._folder = target.parent / f"{_BUILDING}{uuid4().hex}"
        self._lock = FileLock(_lock_of(self._folder), thread_local=False)
        self._lock.acquire(timeout=0)
        self._inherited: Files = {}
        # Before there are workers all operations, then those that wait for each worker.
        self._waiting: list[list[Operation]] = [[]]
        self._workers: list[Worker] = []
        self._complete = False
        self._ended = False
        try:
            self._folder.mkdir()
            if base is not None:
                self._inherited = _read_manifest(base)[1]
                for name in self._inherited:
                    _link(base / name, self._folder / name)
        except BaseException:
            self.abort()
            raise

    def put(self, document: IndexDocument) -> None:
        """Add the record, or replace the one with its id."""
        self._add(document.record_id, document)

    def delete(self, record_id: str) -> None:
        """Remove the record; an id that is not there is no error."""
        self._add(record_id, record_id)

    def end(self) -> None:
        """There is no more to put or delete: let the workers write what they have, without
        waiting for them. Raises SearchError."""
        if self._complete:
            return
        self._complete = True
        for worker, waiting in zip(self._workers, self._waiting, strict=False):
            if waiting:
                worker.send(waiting)
            worker.end()

    def finish(self) -> None:
        """Make it durable and openable. Raises SearchError when it cannot, and leaves nothing."""
        try:
            count = self._build()
            self._write_manifest(count)
            _remove(self._target)
            self._folder.rename(self._target)
            _sync(self._target.parent)
        except (OSError, *DAMAGE) as error:
            raise SearchError(f"The full-text index could not be built: {error}") from error
        finally:
            self.abort()

    def abort(self) -> None:
        """Drop everything that was written. Never raises."""
        if self._ended:
            return
        self._ended = True
        for worker in self._workers:
            worker.kill()
        self._waiting = []
        shutil.rmtree(self._folder, ignore_errors=True)
        _lock_of(self._folder).unlink(missing_ok=True)
        self._lock.release()

    def _add(self, record_id: str, operation: Operation) -> None:
        if self._ended or self._complete:
            raise SearchError("This index is finished or given up: begin another.")
        # What happens to one id happens in order, so it goes to one worker.
        place = crc32(record_id.encode("utf-8", "replace")) % len(self._waiting)
        waiting = self._waiting[place]
        waiting.append(operation)
        if self._workers:
            if len(waiting) >= _BATCH:
                self._workers[place].send(waiting)
                self._waiting[place] = []
        elif len(waiting) >= self._limits.workers_from:
            self._workers = [
                Worker(self._folder, self._limits) for _ in range(self._limits.workers)
            ]
            self._waiting = [[] for _ in self._workers]
            for each in waiting:
                self._add(each if isinstance(each, str) else each.record_id, each)

    def _build(self) -> int:
        self.end()
        if self._workers:
            built = [worker.finish() for worker in self._workers]
        else:
            builder = Builder(self._folder, self._limits)
            builder.apply(self._waiting[0])
            built = [builder.finish()]
        return complete(self._folder, built, self._limits)

    def _write_manifest(self, count: int) -> None:
        files: dict[str, Any] = {}
        for path in sorted(self._folder.iterdir()):
            known = self._inherited.get(path.name) if path.stat().st_nlink > 1 else None
            files[path.name] = known or _seal(path)
        manifest = {
            "format": FORMAT,
            "version": self._version,
            "count": count,
            "files": files,
        }
        path = self._folder / _MANIFEST
        path.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        _seal(path)
        _sync(self._folder)


def _read_manifest(folder: Path, version: str | None = None) -> tuple[int, Files]:
    """How many records and which files the index in the folder should have."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_bytes())
    except FileNotFoundError as error:
        if folder.is_dir():
            raise IndexDamaged(f"The full-text index {folder.name} has no manifest.") from error
        raise IndexMissing(f"There is no full-text index {folder.name}: build it.") from error
    except (OSError, ValueError, RecursionError) as error:
        raise IndexDamaged(f"The manifest of {folder.name} cannot be read: {error}") from error
    if not isinstance(manifest, dict):
        raise IndexDamaged(f"The manifest of {folder.name} is not what was written.")
    if manifest.get("format") != FORMAT:
        raise IndexMissing(f"The full-text index {folder.name} has another format: build it.")
    try:
        files = {str(name): (int(s), int(c)) for name, (s, c) in manifest["files"].items()}
        count = int(manifest["count"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise IndexDamaged(f"The manifest of {folder.name} is not what was written.") from error
    if version is not None and manifest.get("version") != version:
        raise IndexDamaged(f"The manifest of {folder.name} is of another version.")
    return count, files


@contextmanager
def _damage_of(version: str) -> Iterator[None]:
    """Whatever goes wrong while an index is opened means that it is damaged."""
    try:
        yield
    except (OSError, IndexDamaged, *DAMAGE) as error:
        raise IndexDamaged(
            f"The full-text index of {version} is damaged, build it again: {error}"
        ) from error


def _seal(path: Path) -> tuple[int, int]:
    """Make the file durable; its size and checksum."""
    checksum = size = 0
    with path.open("r+b") as file:  # Windows syncs only what is open for writing
        os.fsync(file.fileno())
        while chunk := file.read(_CHUNK):
            checksum = crc32(chunk, checksum)
            size += len(chunk)
    return size, checksum


def _sync(folder: Path) -> None:
    """Make the names in the folder durable, for which Windows has no call."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(folder.name + _LOCK)


def _remove(folder: Path) -> None:
    """Take the folder away in one step, then its files."""
    if folder.exists():
        aside = folder.with_name(f"{_BUILDING}{uuid4().hex}")
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)


def _remove_left_over(folder: Path) -> None:
    lock = FileLock(_lock_of(folder), thread_local=False)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError):
        return
    shutil.rmtree(folder, ignore_errors=True)
    _lock_of(folder).unlink(missing_ok=True)
    lock.release()
