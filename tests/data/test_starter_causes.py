"""The texts of causes in data/causes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from errdex.records.causes import MAX_TITLE, Cause, parse_cause
from errdex.records.files.reader import RawCause, RawRecord, read_records

DATA = Path(__file__).parents[2] / "data"
MANY = 5
"""Records of a cause from which on it must have a text."""
LONGEST_TITLE = 75


@pytest.fixture(scope="module")
def causes() -> dict[str, Cause]:
    found = list(read_records([DATA / "causes"]))
    assert [each for each in found if not isinstance(each, RawCause)] == []
    parsed = [parse_cause(each.value) for each in found]
    assert [tag for tag, n in Counter(each.tag for each in parsed).items() if n > 1] == []
    return {each.tag: each for each in parsed}


@pytest.fixture(scope="module")
def named() -> Counter[str]:
    records = (each for each in read_records([DATA]) if isinstance(each, RawRecord))
    return Counter(tag for each in records if (tag := each.value.get("backgroundTag")))


def test_every_cause_is_whole(causes):
    assert LONGEST_TITLE <= MAX_TITLE
    wrong = [
        each.tag
        for each in causes.values()
        if not (each.tell and len(each.checks) == 3 and len(each.title) <= LONGEST_TITLE)
    ]
    assert wrong == []


def test_every_cause_is_that_of_a_record_or_a_class(causes, named):
    of_a_class = {each.tag for each in causes.values() if each.classes}
    assert sorted(causes.keys() - named.keys() - of_a_class) == []


def test_no_class_has_two_causes(causes):
    counted = Counter(name for each in causes.values() for name in each.classes)
    assert [name for name, n in counted.items() if n > 1] == []


def test_every_cause_of_many_records_has_a_text(causes, named):
    assert sorted(tag for tag, n in named.items() if n >= MANY and tag not in causes) == []


def test_two_causes_never_have_one_title(causes):
    titles = Counter(each.title.casefold() for each in causes.values())
    assert [title for title, n in titles.items() if n > 1] == []
