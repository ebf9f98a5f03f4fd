"""The table of formats: the only place that lists how an answer can be written.

The command's `--format`, the API's `?format=` and `Accept`, and further interfaces look
formats up here. To add one, write a module with its writer and add a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from errdex.formats.json import write_json
from errdex.formats.layout import Row
from errdex.formats.text import text_rows, write_text
from errdex.records.problems import Trouble

if TYPE_CHECKING:
    from errdex.formats.answer import PasteAnswer
    from errdex.formats.options import WriteOptions

Writer = Callable[["PasteAnswer", "WriteOptions"], bytes]
RowWriter = Callable[["PasteAnswer", "WriteOptions"], Iterable[Row]]


class UnknownFormat(Trouble):
    """A format that the table does not have; the message lists those it has."""

    def __init__(self, name: str) -> None:
        near = get_close_matches(name[:100], FORMATS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        self.known = ", ".join(FORMATS)
        super().__init__(f"Unknown format “{name:.40}”.{hint} Known formats: {self.known}.")


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """A way to write an answer."""

    name: str
    description: str
    """One sentence for help and documentation."""
    content_type: str
    """The Content-Type of a response in this format."""
    write: Writer
    """Writes one answer, whole or as a part of a stream. Escapes all text for its target."""
    negotiated: bool = True
    """Whether `Accept` can ask for it by its media type. False for formats without a media type
    of their own, which only `?format=` selects."""
    streams: bool = False
    """Whether answers can follow one another in one output."""
    rows: RowWriter | None = None
    """Writes lines with tones, for formats that a terminal can colour."""

    @property
    def media_type(self) -> str | None:
        """The media type that `Accept` asks for, without parameters; None if there is none."""
        return self.content_type.partition(";")[0] if self.negotiated else None


FORMATS: Mapping[str, OutputFormat] = {
    each.name: each
    for each in (
        OutputFormat(
            name="json",
            description="Data, in the form of the API's response.",
            content_type="application/json",
            write=write_json,
            streams=True,
        ),
        OutputFormat(
            name="text",
            description="Plain text, as the command prints it.",
            content_type="text/plain; charset=utf-8",
            write=write_text,
            streams=True,
            rows=text_rows,
        ),
    )
}
"""All formats by name. The order is the server's preference where `Accept` allows several."""


def get_format(name: str) -> OutputFormat:
    """The format of that name. Raises UnknownFormat."""
    found = FORMATS.get(name.lower())
    if found is None:
        raise UnknownFormat(name)
    return found


def list_media_types() -> dict[str, OutputFormat]:
    """The formats that `Accept` can ask for, by media type, in order of preference."""
    return {each.media_type: each for each in FORMATS.values() if each.media_type}
