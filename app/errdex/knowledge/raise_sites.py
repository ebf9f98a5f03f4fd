"""Differences between the raise site in a record and in the paste's own stack: another line, or
another version of the package.

The version in a paste is found beside the package's name: in a path (`gin@v1.9.1/`,
`serde-1.0.1/`, `foo-1.2.dist-info`), in a jar's name (`foo-1.2.3.jar`) or in a list of packages
(`foo==1.2`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from errdex import lazy_re as re
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
"""Packages whose versions are searched for in one paste."""
_SEARCHED = 2_000_000
"""Characters of a paste that are searched."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the paste and the record that it matches."""

    kind: Literal["line", "version"]
    record: str
    paste: str
    words: str


def find_versions(data: bytes | str, records: Mapping[str, StoredRecord]) -> dict[str, str]:
    """The version of each record's package that a paste names, by the record's id: for records
    that name their version, where the paste names exactly one."""
    text = data[:_SEARCHED] if isinstance(data, str) else data[:_SEARCHED].decode("latin-1")
    known: dict[tuple[str, ...], str | None] = {}
    versions: dict[str, str] = {}
    for record_id, stored in records.items():
        if version_of(stored) is None:
            continue
        names = _names(stored)
        if names not in known and len(known) < _NAMES:
            known[names] = _version_in(text, names)
        if version := known.get(names):
            versions[record_id] = version
    return versions


def version_of(stored: StoredRecord) -> str | None:
    """The version of the package that a record describes; None for a commit."""
    read = stored.body.get("analyzedSha")
    found = _IS_VERSION.fullmatch(read) if isinstance(read, str) else None
    return found[1] if found else None


def differences(
    match: Match, event: Event, stored: StoredRecord, paste_version: str | None
) -> list[Difference]:
    """The differences between the paste and the record that it matches."""
    found: list[Difference] = []
    frame = _frame_of(event, match)
    line = match.record.line_number
    if frame is not None and frame.line and line and frame.line != line:
        words = f"the stack shows line {frame.line}, the record line {line}"
        found.append(Difference("line", str(line), str(frame.line), words))
    version = version_of(stored) if paste_version else None
    if version and paste_version and not _same(version, paste_version, match.record.repo):
        name = "Python" if match.record.repo == _PYTHON else match.record.repo.rpartition("/")[2]
        words = f"the paste is from {name} {paste_version}, the record from {version}"
        found.append(Difference("version", version, paste_version, words))
    return found


def _frame_of(event: Event, match: Match) -> Frame | None:
    """The frame in the record's file: in its function, or the last one."""
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


def _version_in(text: str, names: tuple[str, ...]) -> str | None:
    if names == (_PYTHON,):
        versions = {_dotted(found[1]) for found in _PYTHON_PATH.finditer(text)}
    else:
        words = "|".join(re.escape(name).replace(r"\-", "[-_.]") for name in names if len(name) > 1)
        pattern = rf"(?<![\w.-])(?:{words})(?:==|@|-(?=v?\d)|/(?=v\d+\.)){_VERSION}(?![\w])"
        versions = {found[1] for found in re.finditer(pattern, text, re.IGNORECASE)}
    return versions.pop() if len(versions) == 1 else None


def _dotted(digits: str) -> str:
    """The version with a dot: Windows names the folder of 3.11 `311`."""
    return digits if "." in digits else f"{digits[0]}.{digits[1:]}"


def _same(version: str, other: str, repo: str) -> bool:
    """Whether two versions are equal. Python's folders name only `3.11`."""
    if repo == _PYTHON:
        return version == other or version.startswith(f"{other}.")
    return _ZEROS.sub("", version.lower()) == _ZEROS.sub("", other.lower())
