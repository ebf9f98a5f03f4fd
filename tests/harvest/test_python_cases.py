"""What is found in Python: the cases of tests/cases/harvest/python.yaml, and hostile files."""

from __future__ import annotations

from typing import Any

import pytest
from tests.harvest.harvest_cases import as_written, cases_of

from errdex.harvest.languages.python.source import extract
from errdex.harvest.model import Extraction, SourceUnreadable

CASES = dict(cases_of("python"))


@pytest.mark.parametrize("name", CASES)
def test_all_that_a_source_says_is_found(name: str) -> None:
    case: dict[str, Any] = dict(CASES[name])

    found = as_written(extract(case.pop("source"), "package/module.py"))

    assert found == case


@pytest.mark.parametrize("name", CASES)
def test_a_file_without_its_last_line_break_and_with_other_line_ends_says_the_same(
    name: str,
) -> None:
    source = CASES[name]["source"]

    assert extract(source.rstrip("\n").replace("\n", "\r\n"), "m.py") == extract(source, "m.py")


@pytest.mark.parametrize(
    "source",
    [
        "def broken(:\n    raise ValueError('never read')\n",
        "print 'Python 2'\nraise ValueError, 'never read'\n",
        "raise ValueError('nul\0 byte')\n",
        "(" * 3000 + ")" * 3000,
        "x = " + "-" * 20_000 + "1\nraise ValueError('too deep to be read')\n",
    ],
)
def test_what_does_not_parse_is_refused_and_nothing_else_happens(source: str) -> None:
    try:
        extract(source, "m.py")
    except SourceUnreadable:
        return
    pytest.fail("it was read")


def found_in(source: str) -> Extraction:
    return extract(source, "m.py")


def test_names_that_lead_to_each_other_come_to_an_end() -> None:
    chain = "".join(f"    a{n} = a{n - 1} + a{n - 1}\n" for n in range(1, 60))
    found = found_in(f"def check():\n    a0 = 'ab'\n{chain}    raise ValueError('bad ' + a59)\n")

    assert len(found.sites) == 1


def test_a_name_made_of_itself_comes_to_an_end() -> None:
    source = """
def check(names):
    text = "wrong names: "
    for name in names:
        text = text + text + name
        text += text
    raise ValueError(text)
"""
    assert 1 <= len(found_in(source).sites) <= 8


def test_classes_that_derive_from_each_other_come_to_an_end() -> None:
    source = "class A(B): pass\nclass B(A): pass\ndef f():\n    raise A('no end in sight')\n"

    assert [site.error_class for site in found_in(source).sites] == ["A"]


def test_very_many_branches_and_terms_are_read_without_running_out_of_stack() -> None:
    branches = "".join(f"    elif x == {n}:\n        pass\n" for n in range(1000))
    terms = " + ".join(["'part '", *(f"str(x{n})" for n in range(800))])
    try:
        found = found_in(
            f"def f(x):\n    if x:\n        pass\n{branches}    else:\n"
            f"        raise ValueError('none of them')\n    raise ValueError({terms})\n"
        )
    except SourceUnreadable:
        return  # a parser with a smaller stack says so
    assert len(found.sites) == 2


def test_a_condition_on_very_many_names_stays_short() -> None:
    test = " and ".join(f"name_{n}" for n in range(500))
    found = found_in(f"def f():\n    if {test}:\n        raise ValueError('all of them')\n")

    assert found.sites[0].raised_when is None
