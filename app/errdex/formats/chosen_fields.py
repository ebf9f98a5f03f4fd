"""A part of the fields of an answer's errors, for clients that need few of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from errdex.formats.answer import ErrorEvent, NamedRecord, Part, to_camel
from errdex.records.problems import Trouble

_RECORD = "record."
_MATCHES = "matches"


def _keys(part: type[Part]) -> tuple[str, ...]:
    return tuple(to_camel(field.name) for field in fields(part))  # type: ignore[arg-type]


ERROR_FIELDS = _keys(ErrorEvent)
RECORD_FIELDS = tuple(f"{_RECORD}{key}" for key in _keys(NamedRecord))
_KNOWN = (*ERROR_FIELDS, *RECORD_FIELDS)


class UnknownField(Trouble):
    """A field that answers do not have. `name` is the field, `known` lists all."""

    def __init__(self, name: str) -> None:
        near = get_close_matches(name[:100], _KNOWN, n=1)
        self.name = name[:100]
        self.near = near[0] if near else None
        self.known = f"{', '.join(ERROR_FIELDS)}, and {_RECORD}NAME for those of records"
        super().__init__(f"Unknown field “{self.name}”. Known fields: {self.known}.")


@dataclass(frozen=True, slots=True)
class ChosenFields:
    """The fields that are written of each error, and of each record that matches it."""

    error: frozenset[str]
    record: frozenset[str]

    def of_error(self, wire: Mapping[str, Any]) -> dict[str, Any]:
        """The chosen fields of an error that is ready for JSON."""
        kept = {key: value for key, value in wire.items() if key in self.error}
        if self.record and _MATCHES not in self.error:
            records = (each["record"] for each in wire[_MATCHES])
            kept[_MATCHES] = [{"record": self._of_record(record)} for record in records]
        return kept

    def _of_record(self, wire: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in wire.items() if key in self.record}


def parse_fields(text: str) -> ChosenFields:
    """The fields that a list with commas names: `message,record.id`. Raises UnknownField."""
    names = [name for each in text.split(",") if (name := each.strip())]
    for name in names:
        if name not in _KNOWN:
            raise UnknownField(name)
    records = frozenset(name.removeprefix(_RECORD) for name in names if name.startswith(_RECORD))
    return ChosenFields(frozenset(names) - frozenset(RECORD_FIELDS), records)
