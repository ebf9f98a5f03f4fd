"""The table of what a record is: one row for each field, in the order in which people read it.

Everything that depends on a field follows from its row or is compared with it by a test
(`tests/records/test_fields.py`): the model, the store's columns and summaries, the full-text
document, the filters, the forms of the API and `docs/records.md`.

To add an optional field, add its row here and its attribute to `model.Record`, show it in
`templates/record.html`, and run `make docs`. A field with a `column` also needs a migration and an
attribute in `store/values.py`; one that is a facet is listed in docs/how-to-add-a-field.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic.alias_generators import to_camel

from errdex.records.field_types import (
    Id,
    Ids,
    LineNumber,
    Message,
    Messages,
    Name,
    Names,
    Path,
    Paths,
    Places,
    Prose,
    Proses,
    Repo,
    Slug,
    Status,
    WholeNumber,
)

SEVERITIES = ("fatal", "critical", "error", "warning", "notice", "info", "debug")
"""Most severe first."""


class Characters(StrEnum):
    """Which control characters a field's strings may hold."""

    LINE = "line"
    """None at all: it is shown on one line."""
    TEXT = "text"
    """Line breaks and tabs."""
    OUTPUT = "output"
    """Everything but NUL: the output of a program, with its colours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a record."""

    name: str
    """In Python."""
    type: Any
    """The annotation of its value; None is allowed too unless the field is required."""
    group: str
    about: str
    """A sentence for the reference and the API's description."""
    remedy: str = ""
    """What to write when the value is wrong; empty where the kind of mistake says it."""
    required: bool = False
    characters: Characters = Characters.TEXT
    other_names: tuple[str, ...] = ()
    """Other spellings on input. The value is stored and served under `wire`."""
    derived: bool = False
    """Filled in where the input lacks the key."""

    column: str = ""
    """The store's column for it, which is also the attribute in summaries: lists can show it."""
    facet: str | None = None
    """The name under which lists are narrowed by it and its values are counted."""
    indexed: str | None = None
    """The attribute of the full-text document that it is a part of."""
    weight: int = 0
    """What a word of it adds to a record's score in full-text search; see search/document.py."""

    heading: bool = False
    """Heads the record on pages, in lists and on a terminal, before those behind it."""
    listed: bool = False
    """In the entries of the API's lists."""
    matched: bool = False
    """In the record that comes with a match."""
    similar: bool = False
    """In the record that comes with a near miss."""
    on_page: bool = True
    """Shown by the record's page."""

    @property
    def wire(self) -> str:
        """The name in JSON and YAML."""
        return to_camel(self.name)

    @property
    def condition(self) -> str:
        """The attribute of `Filters` that asks for it."""
        return "tag" if self.name == "tags" else self.name

    @property
    def is_list(self) -> bool:
        """Whether its value is a list of strings."""
        return self.type in (Ids, Names, Proses, Messages, Paths)


GROUPS = ("identity", "the error", "where", "why", "fix", "grouping", "evidence", "provenance")
"""The groups of fields, in the order of the reference."""

_LINE = Characters.LINE

