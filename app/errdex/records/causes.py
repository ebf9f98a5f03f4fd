"""Causes: what several errors have behind them, whatever tool reports them.

A record names its cause in `backgroundTag`. A cause's text is written once, in a file of the same
formats as records:

    - tag: permission-denied
      title: Permission denied
      text: What is behind the errors.
      tell: How to distinguish them.
      checks:
        - What to look at first.
      classes:
        - python/PermissionError

`classes` are those of errors that no record may know, but whose class says this cause all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from errdex import lazy_re as re
from errdex.records.problems import Problem, RecordRefused, shown, type_name

CAUSE_KEYS = ("tag", "title", "text", "tell", "checks", "classes")
MAX_TAG = 300
"""Characters, as for a record's `backgroundTag`."""
MAX_TITLE = 120
MAX_TEXT = 8_000
MAX_CHECKS = 20
MAX_CLASSES = 200
_MARKS = frozenset({"tag", "text", "tell", "checks"})
_OF_A_RECORD = frozenset({"repo", "errorMessage", "messagePattern"})
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_BREAK = re.compile("[\t\n]")
_CLASS = re.compile(r"(?:\*|[a-z][a-z0-9+#:_-]{0,40})/[\w.:\\$*-]{0,200}")


@dataclass(frozen=True, slots=True)
class Cause:
    """The text of a cause."""

    tag: str
    """The `backgroundTag` of its records."""
    title: str
    text: str
    """What is behind its errors."""
    tell: str = ""
    """How to distinguish its errors."""
    checks: tuple[str, ...] = ()
    """What to look at, in this order."""
    classes: tuple[str, ...] = ()
    """Classes or codes of errors that have this cause, as `language/Class`: `*` stands for any
    language, or for any letters in the class; without a class, errors that have none."""

    def to_dict(self) -> dict[str, Any]:
        """The cause as it is written in a file, without what it lacks."""
        whole = {key: getattr(self, key) for key in CAUSE_KEYS}
        whole |= {"checks": list(self.checks), "classes": list(self.classes)}
        return {key: value for key, value in whole.items() if value}


def is_cause(value: Mapping[str, Any]) -> bool:
    """Whether an object in a file is meant as a cause, not as a record."""
    return not _MARKS.isdisjoint(value) and _OF_A_RECORD.isdisjoint(value)


def parse_cause(value: Mapping[str, Any]) -> Cause:
    """The cause that an object describes. Raises RecordRefused, which lists all problems."""
    problems = list(_find_problems(value))
    if problems:
        raise RecordRefused(problems)
    return Cause(
        tag=value["tag"],
        title=value["title"],
        text=value["text"].strip(),
        tell=(value.get("tell") or "").strip(),
        checks=tuple(each.strip() for each in value.get("checks") or ()),
        classes=tuple(value.get("classes") or ()),
    )


def _find_problems(value: Mapping[str, Any]) -> Iterator[Problem]:
    for key in value:
        if key not in CAUSE_KEYS:
            yield Problem(shown(str(key)), "is no key of a cause", f"use {', '.join(CAUSE_KEYS)}")
    yield from _find_string_problems("tag", value.get("tag"), MAX_TAG, one_line=True)
    yield from _find_string_problems("title", value.get("title"), MAX_TITLE, one_line=True)
    yield from _find_string_problems("text", value.get("text"), MAX_TEXT)
    if value.get("tell") is not None:
        yield from _find_string_problems("tell", value["tell"], MAX_TEXT)
    for name, most in (("checks", MAX_CHECKS), ("classes", MAX_CLASSES)):
        yield from _find_list_problems(name, value.get(name), most)


def _find_list_problems(field: str, value: object, most: int) -> Iterator[Problem]:
    if value is None:
        return
    if not isinstance(value, list):
        reason = f"expected a list, got {type_name(value)}"
        yield Problem(field, reason, "write a list of strings")
        return
    if len(value) > most:
        yield Problem(field, f"has {len(value):,} entries", f"keep the first {most}")
    for index, each in enumerate(value[:most]):
        yield from _find_string_problems(f"{field}[{index}]", each, MAX_TEXT)
        if field == "classes" and isinstance(each, str) and not _CLASS.fullmatch(each):
            reason = f"{shown(each)} is no language with a class"
            yield Problem(f"{field}[{index}]", reason, "write it as python/ValueError")


def _find_string_problems(
    field: str, value: object, longest: int, *, one_line: bool = False
) -> Iterator[Problem]:
    if value is None:
        yield Problem(field, "is missing", "write it")
    elif not isinstance(value, str):
        yield Problem(field, f"expected a string, got {type_name(value)}", "put it in quotes")
    elif not value.strip():
        yield Problem(field, "is empty", "write it")
    elif len(value) > longest:
        reason = f"has {len(value):,} characters"
        yield Problem(field, reason, f"shorten it to {longest:,}")
    elif _CONTROL.search(value) or (one_line and _BREAK.search(value)):
        kind = "a control character or a line break" if one_line else "a control character"
        yield Problem(field, f"contains {kind}", "remove it")
