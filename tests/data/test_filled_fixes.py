"""What a record's fix says when it is filled from the record's own samples.

A command that is shown to a reader must name the reader's things. So each record is filled from
each of its samples, and no command of the result may hold what another sample captured, or a
bare `NAME` where the record has a hole `{name}`. Examples in a program's language are not
commands: they show the shape of a change.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from tests.data.starter_records import compiled, load_starter_records
from tests.loops import for_each

from errdex.ingest.fix_checks import find_fix_warnings
from errdex.records.languages import LanguageKind, find_language
from errdex.records.messages.filling import fill_code, fill_prose, joined, language_of_span
from errdex.records.messages.holes import hole_names
from errdex.records.model import Record

pytestmark = pytest.mark.slow

EXCEPTIONS_FILE = Path(__file__).with_name("values_in_fixes.yaml")
_RUN = {LanguageKind.SHELL, LanguageKind.POWERSHELL, LanguageKind.SQL}
_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_AFTER = re.compile(r"^(?:#|//|--) after\b[^\n]*$", re.MULTILINE)
_NAMED = re.compile(r"(?<!\$)\{\{(\w+)\}\}")


class Listed(NamedTuple):
    """A word that may be in the commands of a record."""

    message: str
    value: str


@functools.cache
def _exceptions() -> dict[Listed, str]:
    """The reason for each."""
    entries = yaml.safe_load(EXCEPTIONS_FILE.read_text(encoding="utf-8"))
    return {Listed(each["record"], each["value"]): each["reason"] for each in entries}


def records_with_holes() -> Iterator[tuple[str, Record]]:
    for topic, record in load_starter_records():
        if hole_names(record.error_message):
            yield f"{topic}-{record.slug}", record


def captured(record: Record, sample: str) -> dict[str, str]:
    """What the record's pattern captures from a sample, by the names of the holes."""
    found = compiled(record.pattern).search(sample)
    assert found is not None
    names = hole_names(record.error_message)
    return {
        name: sample[slice(*span)]
        for name, span in reversed(list(zip(names, found.groups, strict=True)))
        if span is not None
    }


class Command(NamedTuple):
    """A piece of code that a reader may copy and run."""

    text: str
    kind: LanguageKind


def commands(record: Record, values: Mapping[str, str]) -> Iterator[Command]:
    """The commands of a record's fixes, filled."""
    names = frozenset(hole_names(record.error_message))
    for text in [*(record.solutions or []), *(record.prevention_tips or [])]:
        for span in _SPAN.finditer(joined(fill_prose(text, names, values))):
            language = find_language(language_of_span(span[2]))
            if language is not None:
                yield Command(span[2], language.kind)
    language = find_language(record.language or "sh")
    if record.example_fix and language is not None and language.kind in _RUN:
        filled = joined(fill_code(record.example_fix, language.name, names, values))
        yield Command(_AFTER.split(filled)[-1], language.kind)


def foreign_values(record: Record) -> Iterator[Listed]:
    """What commands hold that another sample captured, filled from each sample; and that any
    sample captured, filled from nothing."""
    of_samples = [captured(record, each) for each in record.samples or []]
    everything = {value for values in of_samples for value in values.values()}
    for values in (*of_samples, {}):
        own = {value for value in values.values() if value}
        others = {
            value
            for value in everything
            if len(value) > 2 and not any(value in each or each in value for each in own)
        }
        for command in commands(record, values):
            for value in others:
                if value in command.text and _stands_alone(value, command.text):
                    yield Listed(record.error_message, value)


def _stands_alone(value: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w./‹$-]){re.escape(value)}(?![\w-]|\.\w)", text))


def bare_names(record: Record) -> Iterator[Listed]:
    """Names of holes in capitals, in commands of a shell; what is in double quotes may be SQL,
    whose own words are in capitals."""
    names = {name.upper() for name in hole_names(record.error_message)}
    for command in commands(record, {}):
        if command.kind is LanguageKind.SQL:
            continue
        text = re.sub(r'"[^"]*"', "", command.text)
        for word in re.findall(r"(?<![\w$%{.-])[A-Z]{2,}(?![\w=%}])", text):
            if word in names:
                yield Listed(record.error_message, word)


@for_each(records_with_holes)
def test_no_command_holds_the_value_of_another_sample(record: Record) -> None:
    found = set(foreign_values(record)) - _exceptions().keys()
    assert not found, "write the hole, or list the value with its reason"


@for_each(records_with_holes)
def test_no_command_has_a_hole_as_a_bare_word(record: Record) -> None:
    found = set(bare_names(record)) - _exceptions().keys()
    assert not found, "write the hole, or list the word with its reason"


@for_each(records_with_holes)
def test_the_check_warns_of_no_command(record: Record) -> None:
    assert list(find_fix_warnings(record)) == []


@for_each(records_with_holes)
def test_only_holes_of_the_record_are_named(record: Record) -> None:
    names = set(hole_names(record.error_message))
    texts = [*(record.solutions or []), *(record.prevention_tips or []), record.example_fix or ""]
    for text in texts:
        assert set(_NAMED.findall(text)) <= names


def test_the_exceptions_are_needed_and_have_a_reason() -> None:
    needed = {
        each
        for _, record in records_with_holes()
        for each in (*foreign_values(record), *bare_names(record))
    }
    listed = _exceptions()
    assert set(listed) <= needed, set(listed) - needed
    assert all(len(reason.split()) > 3 for reason in listed.values())


def test_a_foreign_value_and_a_bare_name_are_found() -> None:
    record = next(
        each for _, each in load_starter_records() if each.error_message.startswith('"{release}"')
    )
    samples = ['Error: "web" has no deployed releases', 'Error: "api" has no deployed releases']
    right = record.model_copy(update={"samples": samples})
    assert list(foreign_values(right)) == list(bare_names(right)) == []
    wrong = {"solutions": ["Look at it: `helm history web`, `helm status RELEASE`."]}
    record = right.model_copy(update=wrong)
    assert {each.value for each in foreign_values(record)} == {"web"}
    assert {each.value for each in bare_names(record)} == {"RELEASE"}
