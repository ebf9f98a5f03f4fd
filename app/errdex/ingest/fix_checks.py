"""Checks of the commands of a fix: they hold what a paste says, where the message has it."""

from __future__ import annotations

from collections.abc import Iterator

from errdex import lazy_re as re
from errdex.matching.patterns.pattern import PatternRefused, compile_pattern
from errdex.records.filling import code_of, is_command
from errdex.records.holes import literal_text
from errdex.records.model import Record
from errdex.records.problems import shown
from errdex.records.texts import holes_of, language_of_snippet

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|\{\{[^{}\n]*\}\}")
_CAPITALS = re.compile(r"(?<![\w$%{.-])[A-Z][A-Z0-9]+(?:[_-][A-Z0-9]+)*(?![\w=(}-])")
_REVISIONS = frozenset({"HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD"})
"""What Git itself writes in capitals."""
_LEAST = 3
"""Characters of a captured value that says whose sample it is."""
_SHELLS = ("sh", "bash", "shell", "console", "powershell")


def find_fix_warnings(record: Record) -> Iterator[str]:
    """Warnings about the commands of a record whose message has holes, as phrases: a bare
    placeholder in capitals, and a value of the record's own samples."""
    if not holes_of(record.pattern, record.error_message):
        return
    commands = list(_commands(record))
    if not commands:
        return
    values = set(_sample_values(record))
    own = set(literal_text(record.error_message).split())
    for field, command in commands:
        bare = _QUOTED.sub(" ", command)
        for word in dict.fromkeys(_CAPITALS.findall(bare)):
            if word not in _REVISIONS and word not in own:
                yield f"{field}: {shown(command)} has the bare placeholder {word}"
        for value in sorted(values):
            if _names(value, command):
                yield f"{field}: {shown(command)} has the name {shown(value)} of a sample"


def _commands(record: Record) -> Iterator[tuple[str, str]]:
    for place, text in enumerate(record.solutions or ()):
        for code, language in code_of(text):
            if language in _SHELLS and is_command(code):
                yield f"solutions[{place}]", code
    example = record.example_fix or ""
    if language_of_snippet(example, None) == "bash":
        yield from (("exampleFix", line) for line in example.split("\n") if line.strip())


def _sample_values(record: Record) -> Iterator[str]:
    try:
        pattern = compile_pattern(record.pattern)
    except PatternRefused:
        return
    for sample in record.samples or ():
        found = pattern.search(sample)
        for span in found.groups if found else ():
            value = sample[span[0] : span[1]].strip() if span else ""
            if len(value) >= _LEAST and not value.isdecimal():
                yield value


def _names(value: str, command: str) -> bool:
    """Whether a command has the value as an argument of its own."""
    around = r"[\w.-]"
    found = re.search(rf"(?<!{around}){re.escape(value)}(?!{around})", command)
    return bool(found and found.start() > 0)
