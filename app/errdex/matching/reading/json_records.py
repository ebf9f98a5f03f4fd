"""Log records written as JSON objects, one a line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import orjson

from errdex import lazy_re as re
from errdex.matching.failure_words import says_failure
from errdex.matching.reading.escapes import (
    Mapped,
    Runs,
    composed,
    run_source,
    shifted_runs,
    unescape_json,
)
from errdex.matching.reading.prefixes import LOUD, level_name

MAX_JSON = 4_000_000
"""Longer lines are not read as JSON."""
_MAX_DEPTH = 5
_MAX_STACKS = 20
_MAX_SOUGHT = 100_000
_FEW = 2
"""Strings of a text that are looked for one by one."""
_OF_ERROR = re.compile(
    r"(?i:(?:.*[._-])?(?:err\w*|exception\w*|cause\w*|reason\w*|problem\w*|fail\w*|fault\w*|why"
    r"|expla\w*|detail\w*|diagnos\w*))"
)
"""A key of what an error says."""
_MAX_LOOKED_AT, _HEAD, _LEAST_SPACES = 200, 500, 1
"""Objects of one depth, and characters of a text, in which an error under a key of one's own is
looked for; spaces that make a text of words."""

_MESSAGE_KEYS = (
    "message", "msg", "log", "MESSAGE", "textPayload", "@message", "short_message", "@m",
    "full_message", "event", "body", "text", "@mt", "Message", "MSG", "line", "jsonPayload",
    "fields",
)  # fmt: skip
_LEVEL_KEYS = (
    "level", "severity", "log.level", "levelname", "lvl", "@l", "severity_text", "LogLevel",
    "Level", "PRIORITY", "loglevel",
)  # fmt: skip
_STACK_KEYS = frozenset({
    "exception", "stack", "stack_trace", "stacktrace", "stackTrace", "exc_info", "exc_text",
    "traceback", "error.stack_trace", "error.stack", "exception.stacktrace", "Exception", "@x",
    "errorStack", "trace",
})  # fmt: skip
_ERROR_KEYS = frozenset({
    "error", "err", "exception", "cause", "error.message", "exception.message", "errorMessage",
    "reason", "error_message", "Error", "detail", "errmsg", "errors",
})  # fmt: skip
_TYPE_KEYS = ("type", "class", "name", "kind", "exc_type", "errorType", "className")
_INNER_MESSAGES = ("message", "msg", "exc_value", "errorMessage", "errmsg")
_LETTERS = ("F", "E", "W", "I")
_NUMERIC_LEVELS = {10: "trace", 20: "debug", 30: "info", 40: "warning", 50: "error", 60: "fatal"}


class FieldText(NamedTuple):
    """A text that a record says, made of strings in its JSON."""

    text: str
    pieces: tuple[tuple[int, str], ...]
    """(offset in `text`, the string that stands there)."""
    outer: tuple[str, ...] = ()
    """The strings that hold the object as JSON, outermost first; none in a flat record."""


@dataclass(frozen=True, slots=True)
class StructuredRecord:
    """What a record says: its own text first, then each error or stack that it carries."""

    texts: tuple[FieldText, ...]
    level: str
    failed: bool
    """Whether it carries an error or a stack."""


def parse_json_record(text: str) -> StructuredRecord | None:
    """Read a JSON log line, nested ones too; None when it is not one."""
    if len(text) > MAX_JSON:
        return None
    value = _parse_object(text)
    return None if value is None else _Reader().read(value, ())


def _parse_object(text: str) -> dict[str, Any] | None:
    if text[-1:] != "}" and not text.rstrip().endswith("}"):
        return None
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return None
    return value if isinstance(value, dict) else None


class _Reader:
    """Collects what one record says."""

    def __init__(self) -> None:
        self.errors: list[FieldText] = []

    def read(self, value: dict[str, Any], outer: tuple[str, ...]) -> StructuredRecord | None:
        texts, level = self._message(value, outer, 0)
        self._add_errors(value, outer, 0)
        said = {field_text.text for field_text in texts}
        errors = [
            field_text
            for field_text in self.errors
            if field_text.text not in said
            and not any(_has_line(other, field_text) for other in self.errors)
        ]
        if not errors and (level in LOUD or not texts):
            errors = [
                each
                for each in _failures(value, outer, loud=level in LOUD)
                if each.text not in said
            ][:1]
        if not level and not texts and any(says_failure(each.text[:_HEAD]) for each in errors):
            level = "error"
        if not texts and not errors:
            return None
        return StructuredRecord((*texts, *errors), level, bool(self.errors or errors))

    def _message(
        self, value: dict[str, Any], outer: tuple[str, ...], depth: int
    ) -> tuple[list[FieldText], str]:
        level = _level(value)
        for key in _MESSAGE_KEYS:
            message = value.get(key)
            if isinstance(message, str):
                return self._message_text(message, outer, level, depth)
            if isinstance(message, dict):
                if depth >= _MAX_DEPTH:
                    return [], level
                inner, inner_level = self._message(message, outer, depth + 1)
                return inner, inner_level or level
        return [], level

    def _message_text(
        self, message: str, outer: tuple[str, ...], level: str, depth: int
    ) -> tuple[list[FieldText], str]:
        inner = _parse_object(message) if message[:1] == "{" and depth < _MAX_DEPTH else None
        if inner is not None:
            texts, inner_level = self._message(inner, (*outer, message), depth + 1)
            before = len(self.errors)
            self._add_errors(inner, (*outer, message), depth + 1)
            if texts or len(self.errors) > before:
                return texts, inner_level or level
        return [FieldText(message.rstrip("\r\n"), ((0, message),), outer)], level

    def _add(self, outer: tuple[str, ...], item: str, kind: object = None) -> None:
        if not item or len(self.errors) >= _MAX_STACKS:
            return
        if isinstance(kind, str) and kind:
            start = len(kind) + 2
            field_text = FieldText(f"{kind}: {item}", ((0, kind), (start, item)), outer)
        else:
            field_text = FieldText(item, ((0, item),), outer)
        if all(field_text.text != other.text for other in self.errors):
            self.errors.append(field_text)

    def _add_errors(self, value: dict[str, Any], outer: tuple[str, ...], depth: int) -> None:
        for key, item in value.items():
            if isinstance(item, str):
                if key in _STACK_KEYS or key in _ERROR_KEYS:
                    kind_key = key.replace("message", "type")
                    self._add(outer, item, value.get(kind_key) if kind_key != key else None)
            elif isinstance(item, dict):
                if depth < _MAX_DEPTH:
                    self._add_error_object(key, item, outer, depth)
            elif isinstance(item, list) and depth < _MAX_DEPTH:
                self._add_list(key, item, outer, depth)

    def _add_list(self, key: str, items: list[Any], outer: tuple[str, ...], depth: int) -> None:
        if key not in _STACK_KEYS and key not in _ERROR_KEYS:
            return
        lines = [line for line in items if isinstance(line, str)]
        if lines and len(self.errors) < _MAX_STACKS:
            starts = accumulate((len(line) + 1 for line in lines), initial=0)
            pieces = tuple(zip(starts, lines, strict=False))
            self.errors.append(FieldText("\n".join(lines), pieces, outer))
        for member in items[:_MAX_STACKS]:
            if isinstance(member, dict):
                self._add_error_object(key, member, outer, depth)

    def _add_error_object(
        self, key: str, item: dict[str, Any], outer: tuple[str, ...], depth: int
    ) -> None:
        stack = next((item[k] for k in _STACK_KEYS if _is_text(item.get(k))), None)
        message = next((item[k] for k in _INNER_MESSAGES if _is_text(item.get(k))), None)
        if stack is not None:
            self._add(outer, stack)
        elif message is not None and (key in _ERROR_KEYS or key in _STACK_KEYS):
            self._add(
                outer, message, next((item[k] for k in _TYPE_KEYS if _is_text(item.get(k))), None)
            )
        else:
            self._add_errors(item, outer, depth + 1)


def _failures(value: dict[str, Any], outer: tuple[str, ...], *, loud: bool) -> list[FieldText]:
    """The texts under any key that say that something failed, outer ones first. `loud`: the
    record is of an error, as otherwise its keys or values must show."""
    found: list[FieldText] = []
    shown = loud or _shows_failure(value)
    level: list[tuple[bool, dict[str, Any] | list[Any]]] = [(shown, value)]
    for _ in range(_MAX_DEPTH):
        inner: list[tuple[bool, dict[str, Any] | list[Any]]] = []
        for shown, each in level[:_MAX_LOOKED_AT]:
            members = each.items() if isinstance(each, dict) else (("", item) for item in each)
            for key, member in members:
                counts = shown or _OF_ERROR.fullmatch(key) is not None
                if isinstance(member, dict | list):
                    inner.append((counts, member))
                elif counts and isinstance(member, str) and _is_failure(member):
                    found.append(FieldText(member, ((0, member),), outer))
        level = inner
    return found[:_MAX_STACKS]


def _shows_failure(value: dict[str, Any]) -> bool:
    """Whether plain values of an answer say that it is one of a failure."""
    status = next((value[key] for key in ("status", "statusCode", "code") if key in value), None)
    return value.get("success", value.get("ok")) is False or (
        isinstance(status, int) and status // 100 in (4, 5)
    )


def _is_failure(text: str) -> bool:
    return text.count(" ") >= _LEAST_SPACES and says_failure(text[:_HEAD])


def _level(value: dict[str, Any]) -> str:
    for key in _LEVEL_KEYS:
        level = value.get(key)
        if isinstance(level, str) and len(level) < 20:
            return level_name(level)
        if isinstance(level, int):
            return _NUMERIC_LEVELS.get(level, "")
    letter = value.get("s")
    if letter in _LETTERS and "c" in value:  # MongoDB's component
        return level_name(letter)
    status = value.get("status")
    if isinstance(status, int) and status // 100 in (4, 5) and _is_text(value.get("error")):
        return "error"  # a server's answer
    log = value.get("log")
    if isinstance(log, dict) and isinstance(log.get("level"), str):
        return level_name(log["level"])
    return ""


def _has_line(stack: FieldText, field_text: FieldText) -> bool:
    """Whether a stack has the error's message as a line of its own."""
    if len(stack.text) <= len(field_text.text):
        return False
    return f"\n{field_text.text}\n" in f"\n{stack.text}\n".replace("\r\n", "\n")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s{0,8}+:)?+', re.DOTALL)


