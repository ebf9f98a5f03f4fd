"""A zip file of logs, such as the one that a build server offers for a whole run.

Nothing is written to disk, so no name in it leads anywhere. How many files are read, and how much
of each and of all, is bounded.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from errdex.records.problems import Trouble

ZIP_MAGIC = b"PK\x03\x04"
MOST_BYTES = 200_000_000
"""Bytes of an archive."""
MOST_UNPACKED = 1_000_000_000
"""Bytes that its files may have together."""
_BOUNDED = (ZIP_STORED, ZIP_DEFLATED)
"""Ways of packing of which no more is unpacked than is asked for: a kilobyte of the others (bzip2,
LZMA) gives gigabytes at once."""
_ENTRY = b"PK\x01\x02"
_WHOLE_JOB = re.compile(r"-?\d+_(.+)\.txt")
"""GitHub's archives have a file of each job beside a folder with the same lines by step."""


class ArchiveRefused(Trouble):
    """The archive cannot be read; the message says why."""


def is_archive(path: Path) -> bool:
    """Whether a file begins as a zip file does."""
    try:
        with path.open("rb") as file:
            return file.read(len(ZIP_MAGIC)) == ZIP_MAGIC
    except OSError:
        return False


def read_archive(path: Path, most_files: int, most: int) -> Iterator[tuple[str, bytes]]:
    """The files of an archive by name, `most` bytes of each. Raises ArchiveRefused and OSError."""
    data = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b""
    if not data:
        raise ArchiveRefused(f"The archive is larger than {MOST_BYTES:,} bytes.")
    if data.count(_ENTRY) > 10 * most_files:
        raise ArchiveRefused("The archive has too many files.")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            left = MOST_UNPACKED
            for entry in _chosen(archive)[:most_files]:
                if entry.compress_type not in _BOUNDED:
                    raise ArchiveRefused(
                        "The archive has files that are neither stored nor deflated."
                    )
                with archive.open(entry) as file:
                    text = file.read(min(most, left))
                left -= len(text)
                yield _shown(entry.filename), text
                if left <= 0:
                    raise ArchiveRefused(f"The archive unpacks to over {MOST_UNPACKED:,} bytes.")
    except (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise ArchiveRefused(f"The archive is damaged or encrypted: {error}.") from None
    except (ValueError, OverflowError) as error:
        raise ArchiveRefused(f"The archive is damaged: {error}.") from None


def _chosen(archive: ZipFile) -> list[ZipInfo]:
    """The entries that are files, by name, without those whose lines a whole job has too."""
    files = [entry for entry in archive.infolist() if not entry.is_dir()]
    jobs = {found[1] for each in files if (found := _WHOLE_JOB.fullmatch(each.filename))}
    kept = [each for each in files if each.filename.partition("/")[0] not in jobs]
    return sorted(kept, key=lambda each: each.filename)


def _shown(name: str) -> str:
    parts = re.split(r"[/\\]", name)
    return "/".join(part for part in parts if part not in ("", ".", ".."))
