"""The answer to a paste as one value, from which every format is written.

The classes are also the API's response schemas: field docstrings become descriptions, and
field names become camelCase keys. Optional fields of a record are left out when empty; all
other fields are always written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal


def to_camel(name: str) -> str:
    """The JSON key of a field: `error_class` is `errorClass`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


class Part:
    """Base of the classes below: how pydantic reads them from JSON and describes them."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = {
        "alias_generator": to_camel,
        "use_attribute_docstrings": True,
    }
    omit_empty: ClassVar[bool] = False
    """Whether empty fields are left out of the JSON."""


@dataclass(frozen=True, slots=True)
class PasteRange(Part):
    """A range of the paste: line numbers from 1, and offsets in characters of the paste as it
    was sent."""

    line: int
    """The line on which it begins, counted from 1."""
    start: int
    """The offset of its first character."""
    end_line: int
    """The line on which it ends."""
    end: int
    """The offset after its last character."""


@dataclass(frozen=True, slots=True)
class StackFrame(Part):
    """An entry of a stack, as the paste shows it."""

    file: str | None
    """The file or module, as the paste shows it."""
    line: int | None
    """The line in that file."""
    function: str | None
    """The function, with its class or module where the paste names it."""
    package: str | None
    """The package that the file belongs to, if its path shows it."""


@dataclass(frozen=True, slots=True)
class RecordDifference(Part):
    """A difference between the paste and the record: its stack names another line, or it comes
    from another version of the package."""

    kind: Literal["line", "version"]
    """What differs: the line that raises, or the version of the package."""
    record: str
    """The value in the record."""
    paste: str
    """The value in the paste."""
    words: str
    """The difference as a sentence."""


@dataclass(frozen=True, slots=True)
class EvidenceItem(Part):
    """A reason for a match, or against it (points below zero)."""

    kind: Literal[
        "whole_message",
        "whole_line",
        "whole_clause",
        "part_of_message",
        "text",
        "class",
        "code",
        "file",
        "function",
        "line",
        "package",
        "language",
    ]
    """What was compared."""
    points: float
    """Points added to the score; below zero for evidence against the match."""
    words: str
    """The reason in words."""


@dataclass(frozen=True, slots=True)
class CapturedText(Part):
    """The text that the paste has in a hole of the record's message."""

    name: str
    """The name of the hole in `errorMessage`."""
    text: str
    """The captured text, shortened when it is long."""
    length: int
    """Characters of the whole text; `text` is its beginning."""
    place: PasteRange
    """The range of the paste that was captured."""


@dataclass(frozen=True, slots=True)
class FilledHole(Part):
    """A place in a text of the record where it names a hole of its message, as `{{name}}`. The
    text in `record` has the paste's value there, or the name in ‹ › when there is none."""

    field: str
    """The name of the text: `solutions`, `documentation`, `exampleFix` and so on."""
    item: int | None
    """The index in that field, where it is a list."""
    start: int
    """The offset in the text, in characters, of what is in place of the hole."""
    end: int
    """The offset after it."""
    hole: str
    """The name of the hole."""
    value: str | None
    """The value as it is written there, quoted where it is a part of code; null when the text
    has the hole's name."""
    refused: str | None
    """Why the value of the paste is not written there, such as `it begins with a dash`."""


@dataclass(frozen=True, slots=True)
class NamedRecord(Part):
    """The fields of a record that an answer includes. Empty fields are left out."""

    omit_empty: ClassVar[bool] = True

    id: str
    """16 hexadecimal digits."""
    slug: str = ""
    """The readable part of its page's address."""
    url: str = ""
    """The address of its page; absent where no server is named."""
    # As the table of fields has them, which describes them too.
    repo: str = ""
    title: str | None = None
    error_message: str = ""
    error_class: str | None = None
    error_type: str | None = None
    error_code: str | None = None
    http_status: int | None = None
    severity: str | None = None
    language: str | None = None
    file_path: str | None = None
    line_number: int | None = None
    function: str | None = None
    raised_when: str | None = None
    github_url: str | None = None
    place: int | None = None
    """Which of the record's places the stack names, and these fields are of: 0 is its own, 1 the
    first of its `places`. Absent where it has one place, or the stack names none."""
    other_places: int | None = None
    """How many other places of the record the error may come from, as the stack names none."""
    documentation: str | None = None
    source_explanation: str | None = None
    """What follows from the source, of a record that nobody explained."""
    solutions: Sequence[str] | None = None
    example_fix: str | None = None
    prevention_tips: Sequence[str] | None = None
    references: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    background_tag: str | None = None
    verified_with: str | None = None
    applies_to: str | None = None
    fixed_in: str | None = None

    @property
    def heading(self) -> str:
        """What heads the record."""
        return self.title or self.error_message

    @property
    def path(self) -> str:
        """The path of its page on a server."""
        return f"/errors/{self.id}/{self.slug}"


@dataclass(frozen=True, slots=True)
class MatchedRecord(Part):
    """A record whose pattern was found in an error."""

    record: NamedRecord
    """The record; its texts have the values of the paste, as `filled` lists."""
    score: float
    """The sum of the evidence; compare scores within one error only."""
    group: int
    """Matches with the same number cannot be distinguished by the paste."""
    evidence: Sequence[EvidenceItem]
    """Reasons for the match, and against it."""
    captures: Sequence[CapturedText]
    """The values in the holes of its message."""
    place: PasteRange
    """The range of the paste that matched."""
    differences: Sequence[RecordDifference] = ()
    """Differences between the paste's own stack and the record."""
    filled: Sequence[FilledHole] = ()
    """The places in the record's texts that name its holes, in the order of each text."""


