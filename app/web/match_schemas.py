"""The JSON form of an answer to a paste, for the API's description. What is answered is made
by `knowledge.to_wire`; a test holds the two together."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from app.web.schemas import Answer


class Place(Answer):
    """A stretch of the paste: 1-based line numbers, and offsets in characters of the paste as
    it was sent."""

    line: int
    start: int
    end_line: int
    end: int


class StackFrame(Answer):
    """An entry of a stack, as the paste shows it."""

    file: str | None
    line: int | None
    function: str | None
    package: str | None


class DifferenceGiven(Answer):
    """The paste's stack names another line than the record, or the paste another version of
    the package than the one that the record was made from."""

    kind: Literal["line", "version"]
    record: str
    paste: str
    words: str


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
    points: float
    words: str


class Captured(Answer):
    """What stands in a hole of the record's message."""

    name: str
    text: str
    length: int = Field(description="Characters of the whole text, of which `text` is the start.")
    place: Place


class NamedRecord(Answer):
    """What of a record comes with an answer. Keys that it has no value for are left out."""

    id: str
    repo: str
    slug: str
    path: str = Field(description="The address of its page on this server.")
    error_message: str
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
    documentation: str | None = None
    solutions: list[str] | None = None
    example_fix: str | None = None
    prevention_tips: list[str] | None = None
    references: list[str] | None = None
    tags: list[str] | None = None
    background_tag: str | None = None


class MatchedRecord(Answer):
    """A record whose pattern was found in an error."""

    record: NamedRecord
    score: float
    group: int = Field(
        description="Matches with the same number cannot be told apart by what the paste shows."
    )
    evidence: list[EvidenceGiven]
    captures: list[Captured]
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


class FoundEvent(Answer):
    """An error that was found in the paste, and what is known of it."""

    outcome: Literal["known", "ambiguous", "unknown"]
    language: str | None
    error_class: str | None
    error_code: str | None
    message: str
    message_length: int = Field(description="Characters of the whole message.")
    severity: str
    role: Literal["alone", "root_cause", "wrapper", "member", "symptom"]
    cause: int | None = Field(description="Index of the event that this one was raised from.")
    handled: bool = Field(description="The paste says that it was logged or retried.")
    writer: str | None
    first_line: int
    last_line: int
    message_line: int
    message_offset: int
    frames: list[StackFrame] = Field(description="The frame that raised it is the last.")
    frames_left_out: int
    notes: list[str]
    repeats: int = Field(description="How often it comes again, but for numbers in it.")
    repeat_lines: list[int]
    matches: list[MatchedRecord] = Field(description="The best first.")
    matches_left_out: int
    near_misses: list[SimilarRecord]


class PasteAnswer(Answer):
    """The answer to a paste."""

    dataset_version: str
    found: bool = Field(description="Whether any record matches.")
    complete: bool = Field(description="Whether the whole paste was looked at.")
    limits_hit: list[str] = Field(description="Which bounds cut the work, in words.")
    lines: int
    lines_matched: int
    root_cause: int | None = Field(description="Index of the event to look at first.")
    reading_order: list[int] = Field(description="Indexes of the events, in the order to read.")
    events: list[FoundEvent] = Field(description="In the order of the paste.")
