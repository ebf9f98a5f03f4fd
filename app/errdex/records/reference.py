"""The reference of the record's fields for `docs/records.md`, made from the table of fields.

`make docs` writes it there; a test compares the document with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from annotated_types import Ge, Le, MaxLen

from errdex.records.field_types import Place
from errdex.records.fields import FIELDS, GROUPS, Field

BEGIN = "<!-- fields: written by make docs -->"
END = "<!-- end of fields -->"


def list_fields() -> str:
    """The groups of fields as Markdown, a table each."""
    return "\n".join((BEGIN, *_groups(), END))


def _groups() -> Iterator[str]:
    for group in GROUPS:
        yield f"\n### {group.capitalize()}\n"
        yield "| key | value | meaning |"
        yield "| --- | --- | --- |"
        yield from (_row(field) for field in FIELDS if field.group == group)
    yield ""


def _row(field: Field) -> str:
    need = " (required)" if field.required else ""
    others = "".join(f" `{other}` is read as the same key." for other in field.other_names)
    return f"| `{field.wire}`{need} | {_value(field)} | {field.about}{others} |"


def _value(field: Field) -> str:
    plain, *bounds = get_args(field.type)
    if field.is_list:
        entry, (length,) = get_args(plain)[0], (each.max_length for each in _lengths(bounds))
        return f"list of up to {length} strings, each {_length(get_args(entry)[1:])}"
    if get_args(plain)[:1] == (Place,):
        (length,) = (each.max_length for each in _lengths(bounds))
        return f"list of up to {length} objects"
    if plain is int:
        least = next(each.ge for each in _flat(bounds) if isinstance(each, Ge))
        most = next(each.le for each in _flat(bounds) if isinstance(each, Le))
        return f"whole number, {least} to {most:,}"
    return f"string, {_length(bounds)}"


def _length(bounds: Any) -> str:  # noqa: ANN401 (annotations' metadata)
    for bound in _flat(bounds):
        if pattern := getattr(bound, "pattern", None):
            return f"`{pattern}`"
    return f"up to {next(_lengths(bounds)).max_length:,} characters"


def _lengths(bounds: Any) -> Iterator[MaxLen]:  # noqa: ANN401
    return (each for each in _flat(bounds) if getattr(each, "max_length", None))


def _flat(bounds: Any) -> Iterator[Any]:  # noqa: ANN401
    """The bounds, those of Pydantic's groups one by one."""
    for bound in bounds:
        yield from getattr(bound, "metadata", None) or [bound]