@dataclass(frozen=True, slots=True)
class SimilarRecord(Part):
    """A record that is similar to an error but does not match it."""

    record: NamedRecord
    """The record."""
    missing: Sequence[str]
    """Words of its message that the error lacks."""
    other: Sequence[str]
    """Words that the error has instead."""
    why: str
    """The difference in words."""


@dataclass(frozen=True, slots=True)
class FirstSteps(Part):
    """What can be done about an error by its class and its stack alone. Absent fields could not be
    said."""

    omit_empty: ClassVar[bool] = True

    steps: Sequence[str]
    """What to do, the most likely to help first."""
    cause_tag: str | None = None
    """The cause that all errors of this class have, as in `/api/causes/{tag}`."""
    cause_title: str | None = None
    """The cause in a few words."""
    explanation: str | None = None
    """What is behind errors of this class."""
    package: str | None = None
    """The installed package that raised it, as its package manager names it."""
    package_version: str | None = None
    """The version of the package, where the stack's paths show it."""


@dataclass(frozen=True, slots=True)
class ErrorEvent(Part):
    """An error found in the paste, with the records that match it."""

    outcome: Literal["known", "ambiguous", "unknown"]
    """`known`: one record matches best. `ambiguous`: several match equally well. `unknown`: no
    record matches."""
    fingerprint: str
    """Equal for equal errors of different runs, known or not; its version is in front of the
    colon."""
    language: str | None
    """The language of the program that wrote it, such as `python`; null when unclear."""
    error_class: str | None
    """The class as the paste shows it, such as `sqlalchemy.exc.OperationalError`."""
    error_code: str | None
    """A code beside the message, such as `E0382` or `ERR_MODULE_NOT_FOUND`."""
    message: str
    """The message, up to 4,000 characters of it."""
    message_length: int
    """Characters of the whole message."""
    severity: str
    """`error`, `fatal` or `warning`."""
    role: Literal["alone", "root_cause", "wrapper", "member", "symptom"]
    """Its place in a chain: the innermost cause (`root_cause`), raised from another error
    (`wrapper`), one of a group (`member`), alone, or a line that only reports a failure
    (`symptom`)."""
    cause: int | None
    """Index of the event that this one was raised from."""
    handled: bool
    """True when the paste shows that the error was logged or retried."""
    writer: str | None
    """The program that wrote it, by its prefix, where several are interleaved: `web-1`."""
    test: str | None
    """The name of the failing test, as its runner prints it."""
    first_line: int
    """Its first line in the paste, counted from 1, including its stack."""
    last_line: int
    """Its last line in the paste."""
    message_line: int
    """The line on which the message begins."""
    message_offset: int
    """The offset of the message's first character in the paste."""
    frames: Sequence[StackFrame]
    """The stack; the frame that raised the error is the last."""
    frames_left_out: int
    """The number of outer frames that were left out."""
    notes: Sequence[str]
    """Lines that the program attached, such as hints."""
    repeats: int
    """The number of repetitions, which may differ in their numbers."""
    repeat_lines: Sequence[int]
    """The first lines on which it is repeated."""
    matches: Sequence[MatchedRecord]
    """Matching records, the best first."""
    matches_left_out: int
    """The number of further records, which match less well or exceed a limit."""
    near_misses: Sequence[SimilarRecord]
    """Similar records, when no record matches."""
    first_steps: FirstSteps | None = None
    """What can be done without a record; with one, what to do if an installed package is at
    fault."""

    @property
    def known(self) -> bool:
        """Whether a record matches."""
        return bool(self.matches)


@dataclass(frozen=True, slots=True)
class PasteAnswer(Part):
    """The answer to a paste."""

    dataset_version: str
    """The version of the data."""
    found: bool
    """Whether any record matches."""
    complete: bool
    """Whether the whole paste was read."""
    limits_hit: Sequence[str]
    """The limits that left out a part of the paste, as sentences."""
    lines: int
    """Lines of the paste."""
    lines_matched: int
    """Logical lines that were matched: lines inside JSON count one by one, wrapped lines as
    one."""
    root_cause: int | None
    """Index of the event to look at first."""
    reading_order: Sequence[int]
    """Indexes of the events, in the order to read them."""
    events: Sequence[ErrorEvent]
    """The errors, in the order of the paste."""


def to_wire(answer: Part) -> dict[str, Any]:
    """The answer as dictionaries and lists, ready for JSON."""
    return _part_to_wire(answer)


def _part_to_wire(part: Part) -> dict[str, Any]:
    pairs = ((key, getattr(part, name)) for name, key in _field_names(type(part)))
    if part.omit_empty:
        pairs = ((key, value) for key, value in pairs if value not in (None, "", (), []))
    return {key: _to_wire(value) for key, value in pairs}


def _to_wire(value: object) -> object:
    if isinstance(value, Part):
        return _part_to_wire(value)
    if isinstance(value, list | tuple):
        return [_to_wire(each) for each in value]
    return value


_FIELD_NAMES: dict[type[Part], Sequence[tuple[str, str]]] = {}
"""The fields of each class with their keys, since dataclasses.fields is slow."""


def _field_names(kind: type[Part]) -> Sequence[tuple[str, str]]:
    if kind not in _FIELD_NAMES:
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
        _FIELD_NAMES[kind] = [(name, to_camel(name)) for name in names]
    return _FIELD_NAMES[kind]


def read_answer(wire: Mapping[str, Any]) -> PasteAnswer:
    """The answer that another server sent as JSON. Raises ValueError when it is malformed."""
    from pydantic import TypeAdapter

    return TypeAdapter(PasteAnswer).validate_python(wire)
