"""A record file drafted from an error that no record matches.

What the paste says of its machine, people and secrets is masked; what changes from run to run
becomes a named hole of the message. The rest is for its writer to fill in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from errdex.formats.answer import ErrorEvent, PasteAnswer
from errdex.matching.masking import find_variable, hole_message, mask_private
from errdex.matching.patterns.generality import check_generality
from errdex.matching.patterns.refusal import PatternRefused
from errdex.matching.reading.terminal import strip_codes
from errdex.records.languages import find_language
from errdex.records.messages.derived_pattern import derive_pattern
from errdex.records.messages.holes import hole_names

PROJECT = "owner/name"
"""The project of a draft, until its writer names it."""
_MESSAGE_LINES = 5
_LINE = 200
_PERSONAL = frozenset(
    {"key", "token", "credentials", "cookie", "secret", "email", "login", "id", "address", "host"}
    | {"user", "url", "path", "time"}
)
_HOLES = (None, _PERSONAL | {"number"}, _PERSONAL)
"""Which values become holes: the first choice whose pattern is not too general."""
_MEANING = "Say in one or two sentences what the error means."
_FIX = "Say what fixes it, with the command to run"


@dataclass(frozen=True, kw_only=True)
class RecordDraft:
    """The fields of a record that a draft has."""

    repo: str = PROJECT
    error_message: str = ""
    message_pattern: str = ""
    """Empty: derived from the message."""
    error_class: str = ""
    error_code: str = ""
    language: str = ""
    documentation: str = ""
    solutions: Sequence[str] = ()
    samples: Sequence[str] = field(default=())

    @property
    def pattern(self) -> str:
        """The pattern that the record will have."""
        return self.message_pattern or derive_pattern(self.error_message)

    def body(self) -> dict[str, Any]:
        """The record as data, without empty fields."""
        values: Mapping[str, Any] = {
            "repo": self.repo,
            "errorMessage": self.error_message,
            "messagePattern": self.message_pattern,
            "errorClass": self.error_class,
            "errorCode": self.error_code,
            "severity": "error",
            "language": self.language,
            "documentation": self.documentation,
            "solutions": list(self.solutions),
            "samples": list(self.samples),
            "schemaVersion": 2,
        }
        return {key: value for key, value in values.items() if value not in ("", [])}


def list_unfinished(draft: RecordDraft) -> list[str]:
    """What the writer of a draft has still to say, as sentences."""
    left = (
        ("Name the project that raises it.", draft.repo == PROJECT),
        (_MEANING, draft.documentation in ("", _MEANING)),
        (f"{_FIX}.", any(_FIX in each for each in draft.solutions) or not draft.solutions),
    )
    return [sentence for sentence, wanted in left if wanted]


def list_unknown(answer: PasteAnswer) -> list[ErrorEvent]:
    """The errors of an answer that a record can be drafted from, each wording once."""
    found: dict[tuple[str | None, str], ErrorEvent] = {}
    for index in answer.reading_order:
        event = answer.events[index]
        if can_be_drafted(event):
            found.setdefault((event.error_class, hole_message(event.message)), event)
    return list(found.values())


def can_be_drafted(event: ErrorEvent) -> bool:
    """Whether the error has no record, and a message that says something."""
    return not event.known and bool(event.message.strip()) and event.role != "symptom"


def draft_record(event: ErrorEvent, paste: str) -> RecordDraft:
    """A draft of the record for an error of the paste."""
    lines = [line[:_LINE].rstrip() for line in event.message.splitlines()[:_MESSAGE_LINES]]
    message = strip_codes("\n".join(lines))[0].strip()
    holed = _holed(message, event.error_class)
    names = dict.fromkeys(hole_names(holed))
    hole = next(iter(names), "")
    language = find_language(event.language)
    return RecordDraft(
        error_message=holed,
        error_class=event.error_class or "",
        error_code=event.error_code or "",
        language=language.name if language else "",
        documentation=_MEANING,
        solutions=[f"{_FIX}: `tool {{{{{hole}}}}}`." if hole else f"{_FIX}."],
        samples=[mask_private(_sample(event, message, paste))],
    )


def write_drafts(drafts: Sequence[RecordDraft]) -> str:
    """Drafts as a record file in YAML."""
    bodies = [draft.body() for draft in drafts]
    return yaml.dump(bodies, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def _holed(message: str, error_class: str | None) -> str:
    blanks = find_variable(message)
    for kinds in _HOLES:
        chosen = [each for each in blanks if kinds is None or each.kind in kinds]
        holed = hole_message(message, chosen)
        try:
            check_generality(derive_pattern(holed), error_class)
        except PatternRefused:
            continue
        return holed
    return holed


def _sample(event: ErrorEvent, message: str, paste: str) -> str:
    """What the program printed, from the error's class or code on."""
    label = event.error_class or event.error_code or ""
    if not label or label in message:
        return message
    first = message.split("\n")[0]
    before = _line(paste, event.message_offset).partition(first)[0]
    start = before.rfind(label)
    return (before[start:] if start >= 0 else f"{label}: ") + message


def _line(paste: str, offset: int) -> str:
    start = paste.rfind("\n", 0, offset) + 1
    end = paste.find("\n", offset)
    line = paste[max(start, offset - 500) : len(paste) if end < 0 else min(end, offset + _LINE)]
    return strip_codes(line)[0]


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and lists as people indent them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the items of a list below their key."""
        super().increase_indent(flow, False)


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _write_text)
