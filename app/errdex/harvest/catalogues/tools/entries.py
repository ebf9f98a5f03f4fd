"""What a tool's catalogue says, and the records that are made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from re import escape
from typing import TypeGuard

from errdex.harvest.messages.placeholders import with_holes
from errdex.harvest.messages.template import MAX_LENGTH, fixed_text, is_telling, normalized, render
from errdex.harvest.model import Part
from errdex.harvest.records import SCHEMA_VERSION, Wire
from errdex.records.field_types import MAX_NAME
from errdex.records.identity import derive_id

MAX_DOCUMENTATION = 20_000
"""Characters of an explanation that are kept."""


LEAST_CODE = 6
"""Letters of a code that is written like a word (`DuplicateDecl`), to be recognised by it alone."""


class CatalogueError(Exception):
    """A catalogue cannot be read; the text says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The installed tool that a catalogue was read from."""

    name: str
    """As people call it; it is the first tag of the records."""
    repo: str
    """owner/name of the repository that the tool is built from."""
    version: str
    """As the tool gives it, without its name; "" where it gives none."""
    language: str | None
    """Of what it speaks about, as in the table of languages; None for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMessage:
    """One message of a catalogue."""

    message: str
    """As people read it: the message with its holes or, where the tool lists codes alone, what
    the code means."""
    parts: tuple[Part, ...] | None = None
    """The message as it is printed; None where the catalogue has only the code."""
    code: str | None = None
    error_class: str | None = None
    severity: str = "error"
    http_status: int | None = None
    title: str | None = None
    documentation: str | None = None
    solutions: tuple[str, ...] = ()
    example_fix: str | None = None
    reference: str | None = None


def listed(message: str, **fields: object) -> ToolMessage:
    """An entry whose message has places of any family of formats."""
    return ToolMessage(message=message, parts=tuple(with_holes(message)), **fields)  # type: ignore[arg-type]


def records_of(tool: Tool, entries: Iterable[ToolMessage]) -> Iterator[Wire | None]:
    """A record for each entry, None for one that has too little text to be recognised by.
    Entries with the same message and code give one record."""
    seen: set[str] = set()
    for entry in entries:
        wording = _wording(entry)
        if wording is None:
            yield None
            continue
        message, pattern = wording
        code = entry.code or ""
        record_id = derive_id(tool.repo, entry.error_class, f"{pattern}\ncatalogue\n{code}")
        if record_id in seen:
            continue
        seen.add(record_id)
        yield {
            key: value
            for key, value in {
                "id": record_id,
                "repo": tool.repo,
                "errorMessage": message,
                "messagePattern": pattern,
                "title": _one_line(entry.title),
                "errorCode": _one_line(entry.code),
                "errorClass": _one_line(entry.error_class),
                "httpStatus": entry.http_status,
                "severity": entry.severity,
                "language": tool.language,
                "documentation": (entry.documentation or "")[:MAX_DOCUMENTATION].strip() or None,
                "solutions": list(entry.solutions) or None,
                "exampleFix": entry.example_fix,
                "references": [entry.reference] if entry.reference else None,
                "tags": [tool.name, "catalogue"],
                "verifiedWith": f"{tool.name} {tool.version}".strip(),
                "schemaVersion": SCHEMA_VERSION,
            }.items()
            if value is not None
        }


def _wording(entry: ToolMessage) -> tuple[str, str] | None:
    """The message and the pattern of an entry."""
    if entry.parts is None:
        return (entry.message, rf"\b{escape(entry.code)}\b") if _is_distinct(entry.code) else None
    parts = normalized(entry.parts)
    if not is_telling(parts, entry.code or entry.error_class) or " " not in fixed_text(parts):
        return None
    message = render(parts)
    if max(len(message.error_message), len(message.pattern)) > MAX_LENGTH:
        return None
    return message.error_message, message.pattern


def _is_distinct(code: str | None) -> TypeGuard[str]:
    """Whether a code is no plain word, such as `Test`."""
    return code is not None and not (code.isalpha() and code.istitle() and len(code) < LEAST_CODE)


def _one_line(text: str | None) -> str | None:
    text = " ".join(text.split()) if text else ""
    return text[:MAX_NAME] or None
