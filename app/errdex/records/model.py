"""The record: one known error, as the rest of Errdex knows it.

Names are camelCase on the wire and snake_case here. Types are strict: nothing is
converted, so that what was read is served again as an equal JSON object. Make a
record with `parse_record`, which says in plain words what is wrong with a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr
from pydantic.alias_generators import to_camel

from errdex import lazy_re as re
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
from errdex.records.identity import derive_id, slugify
from errdex.records.messages.derived_explanation import source_explanation
from errdex.records.messages.derived_pattern import derive_pattern

_WEB_ADDRESS = re.compile(r"https?://[^\s\x00-\x20\x7f-\x9f\\<>\"'`]+", re.IGNORECASE)


class Record(BaseModel):
    """One known error: what it says, where it is raised, why, and how to fix it.

    Absent and null are both None here; `body` keeps them apart.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, extra="allow", strict=True, frozen=True, defer_build=False
    )

    given_id: Id | None = Field(default=None, alias="id")
    """As the input gives it; `id` is always there."""
    repo: Repo
    given_slug: Slug | None = Field(default=None, alias="slug")
    """As the input gives it; `slug` is always there."""
    schema_version: WholeNumber | None = None

    title: Name | None = None
    error_message: Message
    """The message as the source writes it, with its holes."""
    message_pattern: Message | None = None
    """As the input gives it; `pattern` is always there."""
    error_class: Name | None = None
    error_type: Name | None = None
    error_code: Name | None = None
    http_status: Status | None = None
    severity: Name | None = None
    """One of SEVERITIES."""

    file_path: Path | None = None
    line_number: LineNumber | None = None
    source_code: Prose | None = None
    source_code_start: LineNumber | None = None
    """The line number of the first line of `source_code`."""
    source_code_end: LineNumber | None = None
    github_url: Path | None = None
    """Any text: link to `safe_github_url` only."""
    places: Places | None = None
    """The places besides this one, by path and line."""
    places_left_out: WholeNumber | None = None
    """How many places are neither this one nor in `places`."""

    documentation: Prose | None = None
    trigger_scenarios: Prose | None = None
    common_situations: Prose | None = None

    solutions: Proses | None = None
    example_fix: Prose | None = None
    handling_strategy: Prose | None = None
    validation_code: Prose | None = None
    type_guard: Prose | None = None
    try_catch_pattern: Prose | None = None
    prevention_tips: Proses | None = None

    tags: Names | None = None
    background_tag: Name | None = None

    analyzed_sha: Name | None = None
    analyzed_at: Name | None = None

    language: Name | None = None
    function: Name | None = None
    """The qualified name of the function that raises."""
    raised_when: Prose | None = None
    """The condition that guards the raise, as the source writes it."""
    references: Paths | None = None
    """Any texts: link to `safe_references` only."""
    samples: Messages | None = None
    """Real outputs that the pattern must match."""
    counter_samples: Messages | None = None
    """Real outputs that the pattern must not match."""
    verified_with: Name | None = None
    applies_to: Name | None = None
    """The versions that have it."""
    fixed_in: Name | None = None
    former_ids: Ids | None = None
    """Ids that lead to this record."""

    _wire: Mapping[str, Any] | None = PrivateAttr(default=None)

    @cached_property
    def pattern(self) -> str:
        """The pattern to match with: the given one, or one derived from the message."""
        return self.message_pattern or derive_pattern(self.error_message)

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits: the given id, or one derived from what the error is."""
        return self.given_id or derive_id(self.repo, self.error_class, self.pattern)

    @property
    def explained(self) -> bool:
        """Whether it says what helps."""
        return bool(self.solutions)

    @cached_property
    def source_explanation(self) -> str | None:
        """A sentence that follows from the source, where nobody explained the error."""
        return source_explanation(self.body())

    @cached_property
    def slug(self) -> str:
        """The readable part of the record's address; safe in a URL as it stands."""
        return self.given_slug or slugify(self.error_message)

    @property
    def heading(self) -> str:
        """What heads the record wherever it is shown."""
        return self.title or self.error_message

    @property
    def safe_github_url(self) -> str | None:
        """The address of the source when it may become a link, else None."""
        return safe_url(self.github_url)

    @property
    def safe_references(self) -> list[str]:
        """Those references that may become links."""
        return [url for url in self.references or () if safe_url(url)]

    def body(self) -> dict[str, Any]:
        """The wire object: the input's keys and values as they were, and behind them
        `id`, `slug` and `messagePattern` where the input lacks the key.

        The dictionary is the caller's own; the lists in it are shared.
        """
        wire = self._wire
        body = self.model_dump(by_alias=True, exclude_unset=True) if wire is None else dict(wire)
        body.setdefault("id", self.id)
        body.setdefault("slug", self.slug)
        body.setdefault("messagePattern", self.pattern)
        return body


def safe_url(url: str | None) -> str | None:
    """`url` when it is an absolute http(s) address that shows where it leads, else None."""
    if url is None or not _WEB_ADDRESS.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and "@" not in parts.netloc and (parts.port or 0) >= 0
    except ValueError:
        return None
    return url if named else None