def locate_field_text(raw: str, field_text: FieldText, base: int) -> Mapped:
    """Where a record's text stands in the line it was read from, which begins at `base`."""
    whole = Mapped(raw, ((0, base),))
    for holder in field_text.outer:
        whole = _string_in(whole, holder)
    runs: list[tuple[int, int]] = []
    pieces = field_text.pieces
    several = _strings_in(whole, {value for _, value in pieces}) if len(pieces) > _FEW else {}
    for start, value in pieces:
        found = several[value] if several else _string_in(whole, value).runs
        runs += [(start + column, source) for column, source in found]
    end = len(field_text.text)
    return Mapped(field_text.text, tuple(run for run in runs if run[0] <= end))


def _string_in(whole: Mapped, value: str) -> Mapped:
    """The string of a JSON text that has this value."""
    plain = whole.text.find(f'"{value}"') if len(value) < _MAX_SOUGHT else -1
    if plain >= 0 and "\\" not in value and not _is_key(whole.text, plain + len(value) + 2):
        return Mapped(value, shifted_runs(whole.runs, plain + 1, plain + 1 + len(value)))
    for found in _STRING.finditer(whole.text):
        body = found.group(1)
        if found.group(2) or len(body) < len(value) or "\\" not in body:
            continue
        mapped = unescape_json(body, found.start(1))
        if mapped.text == value:
            return composed(mapped, whole.runs)
    return Mapped(value, ((0, run_source(whole.runs, 0)),))


