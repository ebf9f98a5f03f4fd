"""A `.yaml` file: records or lists of them, in one document or several, read whole.

Only what JSON would read as null, true, false or a number is that; every other plain scalar is a
string. So `yes`, `0123`, `0x1f`, `1:30`, `1e5` and `2026-08-28` are strings, which is what an
error code or a version means. (A number's exponent needs a point or a sign before it, as in
YAML 1.1: commit ids look like `1234e567`.) Tags and merge keys are refused.

The text is cut at the `---` lines first, so that where one document is no YAML, the next is read.
The size of an alias counts each time, so that no nest of aliases becomes larger than a record may.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import yaml

from errdex import lazy_re as re
from errdex.records.extra_values import MAX_DEPTH
from errdex.records.files.json_values import not_finite, twice
from errdex.records.files.raw import FileEntry, nothing_there, read_whole, too_long
from errdex.records.problems import Problem, shown

_TAG = "tag:yaml.org,2002:"
_NODE_BYTES = 8
"""What a node counts beside its text."""
_INDICATORS = b"[{,:-?"
"""Each value begins behind one of these, a key and its value behind one together."""
MAX_INDICATORS = 500_000
"""In one document: libyaml's tree takes some 300 bytes for a value of two characters."""
_DOCUMENT_START = re.compile(rb"^---(?=\s|\Z)", re.MULTILINE)
_HEAD = re.compile(rb"(?:\A|^\.\.\.[^\n]*\n)(?:[%#][^\n]*\n|[ \t\r]*\n)*", re.MULTILINE)
"""Where directives (`%YAML 1.2`) may be. They say nothing that matters here."""
_DIRECTIVE = re.compile(rb"^%", re.MULTILINE)
_ENTRY = re.compile(rb"^-(?=\s)", re.MULTILINE)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """libyaml's loader where PyYAML has it, some ten times as fast, with JSON's scalars."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 (PyYAML's way of a class of its own)


for _name, _pattern, _first in (
    ("null", r"(?:~|null|Null|NULL|)\Z", ["~", "n", "N", ""]),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)\Z", list("tTfF")),
    ("int", r"-?(?:0|[1-9][0-9]*)\Z", list("-0123456789")),
    (
        "float",
        r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+][0-9]+)"
        r"|\.(?:nan|NaN|NAN)|[-+]?\.(?:inf|Inf|INF))\Z",
        list("-+.0123456789"),
    ),
):
    _Loader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(_pattern), _first)


def read_yaml(stream: io.BufferedReader, limit: int) -> Iterator[FileEntry]:
    """Yield each document's value, or the entries of its list. `limit` is in characters a record.
    Raises InputDamaged."""
    anything = False
    for line, text in _split(read_whole(stream)):
        for found in _read_document(text, line, limit):
            anything = True
            yield found
    if not anything:
        yield FileEntry(1, None, None, nothing_there())


def _split(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Each document with the number of its first line. A `---` line ends a document wherever it
    is, even inside of quotes, so that cutting there needs no parser."""
    cuts = [0, *(found.start() for found in _DOCUMENT_START.finditer(text)), len(text)]
    line = 1
    for start, end in pairwise(cuts):
        document = text[start:end]
        yield line, _HEAD.sub(lambda head: _DIRECTIVE.sub(b"#", head.group()), document)
        line += document.count(b"\n")


def _read_document(text: bytes, first_line: int, limit: int) -> Iterator[FileEntry]:
    if sum(text.count(indicator) for indicator in _INDICATORS) > MAX_INDICATORS:
        reason = f"has more than {MAX_INDICATORS:,} values in one document"
        remedy = "write one record a line, as JSON, and name the file .jsonl, or make several files"
        yield FileEntry(first_line, None, None, Problem("", reason, remedy))
        return
    try:
        nodes = _compose(text)
    except (yaml.YAMLError, RecursionError) as error:
        yield from _read_before(text, error, first_line, limit)
        yield FileEntry(first_line + _line_of(text, error), None, None, _syntax_problem(error))
        return
    for node in nodes:
        yield from _read_root(node, _Values(first_line, limit))


def _compose(text: bytes) -> list[yaml.Node]:
    loader = _Loader(text)
    nodes: list[yaml.Node] = []
    try:
        while loader.check_node():
            nodes.append(loader.get_node())
    finally:
        loader.dispose()
    return nodes


def _read_before(text: bytes, error: Exception, first_line: int, limit: int) -> Iterator[FileEntry]:
    """The entries of a list before the one that is no YAML, as far as it shows which one."""
    for mark in (_line_of(text, error), getattr(getattr(error, "context_mark", None), "line", 0)):
        entries = [each.start() for each in _ENTRY.finditer(text)]
        before = [start for start in entries if text.count(b"\n", 0, start) <= mark]
        if before:
            try:
                nodes = _compose(text[: before[-1]])
            except (yaml.YAMLError, RecursionError):
                continue
            for node in nodes:
                yield from _read_root(node, _Values(first_line, limit))
            return


