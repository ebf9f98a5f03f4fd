"""Options for writing an answer; each format uses those that apply to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errdex.formats.chosen_fields import ChosenFields
    from errdex.formats.ci.checkout import SourceFolder


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Options for writing an answer."""

    site: str | None = None
    """Scheme and host of the server, for absolute links; without one, records are named by the
    command that shows them."""
    limit: int | None = None
    """The most errors that are written by formats for people; None for all."""
    streamed: bool = False
    """Whether further answers follow in the same output."""
    indent: bool = False
    """Whether data is indented for people, and ends with a line break."""
    log: str = "log"
    """The name of the log, where an error has no better place."""
    checkout: SourceFolder | None = None
    """The source that the log is about; files are named as they are there."""
    fields: ChosenFields | None = None
    """The fields of errors that json and ndjson write; None for all."""
    labels: Mapping[str, object] = field(default_factory=dict)
    """Keys written in front of an answer in a stream, such as the line it begins at."""
