"""Everything that depends on a record's fields agrees with the table of fields."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest
import yaml

from errdex.formats.answer import NamedRecord
from errdex.ingest.index_documents import document_of
from errdex.records import reference
from errdex.records.fields import (
    BY_NAME,
    BY_WIRE,
    COLUMNS,
    FACETS,
    FIELDS,
    GROUPS,
    HEADINGS,
    KNOWN_KEYS,
    WEIGHTS,
    Characters,
)
from errdex.records.filters import Filters
from errdex.records.model import Record
from errdex.records.problems import RecordRefused
from errdex.records.validation import parse_record
from errdex.search import query
from errdex.search.document import take_apart_record
from errdex.search.protocol import FACET_NAMES, IndexDocument
from errdex.search.whoosh import segment
from errdex.store.values import NewRecord, RecordFields
from errdex.web.api.schemas import ErrorsQuery, Summary
from errdex.web.pages.facets import HEADINGS as PAGE_FACETS

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
GIVEN = {"given_id": "id", "given_slug": "slug"}
"""Attributes of the model that are what the input gives, where the record has more to say."""


def test_the_model_has_each_field_with_its_name_and_type() -> None:
    hints = get_type_hints(Record, include_extras=True)
    model = {GIVEN.get(name, name): hints[name] for name in Record.model_fields}
    assert set(model) == set(BY_NAME)
    for field in FIELDS:
        expected = field.type if field.required else field.type | None
        assert model[field.name] == expected, field.name
    aliases = {GIVEN.get(n, n): f.alias for n, f in Record.model_fields.items()}
    assert aliases == {field.name: field.wire for field in FIELDS}


def test_the_stores_values_have_each_column() -> None:
    assert {each.name for each in fields(RecordFields)} == {"id", *COLUMNS}
    assert {each.name for each in fields(NewRecord)} >= {"id", *COLUMNS}


def test_the_full_text_document_has_each_indexed_field() -> None:
    assert {each.name for each in fields(IndexDocument)} == set(WEIGHTS)


@pytest.mark.parametrize("field", [f for f in FIELDS if f.indexed], ids=lambda f: f.name)
def test_the_full_text_document_holds_the_fields_value(field) -> None:
    value = ["missing one", "missing two"] if field.is_list else "here"
    body = {"errorMessage": "missing", "repo": "a/b", field.wire: value}
    document = document_of("0" * 16 if field.name != "id" else "here", body.get("slug", ""), body)
    held = getattr(document, field.indexed)
    if field.indexed == "tags":
        assert held == tuple(value)
    else:
        assert set(value if field.is_list else [value]) <= set(held.split("\n"))


def test_the_filters_are_those_of_the_facets_and_two_of_the_store() -> None:
    assert {each.name for each in fields(Filters)} == {*FACETS.values(), "dataset", "file_path"}
    assert set(FACET_NAMES) <= set(FACETS)
    assert Filters(tag="x", repo="a/b").given() == {"repo": "a/b", "tag": "x"}


def test_search_pages_and_the_api_know_each_facet() -> None:
    facets = set(FACETS)
    assert facets <= set(query.FIELDS.values())
    assert facets <= set(segment.VALUES)
    assert facets <= set(PAGE_FACETS)
    asked = {each.alias or name for name, each in ErrorsQuery.model_fields.items()}
    assert facets <= asked
    values = dict.fromkeys((each.name for each in fields(IndexDocument)), "x") | {"tags": ("x",)}
    assert facets <= set(take_apart_record(IndexDocument(**values)).values)


def test_the_api_shows_what_the_table_says() -> None:
    listed = {field.wire for field in FIELDS if field.listed}
    assert {field.alias for field in Summary.model_fields.values()} == listed | {"dataset", "url"}
    matched = {field.name for field in FIELDS if field.matched}
    assert {field.name for field in fields(NamedRecord)} == matched | {
        "id",
        "slug",
        "url",
        "place",
        "other_places",
        "source_explanation",
    }
    assert {field.name for field in FIELDS if field.similar} < matched


def test_the_page_shows_what_the_table_says() -> None:
    template = (ROOT / "templates" / "record.html").read_text(encoding="utf-8")
    page = (ROOT / "app/errdex/web/pages/record_page.py").read_text(encoding="utf-8")
    shown = set(re.findall(r"\brecord\.(?:safe_)?(\w+)", template + page))
    shown |= {field.name for field in HEADINGS if "heading" in shown}
    missing = {f.name for f in FIELDS if f.on_page} - shown
    assert not missing
    assert not {f.name for f in FIELDS if not f.on_page} & shown


def test_the_reference_is_that_of_the_table() -> None:
    assert reference.list_fields() in DOCUMENT, "run make docs"
    assert {field.group for field in FIELDS} == set(GROUPS)


def test_the_documents_example_is_a_record() -> None:
    example = re.search(r"```yaml\n(.+?)```", DOCUMENT, re.DOTALL)
    assert example
    (value,) = yaml.safe_load(example[1])
    record = parse_record(value)
    assert record.pattern == "Invoice (.+?) is already closed"
    assert f"`{record.pattern}`" in DOCUMENT
    assert re.search(record.pattern, record.samples[0])


def test_names_on_the_wire_are_unique() -> None:
    assert len(BY_WIRE) == len(FIELDS) == len(KNOWN_KEYS)


@pytest.mark.parametrize("field", FIELDS, ids=lambda f: f.name)
def test_a_wrong_value_of_each_field_is_refused_with_a_remedy(field) -> None:
    good = {"repo": "a/b", "errorMessage": "it failed"}
    with pytest.raises(RecordRefused) as refused:
        parse_record({**good, field.wire: {"wrong": 1}})
    assert [p.field for p in refused.value.problems] == [field.wire]
    assert all(p.remedy for p in refused.value.problems)


@pytest.mark.parametrize(
    "field", [f for f in FIELDS if f.characters is Characters.LINE], ids=lambda f: f.name
)
def test_a_field_of_one_line_refuses_a_line_break(field) -> None:
    value = ["a\nb"] if field.is_list else "a\nb"
    with pytest.raises(RecordRefused):
        parse_record({"repo": "a/b", "errorMessage": "it failed", field.wire: value})
