"""The reference documents load unchanged, and are what derivation agrees with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errdex.records.identity import content_hash, slugify
from errdex.records.messages.derived_pattern import derive_pattern
from errdex.records.messages.holes import hole_names
from errdex.records.validation import identify, parse_record

SEEDS = ("002_b50cfdfc33be0e10.txt", "004_212f8ca52812d7d5.txt")


@pytest.fixture(params=SEEDS)
def seed(request: pytest.FixtureRequest, shared: Path) -> dict[str, Any]:
    return json.loads((shared / "seeds" / request.param).read_bytes())["record"]


def test_body_equals_the_document(seed: dict[str, Any]) -> None:
    body = parse_record(seed).body()
    assert body == seed
    assert list(body) == list(seed)


def test_fields_have_snake_case_names(seed: dict[str, Any]) -> None:
    record = parse_record(seed)
    assert record.id == seed["id"]
    assert record.line_number == seed["lineNumber"]
    assert record.source_code_start == seed["sourceCodeStart"]
    assert record.http_status is None
    assert record.safe_github_url == seed["githubUrl"]


def test_slug_and_pattern_are_derived_as_given(seed: dict[str, Any]) -> None:
    assert slugify(seed["errorMessage"]) == seed["slug"]
    assert derive_pattern(seed["errorMessage"]) == seed["messagePattern"]


def test_derived_keys_complete_the_body(seed: dict[str, Any]) -> None:
    bare = {k: v for k, v in seed.items() if k not in {"id", "slug", "messagePattern"}}
    body = parse_record(bare).body()
    assert {**body, "id": seed["id"]} == seed
    assert identify(bare) == (body["id"], content_hash(body))


def test_page_message_has_one_hole_and_a_set_in_prose(shared: Path) -> None:
    page = (shared / "seeds" / "000_a1f9e0de342224c6.txt").read_text().splitlines()
    message = page[page.index("Error message") + 2]
    assert "{None, 1}" in message
    assert hole_names(message) == ["cfg.speculative_eagle_topk"]
    pattern = derive_pattern(message)
    assert r"\(--speculative-eagle-topk in \{None, 1\}\)" in pattern
    assert pattern.endswith(r"Got --speculative-eagle-topk=(.+)\.")
    assert slugify(message) == "enable-linear-replayssm-spec-requires-a-linear"
