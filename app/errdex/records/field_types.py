"""The types of a record's values, each with its bounds."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints
from pydantic import Field as Bounds
from pydantic.alias_generators import to_camel

MAX_NAME = 300
"""Characters in a one-line field: a class, a tag, a function."""
MAX_PATH = 2_000
"""Characters in a path or an address."""
MAX_MESSAGE = 20_000
"""Characters in a message, a pattern or a sample."""
MAX_TEXT = 200_000
"""Characters in an explanation or a piece of source."""
MAX_ITEMS = 200
"""Entries in a list."""
MAX_LINE_NUMBER = 2**31 - 1

Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
Ids = Annotated[list[Id], Bounds(max_length=MAX_ITEMS)]
Repo = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", max_length=200)
]
Slug = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._~-]*$", max_length=200)]
Name = Annotated[str, StringConstraints(max_length=MAX_NAME)]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME)]
Path = Annotated[str, StringConstraints(max_length=MAX_PATH)]
Message = Annotated[str, StringConstraints(min_length=1, max_length=MAX_MESSAGE)]
Prose = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
LineNumber = Annotated[int, Bounds(ge=1, le=MAX_LINE_NUMBER)]
Status = Annotated[int, Bounds(ge=100, le=599)]
WholeNumber = Annotated[int, Bounds(ge=0, le=MAX_LINE_NUMBER)]
Names = Annotated[list[Tag], Bounds(max_length=MAX_ITEMS)]
Proses = Annotated[list[Prose], Bounds(max_length=MAX_ITEMS)]
Messages = Annotated[list[Message], Bounds(max_length=MAX_ITEMS)]
Paths = Annotated[list[Path], Bounds(max_length=MAX_ITEMS)]


class Place(BaseModel):
    """A place of a record other than the first, with the record's own names for what it has."""

    model_config = ConfigDict(alias_generator=to_camel, extra="allow", strict=True, frozen=True)

    file_path: Path
    line_number: LineNumber | None = None
    function: Name | None = None
    raised_when: Prose | None = None
    source_code: Prose | None = None
    source_code_start: LineNumber | None = None
    source_code_end: LineNumber | None = None
    github_url: Path | None = None
    """Any text: link to a `safe_url` only."""
    documentation: Prose | None = None
    """Replaces that of the record where the key is there, even by nothing."""


Places = Annotated[list[Place], Bounds(max_length=MAX_ITEMS)]