FIELDS: tuple[Field, ...] = (
    Field(
        name="id", type=Id, group="identity", characters=_LINE, derived=True,
        indexed="record_id", listed=True,
        about="16 hexadecimal digits. Derived from repo, class and pattern where it is absent.",
        remedy="leave it out and it is derived, or write 16 of the characters 0-9 and a-f",
    ),
    Field(
        name="former_ids", type=Ids, group="identity", characters=_LINE, on_page=False,
        about="Ids that this record once had: their addresses lead to its page.",
        remedy="write a list of ids, each 16 of the characters 0-9 and a-f",
    ),
    Field(
        name="repo", type=Repo, group="identity", required=True, characters=_LINE, column="repo",
        facet="repo", indexed="repo", weight=15, listed=True, matched=True,
        about="The repository that raises the error, as owner/name.",
        remedy="write owner/name, such as “sgl-project/sglang”",
    ),
    Field(
        name="slug", type=Slug, group="identity", characters=_LINE, derived=True, column="slug",
        indexed="slug", listed=True, on_page=False,
        about="The readable part of the page's address. Derived from the message where absent.",
        remedy="leave it out and it is derived, or write words of ASCII letters, joined by -",
    ),
    Field(
        name="schema_version", type=WholeNumber, group="identity", on_page=False,
        about="The version of the format that the record was written for.",
    ),
    Field(
        name="title", type=Name, group="the error", characters=_LINE, column="title",
        indexed="title", weight=40, heading=True, listed=True, matched=True, similar=True,
        about="A heading, for a message that cannot be understood alone.",
    ),
    Field(
        name="error_message", type=Message, group="the error", required=True,
        column="error_message", indexed="message", weight=50, heading=True, listed=True,
        matched=True, similar=True,
        about="The message as the source has it, with its holes in braces.",
        remedy="write the error's text as the source has it",
    ),
    Field(
        name="message_pattern", type=Message, group="the error", derived=True, column="pattern",
        indexed="wordings", weight=35, on_page=False,
        about="A regular expression that finds the message. Derived from the message where absent.",
        remedy="leave it out and it is derived from errorMessage, or write a pattern",
    ),
    Field(
        name="error_class", type=Name, group="the error", characters=_LINE, column="error_class",
        facet="class", indexed="error_class", weight=60, listed=True, matched=True, similar=True,
        about="The class that is raised.",
    ),
    Field(
        name="error_type", type=Name, group="the error", characters=_LINE, column="error_type",
        facet="type", indexed="error_type", weight=5, listed=True, matched=True,
        about="The kind of error, such as `validation`. A harvested `assertion` or `usage` line is "
        "an answer only where a stack names its place.",
    ),
    Field(
        name="error_code", type=Name, group="the error", characters=_LINE, column="error_code",
        indexed="error_code", weight=60, listed=True, matched=True, similar=True,
        about="The code that tools show, such as `E0382`.",
    ),
    Field(
        name="http_status", type=Status, group="the error", column="http_status", listed=True,
        matched=True, about="The HTTP status that the error is answered with.",
        remedy="write a status from 100 to 599, or leave it out",
    ),
    Field(
        name="severity", type=Name, group="the error", characters=_LINE, column="severity",
        facet="severity", indexed="severity", listed=True, matched=True, similar=True,
        about=f"One of {', '.join(SEVERITIES)}.",
        remedy=f"write one of {', '.join(SEVERITIES)}, or leave it out",
    ),
    Field(
        name="applies_to", type=Name, group="the error", characters=_LINE, matched=True,
        about="The versions that have this error or wording, such as `pandas 2.0 and later`.",
    ),
    Field(
        name="fixed_in", type=Name, group="the error", characters=_LINE, matched=True,
        about="The version in which the cause is fixed, such as `npm 10.2.1`.",
    ),
    Field(
        name="language", type=Name, group="the error", characters=_LINE, column="language",
        facet="language", indexed="language", weight=5, listed=True, matched=True, similar=True,
        about="The language of the program, such as `python`.",
    ),
    Field(
        name="background_tag", type=Name, group="grouping", characters=_LINE,
        column="background_tag", facet="background", indexed="background_tag", weight=15,
        listed=True, matched=True, about="The cause that the error shares with others.",
    ),
    Field(
        name="file_path", type=Path, group="where", characters=_LINE, column="file_path",
        indexed="file_path", weight=12, listed=True, matched=True,
        about="The file that raises it, in the repository.",
    ),
    Field(
        name="line_number", type=LineNumber, group="where", column="line_number", listed=True,
        matched=True, about="The line in that file, counted from 1.",
        remedy="write the line's number, counted from 1",
    ),
    Field(
        name="function", type=Name, group="where", characters=_LINE, column="function",
        indexed="function", weight=20, matched=True,
        about="The qualified name of the function that raises it.",
    ),
    Field(
        name="raised_when", type=Prose, group="where", matched=True,
        about="The condition that guards the raise, as the source has it.",
    ),
    Field(
        name="source_code", type=Prose, group="where",
        about="The source around that line.",
    ),
    Field(
        name="source_code_start", type=LineNumber, group="where",
        about="The line number of the excerpt's first line.",
        remedy="write the number of the excerpt's first line, counted from 1",
    ),
    Field(
        name="source_code_end", type=LineNumber, group="where", on_page=False,
        about="The line number of the excerpt's last line.",
        remedy="write the number of the excerpt's last line, counted from 1",
    ),
    Field(
        name="github_url", type=Path, group="where", characters=_LINE, matched=True,
        about="The address of that line at the commit that was read.",
    ),
    Field(
        name="places", type=Places, group="where",
        about="Further places that say the same: each an object with the keys of this table, and "
        "`documentation` where it is another. The record itself has the first by path and line.",
        remedy="write a list of objects with filePath and lineNumber, or leave it out",
    ),
    Field(
        name="places_left_out", type=WholeNumber, group="where",
        about="How many more such places there are.",
    ),
    Field(
        name="documentation", type=Prose, group="why", indexed="explanation", weight=5,
        matched=True, about="What the error means.",
    ),
    Field(
        name="trigger_scenarios", type=Prose, group="why", indexed="explanation", weight=5,
        about="What triggers it.",
    ),
    Field(
        name="common_situations", type=Prose, group="why", indexed="explanation", weight=5,
        about="Where people usually meet it.",
    ),
    Field(
        name="solutions", type=Proses, group="fix", indexed="solutions", weight=5, matched=True,
        about="What to do, the likeliest first.",
    ),
    Field(
        name="example_fix", type=Prose, group="fix", matched=True,
        about="A fix as code, or as a diff.",
    ),
    Field(
        name="handling_strategy", type=Prose, group="fix",
        about="How a program should handle it.",
    ),
    Field(
        name="validation_code", type=Prose, group="fix",
        about="Code that checks the input before the call.",
    ),
    Field(
        name="type_guard", type=Prose, group="fix",
        about="A type guard that rules the error out.",
    ),
    Field(
        name="try_catch_pattern", type=Prose, group="fix",
        about="Code that catches it.",
    ),
    Field(
        name="prevention_tips", type=Proses, group="fix", matched=True,
        about="What prevents it.",
    ),
    Field(
        name="references", type=Paths, group="fix", characters=_LINE, matched=True,
        about="Where to read more. Only http and https addresses become links.",
    ),
    Field(
        name="tags", type=Names, group="grouping", characters=_LINE, column="tags", facet="tag",
        indexed="tags", weight=25, listed=True, matched=True,
        about="What it is about; the first tag is its topic.",
    ),
    Field(
        name="samples", type=Messages, group="evidence", characters=Characters.OUTPUT,
        indexed="wordings", weight=35,
        about="Real outputs that the pattern must match.",
    ),
    Field(
        name="counter_samples", type=Messages, group="evidence", characters=Characters.OUTPUT,
        on_page=False, about="Real outputs that the pattern must not match.",
    ),
    Field(
        name="verified_with", type=Name, group="evidence", characters=_LINE, matched=True,
        other_names=("reproducedWith",),
        about="The tools and versions that it was reproduced with, such as `git 2.39.5`.",
    ),
    Field(
        name="analyzed_sha", type=Name, group="provenance", characters=_LINE,
        about="The commit or version of the source that was read.",
    ),
    Field(
        name="analyzed_at", type=Name, group="provenance", characters=_LINE,
        about="When it was read.",
    ),
)  # fmt: skip

BY_NAME: Mapping[str, Field] = {field.name: field for field in FIELDS}
BY_WIRE: Mapping[str, Field] = {field.wire: field for field in FIELDS}
KNOWN_KEYS = frozenset(BY_WIRE)

OTHER_NAMES: Mapping[str, str] = {
    other: field.wire for field in FIELDS for other in field.other_names
}
"""Each other spelling on input, with the name that it stands for."""

COLUMNS = tuple(field.column for field in FIELDS if field.column)
"""The store's columns, in the order of its rows' checksums. The id is the key of the row."""

HEADINGS = tuple(field for field in FIELDS if field.heading)
"""The fields whose first value heads a record wherever it is shown."""

FACETS: Mapping[str, str] = {field.facet: field.condition for field in FIELDS if field.facet}
"""Each facet of records with the attribute of `Filters` that narrows by it."""

WEIGHTS: Mapping[str, int] = {field.indexed: field.weight for field in FIELDS if field.indexed}
"""The weight of each attribute of the full-text document."""
