"""Log records written as data: JSON objects and logfmt pairs, one a line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import orjson

from app.matching.reading.prefixes import level_name

MAX_JSON = 4_000_000
"""Longer lines are not read as JSON."""
_MAX_DEPTH = 5
_MAX_STACKS = 20

_MESSAGE_KEYS = (
    "message", "msg", "log", "MESSAGE", "textPayload", "@message", "short_message", "@m",
    "full_message", "event", "body", "text", "@mt", "Message", "MSG", "line",
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
    "reason", "error_message", "Error", "detail",
})  # fmt: skip
_TYPE_KEYS = ("type", "class", "name", "kind", "exc_type", "errorType", "className")
_NUMERIC_LEVELS = {10: "trace", 20: "debug", 30: "info", 40: "warning", 50: "error", 60: "fatal"}


@dataclass(frozen=True, slots=True)
class StructuredRecord:
    """What a record says: its own text first, then each error or stack that it carries."""

    texts: tuple[str, ...]
    level: str


def parse_json_record(text: str) -> StructuredRecord | None:
    """Read a JSON log line, nested ones too; None when it is not one."""
    if len(text) > MAX_JSON or not text.endswith("}"):
        return None
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return None
    if not isinstance(value, dict):
        return None
    return _read_object(value, 0)


def _read_object(value: dict[str, Any], depth: int) -> StructuredRecord | None:
    message = next(
        (value[key] for key in _MESSAGE_KEYS if isinstance(value.get(key), str | dict)), None
    )
    level = _level(value)
    texts: list[str] = []
    if isinstance(message, dict):
        inner = _read_object(message, depth + 1) if depth < _MAX_DEPTH else None
        texts += inner.texts if inner else ()
    elif message is not None:
        message = message.rstrip("\r\n")
        inner = None
        if depth < _MAX_DEPTH and message.startswith("{"):
            inner = parse_nested(message, depth + 1)
        texts += inner.texts if inner else (message,)
        level = (inner.level if inner else "") or level
    _add_errors(value, texts, depth)
    return StructuredRecord(tuple(texts), level) if texts else None


def parse_nested(text: str, depth: int) -> StructuredRecord | None:
    """A JSON object inside a JSON string."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return _read_object(value, depth) if isinstance(value, dict) else None


def _level(value: dict[str, Any]) -> str:
    for key in _LEVEL_KEYS:
        level = value.get(key)
        if isinstance(level, str) and len(level) < 20:
            return level_name(level)
        if isinstance(level, int):
            return _NUMERIC_LEVELS.get(level, "")
    log = value.get("log")
    if isinstance(log, dict) and isinstance(log.get("level"), str):
        return level_name(log["level"])
    return ""


def _add_errors(value: dict[str, Any], texts: list[str], depth: int) -> None:
    for key, item in value.items():
        if len(texts) >= _MAX_STACKS:
            return
        if isinstance(item, str):
            if item and (key in _STACK_KEYS or key in _ERROR_KEYS) and item not in texts:
                kind = value.get(key.replace("message", "type"))
                named = key != key.replace("message", "type") and isinstance(kind, str)
                texts.append(f"{kind}: {item}" if named else item)
        elif isinstance(item, dict) and depth < _MAX_DEPTH:
            _add_error_object(key, item, texts, depth)
        elif isinstance(item, list) and (key in _STACK_KEYS or key in _ERROR_KEYS):
            lines = [line for line in item if isinstance(line, str)]
            if lines:
                texts.append("\n".join(lines))
            for member in item[:_MAX_STACKS]:
                if isinstance(member, dict):
                    _add_error_object(key, member, texts, depth)


def _add_error_object(key: str, item: dict[str, Any], texts: list[str], depth: int) -> None:
    stack = next((item[k] for k in _STACK_KEYS if isinstance(item.get(k), str)), None)
    message = next(
        (item[k] for k in ("message", "msg", "exc_value", "errorMessage") if _text(item.get(k))),
        None,
    )
    if stack:
        texts.append(stack)
    elif message is not None and (key in _ERROR_KEYS or key in _STACK_KEYS):
        kind = next((item[k] for k in _TYPE_KEYS if _text(item.get(k))), None)
        texts.append(f"{kind}: {message}" if kind else message)
    elif depth < _MAX_DEPTH:
        _add_errors(item, texts, depth + 1)


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


_PAIR = re.compile(
    r"(?:^|(?<= ))(level|lvl|severity|msg|message|err|error|exception|stack|stacktrace|reason|cause)="
    r"(?:\"((?:[^\"\\]|\\.)*+)\"|([^\s\"]\S*+))"
)
_LOGFMT_SIGN = re.compile(
    r"(?:^|(?:^|\s)[\w.@-]{1,40}=(?:\"[^\"\n]{0,200}\"|\S{1,200}) )(?:[^\n]{0,400} )?msg="
)


def is_logfmt(text: str) -> bool:
    """Whether a line that contains `msg=` is of logfmt's form: pairs from its start on."""
    return _LOGFMT_SIGN.match(text[:1000]) is not None


def parse_logfmt(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The level, and each text of a logfmt line with its offset in the line, still escaped."""
    level = ""
    texts: list[tuple[int, str]] = []
    for found in _PAIR.finditer(text):
        key = found.group(1)
        group = 2 if found.group(2) is not None else 3
        value = found.group(group)
        if key in ("level", "lvl", "severity"):
            level = level_name(value)
        elif value and value not in ("nil", "null", "<nil>", "none", "None", "false", "0"):
            item = (found.start(group), value)
            texts.insert(0, item) if key in ("msg", "message") else texts.append(item)
    return level, texts[:_MAX_STACKS]
