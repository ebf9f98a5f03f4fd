"""Which frames of a stack are a program's own code, and which belong to what is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from errdex import lazy_re as re

_INSTALLED = re.compile(
    r"(?:^|/)(?:node_modules|site-packages|dist-packages|gems|vendor|\.cargo|\.rustup|\.m2|\.gradle"
    r"|\.nuget|\.pub-cache|pkg/mod|rustc/[0-9a-f]{6,64}|lib/python\d[\d.]{0,6}|lib/ruby)/"
    r"|^/usr/(?:lib|local/lib|include|share)/|/local/go/src/|/go/\d[\d.]{0,10}/x64/src/"
    r"|^(?:node:|internal/|<frozen |dart:|package:flutter/)"
)
"""Folders that package managers and toolchains install into, and names of built-in modules."""
_STANDARD = re.compile(
    r"(?:java|javax|jdk|sun|com\.sun|kotlin|scala|System|Microsoft|std|core|alloc|runtime)(?:\.|::)"
)
"""The beginning of qualified functions of a language's own library."""


class FrameLike(Protocol):
    """An entry of a stack, of an event or of an answer."""

    @property
    def file(self) -> str | None:
        """The file, as the stack shows it."""

    @property
    def function(self) -> str | None:
        """The function, qualified or not."""


AnyFrame = TypeVar("AnyFrame", bound=FrameLike)


def is_own(frame: FrameLike) -> bool:
    """Whether a frame is neither of an installed package nor of a language's library, as far as
    its file and function show."""
    if _STANDARD.match(frame.function or ""):
        return False
    return frame.file is not None and not _INSTALLED.search(frame.file.replace("\\", "/"))


def own_frames(frames: Sequence[AnyFrame]) -> Iterator[AnyFrame]:
    """The frames of the program's own code, those nearest to the raise first. `frames` has the
    frame that raised last."""
    return (frame for frame in reversed(frames) if is_own(frame))
