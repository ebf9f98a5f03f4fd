"""The logs that a command is given: files, folders of them, standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from errdex.cli.views.terminal import err, fail, said_of, say
from errdex.cli.wiring import plain_errors
from errdex.records.problems import Trouble

if TYPE_CHECKING:
    from errdex.formats.ci.junit_report import Report

STANDARD_INPUT = Path("-")
MOST_FILES = 2_000
"""Files of a folder that are read; a folder with more is not one of logs."""
_LOOKED_AT = 8_192
"""Bytes in which a file that is no text shows it."""


class LogUnreadable(Trouble):
    """A log cannot be read; the message says why."""


@contextmanager
def opened_log(file: Path) -> Iterator[BinaryIO]:
    """The log. Standard input under a file object of its own: a thread that is still reading
    it when the command ends would be in Python's way."""
    with plain_errors():
        if file != STANDARD_INPUT:
            with file.open("rb") as source:
                yield source
            return
        if sys.stdin.isatty():
            err().print("Paste the log, then press Ctrl-D on a line of its own.")
        yield os.fdopen(os.dup(0), "rb", closefd=False)


def read_log(source: BinaryIO) -> bytes:
    """All of it, as far as it can be read: the answer says when there is more."""
    try:
        return _read(source)
    except LogUnreadable as trouble:
        fail(str(trouble))


class Log(NamedTuple):
    """A log that was read."""

    name: str
    """Its path, as it was given or found."""
    data: bytes
    test: str = ""
    """The failing test that it is of, if it is of one."""


def holds_several(path: Path) -> bool:
    """Whether a path is a folder or an archive, rather than a log."""
    from errdex.cli.archives import is_archive

    return path.is_dir() or (path != STANDARD_INPUT and path.is_file() and is_archive(path))


def read_logs(paths: Sequence[Path], failed: list[Path]) -> Iterator[Log]:
    """Every log of several files, folders and zip files, in order. A file that cannot be read is
    reported on standard error and added to `failed`; in folders and archives, empty files, files
    that are no text and what is hidden are passed over."""
    for path in paths:
        named = not path.is_dir()
        for file in (path,) if named else _walk(path):
            try:
                if holds_several(file):
                    yield from (log for log in _unpacked(file) if _is_text(log.data))
                    continue
                with opened_log(file) if file == STANDARD_INPUT else file.open("rb") as source:
                    data = _read(source)
            except (OSError, Trouble) as error:
                _say_unreadable(file, error, failed)
                continue
            if named or _is_text(data):
                yield Log(str(file), data)


def read_reports(paths: Sequence[Path], failed: list[Path]) -> Iterator[tuple[Path, Report]]:
    """The JUnit reports of these files; those that cannot be read are reported as for logs."""
    from errdex.formats.ci.junit_report import MOST_BYTES, read_report

    for path in paths:
        try:
            with path.open("rb") as source:
                report = read_report(source.read(MOST_BYTES + 1))
        except (OSError, Trouble) as error:
            _say_unreadable(path, error, failed)
            continue
        yield path, report


def read_cases(paths: Sequence[Path], failed: list[Path]) -> Iterator[Log]:
    """The failing cases of JUnit reports, each as a log."""
    for path, report in read_reports(paths, failed):
        for case in report.failing_cases():
            yield Log(f"{path}: {case.name}", case.text.encode(), case.name)


def _say_unreadable(file: Path, error: Exception, failed: list[Path]) -> None:
    reason = said_of(error) if isinstance(error, OSError) else f"{file}: {error}"
    say(reason)
    failed.append(file)


def _is_text(data: bytes) -> bool:
    return bool(data.strip()) and b"\0" not in data[:_LOOKED_AT]


def _unpacked(archive: Path) -> Iterator[Log]:
    from errdex.cli.archives import read_archive
    from errdex.matching.reading import ReadingLimits

    for name, data in read_archive(archive, MOST_FILES, ReadingLimits().characters + 1):
        yield Log(f"{archive}/{name}", data)


def _walk(folder: Path) -> Iterator[Path]:
    """The files of a folder and those in it, by name. Links are not followed."""
    number = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place, name)
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                number += 1
                if number > MOST_FILES:
                    err().print(f"Only the first {MOST_FILES:,} files of {folder} are read.")
                    return
                yield path


def _read(source: BinaryIO) -> bytes:
    import io

    from errdex.matching.reading import ReadingLimits
    from errdex.records.files.compression import GZIP_MAGIC, ZSTD_MAGIC, open_gzip, open_zstd
    from errdex.records.files.raw import InputDamaged

    most = ReadingLimits().characters + 1
    try:
        data = source.read(most)
    except OSError as error:
        raise LogUnreadable(f"The log cannot be read: {said_of(error)}.") from error
    opener = {GZIP_MAGIC: open_gzip, ZSTD_MAGIC: open_zstd}
    for magic, opened in opener.items():
        if data.startswith(magic):
            try:
                return opened(io.BytesIO(data)).read(most)
            except InputDamaged as damage:
                raise LogUnreadable(f"The log cannot be read: {damage}") from damage
    return data
