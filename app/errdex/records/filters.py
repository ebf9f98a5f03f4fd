"""Exact conditions on records, the same for lists, counts and full-text search."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that must all hold. None means: any.

    The fields with a facet in the table of fields, and two that only the store knows:
    `dataset` and `file_path`.
    """

    repo: str | None = None
    error_class: str | None = None
    tag: str | None = None
    error_type: str | None = None
    severity: str | None = None
    language: str | None = None
    background_tag: str | None = None
    dataset: str | None = None
    file_path: str | None = None

    def values(self) -> tuple[str | None, ...]:
        """The values of all conditions, in their order."""
        return astuple(self)

    def given(self) -> dict[str, str]:
        """The conditions that are not None, by name."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: value for name, value in values if value is not None}


ANY = Filters()
"""No condition at all."""