def _strings_in(whole: Mapped, values: Collection[str]) -> dict[str, Runs]:
    """The same for many values in one pass: a list may have as many as the text has room for."""
    located = dict[str, Runs]()
    for found in _STRING.finditer(whole.text):
        body = found.group(1)
        mapped = unescape_json(body) if "\\" in body else Mapped(body)
        if not found.group(2) and mapped.text in values and mapped.text not in located:
            runs = shifted_runs(whole.runs, found.start(1), found.end(1))
            located[mapped.text] = composed(mapped, runs).runs
    unknown: Runs = ((0, run_source(whole.runs, 0)),)
    return {value: located.get(value, unknown) for value in values}


def _is_key(text: str, behind: int) -> bool:
    return text[behind : behind + 4].lstrip().startswith(":")


class FlatReader:
    """Reads the JSON lines that are most frequent: one object of plain values that says a
    message and no error. Remembers what the keys of a log's lines mean."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[str, str, bool] | None] = {}

    def read(self, raw: str) -> tuple[str, str] | None:
        """The message and the level; None when `parse_json_record` has to look."""
        if raw[-1:] != "}" or "\\" in raw or "[" in raw or raw.find("{", 1) > 0:
            return None
        try:
            value = orjson.loads(raw)
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            return None
        keys = tuple(value)
        if keys not in self._known:
            self._known[keys] = _flat_keys(value)
        found = self._known[keys]
        if found is None:
            return None
        message = value[found[0]]
        if type(message) is not str:
            return None
        level = value[found[1]] if found[1] else ""
        if found[2] and type(level) is str and level_name(level) in LOUD:
            return None
        if type(level) is str:
            return (message, level_name(level)) if len(level) < 20 else None
        return (message, _NUMERIC_LEVELS.get(level, "")) if type(level) is int else None


def _flat_keys(value: dict[str, Any]) -> tuple[str, str, bool] | None:
    """The keys of message and level, and whether there are others; None when these may hold an
    error."""
    if any(key in _STACK_KEYS or key in _ERROR_KEYS for key in value):
        return None
    message = next((key for key in _MESSAGE_KEYS if key in value), None)
    levels = [key for key in _LEVEL_KEYS if key in value]
    if message is None or len(levels) > 1:
        return None
    return message, levels[0] if levels else "", len(value) > 1 + len(levels)
