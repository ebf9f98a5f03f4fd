"""Checks of the commands of a fix: they hold what a paste says, where the message has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from errdex import lazy_re as re
from errdex.ingest.pattern_checks import compile_once
from errdex.matching.patterns.pattern import PatternRefused
from errdex.records.messages.filling import code_of, code_ranges, is_command
from errdex.records.messages.holes import literal_text
from errdex.records.messages.texts import holes_of, language_of_snippet
from errdex.records.model import Record
from errdex.records.problems import shown

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|\{\{[^{}\n]*\}\}")
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]*\}\}")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_CAPITALS = re.compile(r"(?<![\w$%{./-])[A-Z][A-Z0-9]+(?:[_-][A-Z0-9]+)*(?![\w=(}…-])")
_OPTION = re.compile(r"(?:^|\s)-\w+:\S+")
"""An option with a value that the tool defines, as `-sTCP:LISTEN`."""
_ENVIRONMENT = re.compile(r"(?:unset|export|env -u)\s")
"""What is named behind it is the tool's own variable."""
_ENCODING = re.compile(r"[A-Z]+-\d+")
_SIDE = re.compile(
    r"[ \t]*(?:#|//|--)[ \t]*(?P<side>before|bad|wrong|broken|after|good|right|fixed)\b",
    re.IGNORECASE,
)
_WRONG = frozenset({"before", "bad", "wrong", "broken"})
_REVISIONS = frozenset({"HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD"})
"""What Git itself writes in capitals."""
_LEAST = 3
"""Characters of a captured value that says whose sample it is."""
_SHELLS = ("sh", "bash", "shell", "console", "powershell")


class _Command(NamedTuple):
    field: str
    text: str
    prose: str
    """The sentences around it. What they name is the case that the command is for."""


def find_fix_warnings(record: Record) -> Iterator[str]:
    """Warnings about the commands of a record whose message has holes, as phrases: a bare
    placeholder in capitals, and a value of the record's own samples. A word that the sentences
    around a command name as well is neither: they say which case it is for."""
    if not holes_of(record.pattern, record.error_message):
        return
    commands = list(_commands(record))
    if not commands:
        return
    values = set(_sample_values(record))
    own = set(literal_text(record.error_message).split())
    for field, command, prose in commands:
        for word in dict.fromkeys(_placeholders(command)):
            if word not in own and not _names(word, prose):
                yield f"{field}: {shown(command)} has the bare placeholder {word}"
        for value in sorted(values):
            if _is_argument(value, command) and not _names(value, prose):
                yield f"{field}: {shown(command)} has the name {shown(value)} of a sample"


def _placeholders(command: str) -> Iterator[str]:
    if _ENVIRONMENT.match(command):
        return
    for word in _CAPITALS.findall(_OPTION.sub(" ", _QUOTED.sub(" ", command))):
        if word not in _REVISIONS and not _ENCODING.fullmatch(word):
            yield word


def _commands(record: Record) -> Iterator[_Command]:
    general = f"{record.documentation or ''} {record.common_situations or ''}"
    everything = [_without_code(general)]
    for place, text in enumerate(record.solutions or ()):
        prose = _without_code(text)
        everything.append(prose)
        for code, language in code_of(text):
            if language in _SHELLS and is_command(code):
                yield _Command(
                    f"solutions[{place}]", _uncommented(code), f"{prose} {everything[0]}"
                )
    example = record.example_fix or ""
    if language_of_snippet(example, None) == "bash":
        for line in _right_lines(example):
            yield _Command("exampleFix", _uncommented(line), " ".join(everything))


def _without_code(text: str) -> str:
    parts: list[str] = []
    place = 0
    for code in code_ranges(text):
        parts.append(text[place : code.start])
        place = code.end
    return " ".join([*parts, text[place:]])


def _uncommented(code: str) -> str:
    return "\n".join(_COMMENT.sub("", line) for line in code.split("\n"))


def _right_lines(example: str) -> Iterator[str]:
    """The lines of an example that are to be run: those of its "before" are what failed."""
    wrong = False
    for line in example.split("\n"):
        if side := _SIDE.match(line):
            wrong = side["side"].lower() in _WRONG
        elif line.strip() and not wrong:
            yield line


def _sample_values(record: Record) -> Iterator[str]:
    try:
        pattern = compile_once(record.pattern)
    except PatternRefused:
        return
    for sample in record.samples or ():
        found = pattern.search(sample)
        for span in found.groups if found else ():
            value = sample[span[0] : span[1]].strip() if span else ""
            if len(value) >= _LEAST and not value.isdecimal():
                yield value


def _is_argument(value: str, command: str) -> bool:
    """Whether a command has the value as an argument of its own: an option, a variable, the
    program that runs, and the last part of a longer path are none."""
    if value.startswith("-"):
        return False
    command = _PLACEHOLDER.sub(" ", command)
    for found in re.finditer(rf"(?<![\w./$-]){re.escape(value)}(?![\w*-]|\.\w)", command):
        before = command[: found.start()].strip()
        if before and before not in ("sudo", "env"):
            return True
    return False


def _names(word: str, prose: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", prose, re.IGNORECASE))
