"""Where a record says that its error is raised, and where the paste's own stack differs: another
line, or another version of the package than the one that was read.

The version that a paste tells is one that stands beside the package's name: in a path
(`gin@v1.9.1/`, `serde-1.0.1/`, `foo-1.2.dist-info`), in a jar's name (`foo-1.2.3.jar`) or in a
list of packages (`foo==1.2`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from errdex.matching.model import Event, Frame
from errdex.matching.ranking import Match
from errdex.matching.ranking.comparison import common_tail, is_telling_name
from errdex.matching.ranking.function_names import last_name
from errdex.store import StoredRecord

_VERSION = r"v?(\d+(?:\.\d+)+(?:[-.+]?(?:a|b|rc|alpha|beta|dev|post|pre)[\w.]*)?)"
_IS_VERSION = re.compile(_VERSION)
_ZEROS = re.compile(r"(?:\.0)+$")
_PYTHON = "python/cpython"
_PYTHON_PATH = re.compile(r"[/\\][Pp]ython(3\.\d+|3\d{1,2})[/\\]")
_NAMES = 20
"""Packages of one paste whose versions are looked for."""
_LOOKED_AT = 2_000_000
"""Characters of a paste in which they are."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the paste and the record that it matches."""

    kind: Literal["line", "version"]
    record: str
    paste: str
    words: str


def find_versions(data: bytes | str, records: Mapping[str, StoredRecord]) -> dict[str, str]:
    """The version of each record's package that a paste tells, by the record's id: of those
    records that say which version they are of, and where the paste tells one alone."""
    text = data[:_LOOKED_AT] if isinstance(data, str) else data[:_LOOKED_AT].decode("latin-1")
    known: dict[tuple[str, ...], str | None] = {}
    told: dict[str, str] = {}
    for record_id, stored in records.items():
        if version_of(stored) is None:
            continue
        names = _names(stored)
        if names not in known and len(known) < _NAMES:
            known[names] = _told(text, names)
        if version := known.get(names):
            told[record_id] = version
    return told


def version_of(stored: StoredRecord) -> str | None:
    """The version of the package that a record was made from; None for one of a commit."""
    read = stored.body.get("analyzedSha")
    found = _IS_VERSION.fullmatch(read) if isinstance(read, str) else None
    return found[1] if found else None


def differences(
    match: Match, event: Event, stored: StoredRecord, told_version: str | None
) -> list[Difference]:
    """What the paste says otherwise than the record that it matches."""
    found: list[Difference] = []
    frame = _frame_of(event, match)
    ours = match.record.line_number
    if frame is not None and frame.line and ours and frame.line != ours:
        words = f"the paste's stack says line {frame.line}, the record line {ours}"
        found.append(Difference("line", str(ours), str(frame.line), words))
    read = version_of(stored) if told_version else None
    if read and told_version and not _same(read, told_version, match.record.repo):
        name = "Python" if match.record.repo == _PYTHON else match.record.repo.rpartition("/")[2]
        words = f"the paste is of {name} {told_version}, the record of {read}"
        found.append(Difference("version", read, told_version, words))
    return found


def _frame_of(event: Event, match: Match) -> Frame | None:
    """The frame of the paste in the record's file: in its function, or the last there."""
    path, name = match.record.file_path, last_name(match.record.function)
    if not path:
        return None
    there: list[Frame] = []
    same: list[Frame] = []
    for frame in event.frames:
        tail = common_tail(frame.file or "", path)
        in_function = bool(name) and last_name(frame.function) == name
        if tail and in_function:
            same.append(frame)
        elif tail > 1 or (tail and "/" not in path and is_telling_name(path)):
            there.append(frame)
    chosen = same or there
    return chosen[-1] if chosen else None


def _names(stored: StoredRecord) -> tuple[str, ...]:
    if stored.repo == _PYTHON:
        return (_PYTHON,)
    return tuple(sorted({stored.repo.rpartition("/")[2].lower(), *map(str.lower, stored.tags[:2])}))


def _told(text: str, names: tuple[str, ...]) -> str | None:
    if names == (_PYTHON,):
        versions = {_dotted(found[1]) for found in _PYTHON_PATH.finditer(text)}
    else:
        words = "|".join(re.escape(name).replace(r"\-", "[-_.]") for name in names if len(name) > 1)
        pattern = rf"(?<![\w.-])(?:{words})(?:==|@|-(?=v?\d)|/(?=v\d+\.)){_VERSION}(?![\w])"
        versions = {found[1] for found in re.finditer(pattern, text, re.IGNORECASE)}
    return versions.pop() if len(versions) == 1 else None


def _dotted(digits: str) -> str:
    """`311`, as Windows names folders, is 3.11."""
    return digits if "." in digits else f"{digits[0]}.{digits[1:]}"


def _same(read: str, told: str, repo: str) -> bool:
    """Whether two versions are one. A folder of Python's names no more than `3.11`."""
    if repo == _PYTHON:
        return read == told or read.startswith(f"{told}.")
    return _ZEROS.sub("", read.lower()) == _ZEROS.sub("", told.lower())
