"""The table of languages, and what follows from it."""

from __future__ import annotations

import pytest
from pygments.lexers import get_lexer_by_name
from tests.data.test_starter_records import LANGUAGES as OF_RECORDS

from errdex.harvest.extractors import MODULES
from errdex.matching.ranking.comparison import family, language_of_file
from errdex.records.languages import (
    LANGUAGES,
    LanguageKind,
    family_of,
    find_by_suffix,
    find_language,
    names_of,
)
from errdex.search.analysis import variants


def test_no_name_and_no_ending_stands_twice() -> None:
    names = [name for each in LANGUAGES for name in (each.name, *each.other_names)]
    suffixes = [suffix for each in LANGUAGES for suffix in each.suffixes]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)
    assert all(suffix.startswith(".") and suffix.islower() for suffix in suffixes)
    assert all(name == name.lower() for name in names)


def test_what_a_row_refers_to_is_there() -> None:
    names = {each.name for each in LANGUAGES}
    assert {each.family for each in LANGUAGES if each.family} <= names
    assert set(MODULES) <= names
    assert names >= OF_RECORDS
    for each in LANGUAGES:
        if each.lexer:
            assert get_lexer_by_name(each.lexer)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Node.js", "javascript"), ("ts", "javascript"), ("C#", "csharp"), ("golang", "go"),
        ("c++", "c"), ("scala", "java"), ("COBOL", "cobol"), ("", None), (None, None),
    ],
)  # fmt: skip
def test_families(name: str | None, expected: str | None) -> None:
    assert family_of(name) == expected
    assert family(name) == expected


def test_tools_have_no_family_in_ranking() -> None:
    assert family("tool:apt") is None
    assert language_of_file("package.json") is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/b.TSX", "javascript"), ("x.pyx", "python"), ("x.hpp", "c"), ("x.txt", None), ("x", None)],
)
def test_files(path: str, expected: str | None) -> None:
    assert language_of_file(path) == expected


def test_lookups_and_kinds() -> None:
    assert find_by_suffix(".KT").name == "kotlin"
    assert find_language("BASH").name == "shell"
    assert find_language("no such") is None
    assert {"bash", "sh", "console"} <= names_of(LanguageKind.SHELL)
    assert names_of(LanguageKind.PROGRAM).isdisjoint(names_of(LanguageKind.SHELL))
    assert variants("c#") == ("c#", "csharp")
    assert variants("cpp") == ("cpp", "c++")
