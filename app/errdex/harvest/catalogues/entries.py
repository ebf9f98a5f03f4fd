"""What a catalogue of messages says: its entries, each with its key, text and line.

Properties are read as `java.util.Properties.load` does; of JSON the plain forms are read:
objects, nested or in a list, of keys and messages, and objects that have a `message`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from errdex import lazy_re as re
from errdex.harvest.model import SourceUnreadable

MAX_DEPTH = 40
"""Objects and lists within one another; what is deeper is data of another kind."""
LEAST_PLAIN = 0.8
"""Share of messages among the values of a JSON file that is a catalogue."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_MESSAGE_KEYS = ("message", "msg", "defaultMessage")
_CODE_KEYS = ("code", "errorCode", "error_code", "name")
_STATUS_KEYS = ("status", "statusCode", "status_code", "httpStatus", "http_status")
_OF_A_MESSAGE = frozenset(
    {*_MESSAGE_KEYS, *_CODE_KEYS, *_STATUS_KEYS, "description", "level", "severity"}
    | {"placeholders"}
)
"""Members of an object that is one message."""
_CODE = re.compile(r"[\w.:/-]{1,100}")
_STATUS = re.compile(r"[1-5]\d\d")
_KEY = re.compile(r"(?:[^\\ \t\f:=]|\\.)*")
_VALUE_START = re.compile(r"[ \t\f]*[:=]?[ \t\f]*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.?)", re.DOTALL)
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of a catalogue."""

    key: str
    """The keys on the way to it, joined by dots."""
    text: str
    line: int
    """Where the key stands."""
    code: str | None = None
    """As the catalogue itself gives it beside the message."""
    status: int | None = None


def read_properties(source: str) -> list[Entry]:
    """The entries of a properties file. The last one of a key is the one that counts."""
    entries: dict[str, Entry] = {}
    for line, text in _logical_lines(source):
        key, value = (_unescaped(part) for part in _divided(text))
        entries[key] = Entry(key, value, line)
    return sorted(entries.values(), key=lambda entry: entry.line)


def _divided(text: str) -> tuple[str, str]:
    """Key and value of a line, their escapes as they are."""
    key = _KEY.match(text)
    end = key.end() if key else 0
    start = _VALUE_START.match(text, end)
    return text[:end], text[start.end() if start else end :]


def _logical_lines(source: str) -> Iterator[tuple[int, str]]:
    """Lines with those that continue them, without comments, each with its number."""
    lines = enumerate(source.split("\n"), 1)
    for number, line in lines:
        text = line.lstrip(" \t\f")
        if not text or text[0] in "#!":
            continue
        pieces = [text]
        while _goes_on(pieces[-1]):
            pieces[-1] = pieces[-1][:-1]
            pieces.append(next(lines, (0, ""))[1].lstrip(" \t\f"))
        yield number, "".join(pieces)


def _goes_on(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _unescaped(text: str) -> str:
    def resolved(found: re.Match[str]) -> str:
        escaped = found[1]
        if len(escaped) == 5:
            return chr(int(escaped[1:], 16))
        return _ESCAPED.get(escaped, escaped)

    return _ESCAPE.sub(resolved, text) if "\\" in text else text


_Content: TypeAlias = "str | int | dict[str, _Value] | list[_Value] | None"


@dataclass(slots=True)
class _Value:
    """A value of a JSON file: a text, a number, or the members of an object or list; None for
    other data."""

    line: int
    content: _Content


def read_json(source: str) -> list[Entry] | None:
    """The entries of a JSON file, None when its form is not that of a catalogue. Raises
    SourceUnreadable."""
    try:
        json.loads(source)
    except (ValueError, RecursionError) as error:
        raise SourceUnreadable(str(error)) from error
    whole = _parsed(source)
    if whole is None or not isinstance(whole.content, dict | list):
        return None
    entries: list[Entry] = []
    others = _collect(whole, (), entries)
    is_plain = len(entries) >= LEAST_PLAIN * (len(entries) + others)
    return entries if entries and is_plain else None


def _parsed(source: str) -> _Value | None:
    """A valid JSON text as values that know their lines. None when it is nested too deeply."""
    line, position = 1, 0
    open_values: list[_Value] = []
    key: _Value | None = None
    whole: _Value | None = None
    for token in _TOKEN.finditer(source):
        line += source.count("\n", position, token.start())
        position, sign = token.start(), token.group()
        if sign in "]}":
            open_values.pop()
            key = None
            continue
        if sign in ":,":
            key = None if sign == "," else key
            continue
        value = _Value(line, _content(sign))
        holder = open_values[-1].content if open_values else None
        if isinstance(holder, dict):
            if key is None:
                key = value
                continue
            holder[str(key.content)] = _Value(key.line, value.content)
            value = holder[str(key.content)]
        elif isinstance(holder, list):
            holder.append(value)
        else:
            whole = value
        key = None
        if sign in "[{":
            open_values.append(value)
            if len(open_values) > MAX_DEPTH:
                return None
    return whole


def _content(sign: str) -> _Content:
    if sign == "{":
        return {}
    if sign == "[":
        return []
    return str(json.loads(sign)) if sign[0] == '"' else int(sign) if sign.isdecimal() else None


def _collect(value: _Value, keys: tuple[str, ...], entries: list[Entry]) -> int:
    """Put the messages below a value into `entries`. Returns how many values are none."""
    members = value.content
    if isinstance(members, list):
        # Texts without keys are not messages of their own.
        return sum(
            _collect(each, keys, entries) if isinstance(each.content, dict | list) else 1
            for each in members
        )
    if not isinstance(members, dict):
        return 1
    if members.keys() <= _OF_A_MESSAGE:
        entry = _message(members, keys)
        if entry is not None:
            entries.append(entry)
            return 0
    others = 0
    for name, member in members.items():
        if isinstance(member.content, str):
            entries.append(Entry(".".join((*keys, name)), member.content, member.line))
        else:
            others += _collect(member, (*keys, name), entries)
    return others


def _message(members: dict[str, _Value], keys: tuple[str, ...]) -> Entry | None:
    """An object that is one message; None when it has none, or a code that is no code."""
    told = [each for name in _MESSAGE_KEYS if isinstance((each := members.get(name)), _Value)]
    codes = [str(members[name].content) for name in _CODE_KEYS if name in members]
    statuses = [str(members[name].content) for name in _STATUS_KEYS if name in members]
    if not told or not isinstance(told[0].content, str) or not all(map(_CODE.fullmatch, codes)):
        return None
    status = int(statuses[0]) if statuses and _STATUS.fullmatch(statuses[0]) else None
    code = codes[0] if codes else None
    return Entry(".".join(keys), told[0].content, told[0].line, code, status)
