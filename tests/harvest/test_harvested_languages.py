"""What the extractors of languages other than Python find, all of it, from the case files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from tests.harvest.harvest_cases import as_written, cases_of
from tests.loops import check_each, for_each

from errdex.harvest.extractors import ExtractorMissing, find_language, load_extractor
from errdex.harvest.model import Extraction, SourceUnreadable
from errdex.harvest.trees.finder import TOO_DEEP

USUAL_FILES = {
    "c": "a.c",
    "catalogues": "errors.json",
    "cpp": "a.cpp",
    "csharp": "A.cs",
    "go": "a.go",
    "java": "A.java",
    "javascript": "a.js",
    "kotlin": "A.kt",
    "php": "a.php",
    "ruby": "a.rb",
    "rust": "a.rs",
}
"""A file of each case file's language, for cases that do not name theirs."""
NESTED = {
    "a.js": ("throw new Error('first of all');\nx = ", "(", "1", ")", ";"),
    "a.go": ('package a\nvar e = errors.New("first of all")\nvar x = ', "(", "1", ")", ""),
    "A.java": (
        'class A { E e = new IOException("first of all"); int x = ',
        "(",
        "1",
        ")",
        "; }",
    ),
    "a.rs": ('fn f() { panic!("first of all"); let x = ', "(", "1", ")", "; }"),
    "a.c": ('void f(void) { die("first of all"); int x = ', "(", "1", ")", "; }"),
    "a.cpp": ('void f() { throw E("first of all"); int x = ', "{", "1", "}", "; }"),
    "A.cs": ('class A { E e = new IOException("first of all"); int x = ', "(", "1", ")", "; }"),
    "A.kt": ('val e = IOException("first of all")\nval x = ', "(", "1", ")", ""),
    "a.rb": ('raise "first of all"\nx = ', "(", "1", ")", ""),
    "a.php": ('<?php throw new E("first of all"); $x = ', "(", "1", ")", ";"),
    "a.ts": ("throw new Error('first of all');\nx = ", "{a: ", "1", "}", ";"),
}
"""What stands before, and what opens, fills, closes and ends deeply nested source."""


def _extract(path: str, source: str) -> Extraction:
    language = find_language(path)
    assert language is not None
    return load_extractor(language)(source, path)


@pytest.mark.parametrize("name", USUAL_FILES)
def test_finds_all_that_a_case_says_and_nothing_else(name: str) -> None:
    check_each(cases_of(name), lambda case: _check(case, case.pop("path", USUAL_FILES[name])))


def _check(case: dict[str, Any], path: str) -> None:
    source = case.pop("source")
    if case.pop("unreadable", False):
        with pytest.raises(SourceUnreadable):
            _extract(path, source)
    else:
        assert as_written(_extract(path, source)) == case


def cases_that_are_typescript_too() -> Iterator[tuple[str, dict[str, Any]]]:
    for title, case in cases_of("javascript"):
        if "path" not in case and "unreadable" not in case:
            yield title, case


@for_each(cases_that_are_typescript_too)
def test_finds_in_typescript_what_it_finds_in_javascript(case: dict[str, Any]) -> None:
    _check(case, "a.ts")


@pytest.mark.parametrize("name", USUAL_FILES)
def test_has_at_least_twenty_cases_a_language(name: str) -> None:
    assert len(list(cases_of(name))) >= 20


@pytest.mark.parametrize("path", NESTED)
def test_counts_what_is_nested_too_deeply_and_finds_the_rest(path: str) -> None:
    before, opening, inner, closing, end = NESTED[path]
    source = before + opening * 20_000 + inner + closing * 20_000 + end
    found = _extract(path, source)
    assert len(found.sites) == 1
    assert found.left_out[TOO_DEEP] == 1


@pytest.mark.parametrize("path", ["a.js", "a.ts"])
def test_reads_a_sum_of_very_many_texts_without_recursion(path: str) -> None:
    source = "throw new Error(" + " + ".join(["'word '"] * 300) + ");"
    (site,) = _extract(path, source).sites
    assert len(site.parts) == 300


def test_leaves_an_error_unsaid_whose_class_says_its_message_elsewhere() -> None:
    source = "function f(key) {\n  if (!key) throw new MissingKeyError(key);\n}\n"
    found = _extract("a.js", source)
    (site,) = found.unsaid
    assert (site.error_class, site.line, site.function) == ("MissingKeyError", 2, "f")
    assert site.raised_when == "!key"
    assert not found.sites


def test_says_in_one_line_what_to_install_for_a_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tree_sitter_go", "errdex.harvest.languages.go.source"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    language = find_language("a.go")
    assert language is not None
    load_extractor.cache_clear()
    with pytest.raises(ExtractorMissing) as raised:
        load_extractor(language)
    assert str(raised.value).startswith("go files cannot be read, since tree_sitter_go")
    assert "errdex[harvest]" in str(raised.value)
    assert "\n" not in str(raised.value)
