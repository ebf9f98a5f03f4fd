"""Where in a checkout an error was raised, as a relative path.

Logs name files as the machine that wrote them saw them: below another folder, inside a container,
with backslashes, or by their name alone. A path is looked for in the checkout as it is, then by its
longest ending that only one file has. A path that leads out of the checkout is no place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath, PureWindowsPath

from errdex.formats.answer import ErrorEvent, StackFrame
from errdex.matching.own_code import is_own, own_frames

MOST_FILES = 50_000
"""Files of a checkout that are looked at."""
_LONGEST = 1_000
"""Characters of a path."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file of the checkout."""

    path: str
    """Relative, with slashes."""
    line: int | None


class SourceFolder:
    """A folder with the source that a log is about."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def find(self, parts: tuple[str, ...], absolute: bool) -> str | None:
        """The relative path of the file that a log names by these parts; None if there is none, or
        more than one."""
        if absolute:
            own = self._root.resolve().parts[1:]
            if parts[: len(own)] == own and self._has(parts[len(own) :]):
                return "/".join(parts[len(own) :])
        elif self._has(parts):
            return "/".join(parts)
        return self._by_ending(parts)

    def _has(self, parts: tuple[str, ...]) -> bool:
        try:
            return self._root.joinpath(*parts).is_file()
        except (OSError, ValueError):
            return False

    def _by_ending(self, parts: tuple[str, ...]) -> str | None:
        alike = self._files.get(parts[-1], ())
        tails = [(_common_tail(parts, each), each) for each in alike]
        longest = max((tail for tail, _ in tails), default=0)
        best = [each for tail, each in tails if tail == longest and _says_enough(tail, parts, each)]
        return "/".join(best[0]) if len(best) == 1 else None

    @cached_property
    def _files(self) -> dict[str, list[tuple[str, ...]]]:
        """The files by name; hidden and installed ones are left out."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for count, parts in enumerate(self._walk()):
            if count == MOST_FILES:
                break
            found.setdefault(parts[-1], []).append(parts)
        return found

    def _walk(self) -> Iterator[tuple[str, ...]]:
        for folder, folders, files in os.walk(self._root):
            base = Path(folder).relative_to(self._root).parts
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith(".") and is_own(StackFrame(f"{name}/x", None, None, None))
            )
            yield from ((*base, name) for name in files)


def place_of(event: ErrorEvent, checkout: SourceFolder | None) -> Place | None:
    """The innermost frame of the program's own code that is in the checkout. Without a checkout,
    that frame when its path is relative."""
    for frame in own_frames(event.frames):
        if path := _path_of(frame, checkout):
            return Place(path, frame.line or None)
    return None


def log_place(event: ErrorEvent, log: str) -> Place:
    """The line of the log, for formats that need a place. `log` is the log's name."""
    return Place("/".join(_parts(log)[0] or ("log",)), event.message_line)


def _path_of(frame: StackFrame, checkout: SourceFolder | None) -> str | None:
    parts, absolute = _parts(frame.file or "")
    if not parts:
        return None
    if len(parts) == 1 and frame.package and not absolute:  # Java, .NET: a class's package
        parts = (*frame.package.replace("/", ".").split("."), *parts)
        return checkout.find(parts, absolute=False) if checkout else None
    if checkout and (found := checkout.find(parts, absolute)):
        return found
    return None if absolute else "/".join(parts)


def _parts(file: str) -> tuple[tuple[str, ...], bool]:
    """The names of a path, and whether it is absolute; none of a path that leads out."""
    file = file.removeprefix("file://").strip()
    if not file or len(file) > _LONGEST or not file.isprintable() or file.startswith("<"):
        return (), False
    windows = PureWindowsPath(file)
    absolute = bool(windows.drive) or PurePosixPath(windows.as_posix()).is_absolute()
    parts = windows.parts[1:] if windows.anchor else windows.parts
    return (() if ".." in parts else parts), absolute


def _says_enough(tail: int, parts: tuple[str, ...], file: tuple[str, ...]) -> bool:
    """Whether a common ending is more than the name of a file that others may have too."""
    return tail > 1 or len(parts) == 1 or tail == len(file)


def _common_tail(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count
