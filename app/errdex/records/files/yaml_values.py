"""YAML's events to values of JSON's types: scalars, repeated keys, aliases, tags.

Only what JSON would read as null, true, false or a number is that; every other plain
scalar is a text. So `yes`, `0123`, `0x1f`, `1:30`, `1e5` and `2026-08-28` stay what
is written, which is what an error code or a version means. (A number's exponent
needs a point or a sign before it, as in YAML 1.1: commit ids look like `1234e567`.)

Tags and merge keys are refused. An alias stands for what its anchor marks, and its
size counts each time, so that no nest of aliases becomes larger than a record may.
"""

from __future__ import annotations

import math
import re
from typing import Protocol

import yaml

from errdex.records.extra_values import MAX_DEPTH
from errdex.records.files.json_values import not_finite, twice
from errdex.records.files.raw import too_long
from errdex.records.problems import Problem, shown

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+][0-9]+)")
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NOT_FINITE = frozenset(
    {".nan", ".NaN", ".NAN"}
    | {f"{sign}.{inf}" for sign in ("", "-", "+") for inf in ("inf", "Inf", "INF")}
)
_NEUTRAL_TAGS = frozenset({None, "!"})
_TEXT_TAG = "tag:yaml.org,2002:str"
_NODE_BYTES = 8
"""What a node counts beside its text."""


class EventSource(Protocol):
    """A YAML parser, of libyaml or in Python."""

    def get_event(self) -> yaml.Event:
        """The next event."""


class ValueBuilder:
    """Builds one value after the other from the events of a document."""

    def __init__(self, events: EventSource, limit: int) -> None:
        self._events = events
        self._limit = limit
        self._anchors: dict[str, tuple[object, int]] = {}
        self._anchored = 0
        self._size = 0
        self._problem: Problem | None = None

    def build(self, event: yaml.Event) -> tuple[object, Problem | None]:
        """The value that begins with `event`, and what is wrong with it, if it is.
        Either way its events are used up. Raises yaml.YAMLError."""
        self._size = 0
        self._problem = None
        value = self._node(event, 1)
        return value, self._problem

    def _node(self, event: yaml.Event, depth: int) -> object:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        size_before = self._size
        self._count(_NODE_BYTES)
        value: object
        if isinstance(event, yaml.ScalarEvent):
            self._count(len(event.value))
            value = self._scalar(event)
        elif depth > MAX_DEPTH + 2:
            self._refuse(event, f"is nested more than {MAX_DEPTH} deep", "flatten it")
            self._skip_inside()
            return None
        elif isinstance(event, yaml.SequenceStartEvent):
            self._check_tag(event)
            value = self._sequence(depth)
        else:
            self._check_tag(event)
            value = self._mapping(depth)
        if event.anchor is not None:  # type: ignore[attr-defined]
            self._remember(event.anchor, value, self._size - size_before)  # type: ignore[attr-defined]
        return value

    def _sequence(self, depth: int) -> list[object]:
        items = []
        while not isinstance(event := self._events.get_event(), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return items

    def _mapping(self, depth: int) -> dict[str, object]:
        mapping: dict[str, object] = {}
        while not isinstance(event := self._events.get_event(), yaml.MappingEndEvent):
            key = self._key(event, depth)
            if key in mapping:
                self._problem = self._problem or twice(key)
            mapping[key] = self._node(self._events.get_event(), depth + 1)
        return mapping

    def _key(self, event: yaml.Event, depth: int) -> str:
        key = self._node(event, depth + 1)
        if key == "<<" and isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
            self._refuse(event, "merges another object with <<", "write its keys out")
        if isinstance(key, str):
            return key
        written = event.value if isinstance(event, yaml.ScalarEvent) else "a list or object"
        self._refuse(
            event, f"has the key {shown(written)}, which is not a text", "put it in quotes"
        )
        return ""

    def _scalar(self, event: yaml.ScalarEvent) -> object:
        text = event.value
        if event.tag == _TEXT_TAG or (event.tag in _NEUTRAL_TAGS and not event.implicit[0]):
            return text
        self._check_tag(event)
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _INTEGER.fullmatch(text):
            return self._integer(event, text)
        if text in _NOT_FINITE or (_FLOAT.fullmatch(text) and math.isinf(float(text))):
            self._problem = self._problem or not_finite(text)
            return None
        return float(text) if _FLOAT.fullmatch(text) else text

    def _integer(self, event: yaml.Event, digits: str) -> int | None:
        try:
            return int(digits)
        except ValueError:  # Python's bound on the digits of a number
            self._refuse(event, "holds a number of too many digits", "put it in quotes")
            return None

    def _check_tag(self, event: yaml.Event) -> None:
        tag = event.tag  # type: ignore[attr-defined]
        if tag not in _NEUTRAL_TAGS and not tag.endswith((":map", ":seq")):
            self._refuse(event, f"has the tag {shown(tag)}", "leave the tag out")

    def _alias(self, event: yaml.AliasEvent) -> object:
        name = event.anchor or ""
        if name not in self._anchors:
            reason = f"refers to {shown(name)}, which is not marked before or lies too far above"
            self._refuse(event, reason, "write it out")
            return None
        value, size = self._anchors[name]
        self._count(size)
        return value

    def _remember(self, name: str, value: object, size: int) -> None:
        """Keep what is marked; the oldest gives way when that becomes much."""
        if name in self._anchors:
            self._anchored -= self._anchors.pop(name)[1]
        self._anchors[name] = (value, size)
        self._anchored += size
        while self._anchored > self._limit:
            oldest = next(iter(self._anchors))
            self._anchored -= self._anchors.pop(oldest)[1]

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._limit:
            self._problem = self._problem or too_long(self._limit)

    def _refuse(self, event: yaml.Event, reason: str, remedy: str) -> None:
        where = f" (line {event.start_mark.line + 1})" if event.start_mark else ""
        self._problem = self._problem or Problem("", reason + where, remedy)

    def _skip_inside(self) -> None:
        depth = 1
        while depth:
            event = self._events.get_event()
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