def _line_of(text: bytes, error: Exception) -> int:
    """The line that the parser complains of, counted from 0."""
    if mark := getattr(error, "problem_mark", None):
        return int(mark.line)
    return text.count(b"\n", 0, getattr(error, "position", None) or 0)


def _syntax_problem(error: Exception) -> Problem:
    if isinstance(error, RecursionError):
        return Problem("", "is nested too deeply", "flatten it")
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    remedy = "fix it there: nothing behind it in this document could be read"
    if "mapping values are not allowed" in said:
        remedy = "put a string that holds “: ” in quotes; " + remedy
    return Problem("", f"is not YAML: {shown(str(said), 200)}", remedy)


def _read_root(root: yaml.Node, values: _Values) -> Iterator[FileEntry]:
    if isinstance(root, yaml.ScalarNode) and root.value == "" and not root.style:
        return
    for node in root.value if isinstance(root, yaml.SequenceNode) else [root]:
        yield values.read(node)


class _Refused(Exception):
    """What is wrong with a value."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


class _Values:
    """Builds the values of one document. What aliases stand for is built once and shared."""

    def __init__(self, first_line: int, limit: int) -> None:
        self._first_line = first_line
        self._limit = limit
        self._size = 0
        self._built: dict[yaml.Node, tuple[object, int]] = {}

    def read(self, node: yaml.Node) -> FileEntry:
        """The record of a node, or what is wrong with it."""
        self._size = 0
        try:
            return FileEntry(self._line(node), None, self._build(node, 1))
        except _Refused as refused:
            return FileEntry(self._line(node), None, None, refused.problem)

    def _line(self, node: yaml.Node) -> int:
        return self._first_line + int(node.start_mark.line)

    def _build(self, node: yaml.Node, depth: int) -> object:
        if depth > MAX_DEPTH + 2:  # an alias inside of what it stands for ends here too
            raise self._refusal(node, f"is nested more than {MAX_DEPTH} deep", "flatten it")
        before = self._size
        if node in self._built:
            value, size = self._built[node]
            self._count(size)
            return value
        self._count(_NODE_BYTES)
        if isinstance(node, yaml.ScalarNode):
            self._count(len(node.value))
            return self._scalar(node)
        if node.tag not in (f"{_TAG}map", f"{_TAG}seq"):
            raise self._refusal(node, f"has the tag {shown(node.tag)}", "leave the tag out")
        if isinstance(node, yaml.SequenceNode):
            value = [self._build(each, depth + 1) for each in node.value]
        elif isinstance(node, yaml.MappingNode):
            value = self._mapping(node, depth)
        self._built[node] = value, self._size - before
        return value

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, object]:
        mapping: dict[str, object] = {}
        for key_node, value_node in node.value:
            key = self._build(key_node, depth + 1)
            if not isinstance(key, str):
                scalar = isinstance(key_node, yaml.ScalarNode)
                written = key_node.value if scalar else "a list or object"
                reason = f"has the key {shown(written)}, which is not a string"
                raise self._refusal(key_node, reason, "put it in quotes")
            if key == "<<" and not key_node.style:
                reason = "merges another object with <<"
                raise self._refusal(key_node, reason, "write its keys out")
            if key in mapping:
                raise _Refused(twice(key))
            mapping[key] = self._build(value_node, depth + 1)
        return mapping

    def _scalar(self, node: yaml.ScalarNode) -> object:
        text = node.value
        match node.tag.removeprefix(_TAG):
            case "str":
                return text
            case "null":
                return None
            case "bool" if text.lower() in ("true", "false"):
                return text.lower() == "true"
            case "int" | "float" as kind:
                return self._number(node, kind)
        raise self._refusal(node, f"has the tag {shown(node.tag)}", "leave the tag out")

    def _number(self, node: yaml.ScalarNode, kind: str) -> int | float:
        text = node.value
        try:
            number = int(text) if kind == "int" else float(re.sub(r"\.(?=[niNI])", "", text))
        except ValueError:  # Python's bound on the digits of a number, or a tag that is wrong
            reason = "holds a number of too many digits"
            raise self._refusal(node, reason, "put it in quotes") from None
        if not math.isfinite(number):
            raise _Refused(not_finite(text))
        return number

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._limit:
            raise _Refused(too_long(self._limit))

    def _refusal(self, node: yaml.Node, reason: str, remedy: str) -> _Refused:
        return _Refused(Problem("", f"{reason} (line {self._line(node)})", remedy))
