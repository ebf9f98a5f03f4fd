"""The table of formats: the only place that lists how an answer can be written.

The command's `--format`, the API's `?format=` and `Accept`, and further interfaces look
formats up here. To add one, write a module with its writer and add a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from errdex.formats.json import write_json, write_ndjson
from errdex.formats.layout import Row
from errdex.formats.text import text_rows, write_text
from errdex.records.problems import Trouble

if TYPE_CHECKING:
    from errdex.formats.answer import PasteAnswer
    from errdex.formats.options import WriteOptions
    from errdex.formats.short_texts import LogAnswer

Writer = Callable[["PasteAnswer", "WriteOptions"], bytes]
DocumentWriter = Callable[[Sequence["LogAnswer"], "WriteOptions"], bytes]
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
    write_all: DocumentWriter | None = None
    """Writes the answers to several logs as one document."""

    @property
    def kind(self) -> str:
        """The media type of a response in this format, without parameters."""
        return self.content_type.partition(";")[0]

    @property
    def media_type(self) -> str | None:
        """The media type that `Accept` asks for, without parameters; None if there is none."""
        return self.kind if self.negotiated else None


def _document(
    module: str, name: str, description: str, content_type: str, *, negotiated: bool = False
) -> OutputFormat:
    """A format that holds the answers to several logs in one document. `module` has its writer, and
    is imported when an answer is written."""

    def write_all(answers: Sequence[LogAnswer], options: WriteOptions) -> bytes:
        written: bytes = import_module(f"errdex.formats.{module}").write_all(answers, options)
        return written

    def write(answer: PasteAnswer, options: WriteOptions) -> bytes:
        from errdex.formats.short_texts import LogAnswer

        return write_all([LogAnswer(options.log, answer)], options)

    return OutputFormat(
        name=name,
        description=description,
        content_type=content_type,
        write=write,
        negotiated=negotiated,
        write_all=write_all,
    )


def _write_github(answer: PasteAnswer, options: WriteOptions) -> bytes:
    from errdex.formats.ci.github import write

    return write(answer, options)


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
        _document(
            "markdown",
            "markdown",
            "GitHub-flavoured Markdown, for summaries and comments; private values are masked.",
            "text/markdown; charset=utf-8",
            negotiated=True,
        ),
        OutputFormat(
            name="ndjson",
            description="A line of JSON for each error.",
            content_type="application/x-ndjson",
            write=write_ndjson,
            negotiated=False,  # it is the media type of the API's streams
            streams=True,
        ),
        OutputFormat(
            name="github",
            description="Workflow commands of GitHub Actions, for annotations.",
            content_type="text/plain; charset=utf-8",
            write=_write_github,
            negotiated=False,
            streams=True,
        ),
        _document(
            "ci.sarif",
            "sarif",
            "SARIF 2.1.0, for code scanning.",
            "application/sarif+json",
            negotiated=True,
        ),
        _document("ci.rdjson", "rdjson", "reviewdog's diagnostics.", "application/json"),
        _document(
            "ci.junit", "junit", "A JUnit report, a failing case for each error.", "application/xml"
        ),
        _document("ci.gitlab", "gitlab", "A code quality report of GitLab.", "application/json"),
        _document("ci.slack", "slack", "A message of Slack's Block Kit.", "application/json"),
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
