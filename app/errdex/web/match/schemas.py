"""The JSON form of an answer to a paste, for the API's description. What is answered is made
by `knowledge.to_wire`; a test holds the two together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, create_model

from errdex.records.fields import FIELDS
from errdex.web.api.schemas import Answer, fields_of_records


class Place(Answer):
    """A stretch of the paste: 1-based line numbers, and offsets in characters of the paste as
    it was sent."""

    line: int
    """The line on which it begins, counted from 1."""
    start: int
    """The offset of its first character."""
    end_line: int
    """The line on which it ends."""
    end: int
    """The offset behind its last character."""


class StackFrame(Answer):
    """An entry of a stack, as the paste shows it."""

    file: str | None
    """The file or module, as it stands in the paste."""
    line: int | None
    """The line in that file."""
    function: str | None
    """The function, with its class or module where the paste names it."""
    package: str | None
    """The package that the file belongs to, where its path tells."""


class DifferenceGiven(Answer):
    """The paste's stack names another line than the record, or the paste another version of
    the package than the one that the record was made from."""

    kind: Literal["line", "version"]
    """What differs: the line that raises, or the version of the package."""
    record: str
    """What the record says."""
    paste: str
    """What the paste says."""
    words: str
    """The same in a sentence."""


class EvidenceGiven(Answer):
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
    """What it adds to the score; below zero it speaks against the match."""
    words: str
    """The same in words."""


class Captured(Answer):
    """What stands in a hole of the record's message."""

    name: str
    """The name of the hole in `errorMessage`."""
    text: str
    """What stands there in the paste, shortened when it is long."""
    length: int = Field(description="Characters of the whole text, of which `text` is the start.")
    place: Place


class NamedRecordBase(Answer):
    """What every record in an answer has beside its own fields."""

    id: str
    """16 hexadecimal digits."""
    slug: str
    """What its page is called behind the id."""
    path: str = Field(description="The address of its page on this server.")


if TYPE_CHECKING:
    NamedRecord = NamedRecordBase
else:
    NamedRecord = create_model(
        "NamedRecord",
        __base__=NamedRecordBase,
        __doc__="What an answer shows of a record. Keys without a value are left out.",
        **fields_of_records((field for field in FIELDS if field.matched), all_present=False),
    )


class MatchedRecord(Answer):
    """A record whose pattern was found in an error."""

    record: NamedRecord
    score: float
    """The sum of the evidence; only scores of one error can be compared."""
    group: int = Field(
        description="Matches with the same number cannot be told apart by what the paste shows."
    )
    evidence: list[EvidenceGiven]
    """Why it matches, and what speaks against it."""
    captures: list[Captured]
    """The values in the holes of its message."""
    place: Place
    differences: list[DifferenceGiven] = Field(
        description="What the paste's own stack says otherwise than the record."
    )


class SimilarRecord(Answer):
    """A record that is similar to an error and does not match it."""

    record: NamedRecord
    missing: list[str] = Field(description="Words of its message that the error lacks.")
    other: list[str] = Field(description="Words that the error has in their place.")
    why: str
    """What differs, in words."""


class FoundEvent(Answer):
    """An error that was found in the paste, and what is known of it."""

    outcome: Literal["known", "ambiguous", "unknown"]
    """A record matches best (`known`), several match equally well (`ambiguous`), or none does."""
    language: str | None
    """Of the program that wrote it, such as `python`; null when its form does not tell."""
    error_class: str | None
    """As it stands in the paste, such as `sqlalchemy.exc.OperationalError`."""
    error_code: str | None
    """A code beside the message, such as `E0382` or `ERR_MODULE_NOT_FOUND`."""
    message: str
    """The message, up to 4,000 characters of it."""
    message_length: int = Field(description="Characters of the whole message.")
    severity: str
    """`error`, `fatal` or `warning`."""
    role: Literal["alone", "root_cause", "wrapper", "member", "symptom"]
    """Its place among the others: the innermost cause of a chain (`root_cause`), raised from
    another (`wrapper`), one of a group (`member`), alone, or a line that only says that something
    failed (`symptom`)."""
    cause: int | None = Field(description="Index of the event that this one was raised from.")
    handled: bool = Field(description="The paste says that it was logged or retried.")
    writer: str | None
    """Which of several interleaved programs wrote it, by its prefix, such as `web-1`."""
    first_line: int
    """The first line of it in the paste, counted from 1, its stack included."""
    last_line: int
    """The last one."""
    message_line: int
    """The line on which the message begins."""
    message_offset: int
    """The offset of its first character in the paste."""
    frames: list[StackFrame] = Field(description="The frame that raised it is the last.")
    frames_left_out: int
    """How many frames further from the raise were left out."""
    notes: list[str]
    """Lines that the program attached, such as hints."""
    repeats: int = Field(description="How often it comes again, but for numbers in it.")
    repeat_lines: list[int]
    """The first lines on which it comes again."""
    matches: list[MatchedRecord] = Field(description="The best first.")
    matches_left_out: int
    """How many further records match less well or were cut by a bound."""
    near_misses: list[SimilarRecord]
    """Records that are alike and do not match, where none does."""


class PasteAnswer(Answer):
    """The answer to a paste."""

    dataset_version: str
    """The version of the data that it was answered from."""
    found: bool = Field(description="Whether any record matches.")
    complete: bool = Field(description="Whether the whole paste was looked at.")
    limits_hit: list[str] = Field(description="Which bounds cut the work, in words.")
    lines: int
    """Lines of the paste."""
    lines_matched: int
    """Logical lines that were looked at: those inside of JSON are counted singly, wrapped ones
    as one."""
    root_cause: int | None = Field(description="Index of the event to look at first.")
    reading_order: list[int] = Field(description="Indexes of the events, in the order to read.")
    events: list[FoundEvent] = Field(description="In the order of the paste.")
