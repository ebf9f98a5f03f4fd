"""What is private in a text, and what of a message changes."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.loops import for_each

from errdex.matching.masking import find_variable, hole_message, mask_private, template_words
from errdex.matching.patterns.pattern import compile_pattern
from errdex.records.messages.derived_pattern import derive_pattern

CASES = Path(__file__).parents[1] / "cases" / "masking"
CHARACTERS = {
    "upper": string.ascii_uppercase + string.digits,
    "mixed": string.ascii_letters + string.digits,
    "word": string.ascii_letters + string.digits + "_",
    "dashed": string.ascii_letters + string.digits + "-_",
    "base64": string.ascii_letters + string.digits + "+/",
    "hex": string.digits + "abcdef",
}
CONTEXTS = (
    "{}",
    "the key {} was refused",
    "login failed (key={}), see the manual",
    '{{"value": "{}", "retries": 3}}',
    "https://api.example.com/v1/{}/items",
    "env: KEY='{}'\nnext line",
)


def _cases(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load((CASES / name).read_text(encoding="utf-8"))


def _secret(case: dict[str, Any], chance: random.Random) -> str:
    if case["characters"] == "uuid":
        digits = "".join(chance.choices(CHARACTERS["hex"], k=32))
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    characters = CHARACTERS[case["characters"]]
    body = "".join(chance.choices(characters, k=case["length"]))
    tail = case.get("suffix", "")
    if case.get("padded"):
        tail += "".join(chance.choices(characters, k=60))
    return case["prefix"] + body + tail


def secrets() -> Iterator[tuple[str, dict[str, Any]]]:
    for case in _cases("secrets.yaml"):
        yield case["kind"], case


def test_there_are_fifty_kinds_of_secrets() -> None:
    assert len({case["kind"] for _, case in secrets()}) >= 50


@for_each(secrets)
def test_no_secret_is_left_in_any_context(case: dict[str, Any]) -> None:
    chance = random.Random(case["kind"])
    for _ in range(20):
        secret = _secret(case, chance)
        random_part = secret.removeprefix(case["prefix"])
        for context in CONTEXTS:
            if "://" in context and ("://" in secret or "/" in secret):
                continue  # which slash is the secret's own, nobody can say
            masked = mask_private(context.format(secret))
            pieces = [random_part[at : at + 8] for at in range(0, len(random_part) - 8, 4)]
            assert not [each for each in pieces if each in masked], (secret, masked)


def texts() -> Iterator[tuple[str, dict[str, str]]]:
    for case in _cases("texts.yaml"):
        yield case["text"], case


@for_each(texts)
def test_private_values_are_named_blanks_and_the_rest_stays(case: dict[str, str]) -> None:
    assert mask_private(case["text"]) == case.get("masked", case["text"])


def holes() -> Iterator[tuple[str, dict[str, str]]]:
    for case in _cases("holes.yaml"):
        yield case["text"], case


@for_each(holes)
def test_what_changes_becomes_a_named_hole(case: dict[str, str]) -> None:
    assert hole_message(case["text"]) == case["message"]
    assert template_words(case["text"]) == case["words"]


@pytest.mark.parametrize("one", ["tenant 'a' has 3 of 5", "tenant 'bb' has 10 of 500"])
def test_equal_errors_have_one_template(one: str) -> None:
    assert hole_message(one) == "tenant '{tenant}' has {number} of {number2}"


@given(st.text(st.sampled_from("ab1 '\"{}%/:.=@-_$<\n"), min_size=1, max_size=60))
def test_the_pattern_of_a_template_finds_the_message_again(text: str) -> None:
    text = text.strip()
    message = hole_message(text)
    if any(each.isalpha() for each in template_words(text)):
        found = compile_pattern(derive_pattern(message)).search(text)
        assert found is not None, message


@given(st.text(max_size=200))
def test_blanks_are_in_order_and_do_not_overlap(text: str) -> None:
    place = 0
    for each in find_variable(text):
        assert place <= each.start < each.end <= len(text)
        place = each.end


@pytest.mark.slow
def test_work_is_bounded_for_hostile_texts() -> None:
    for piece in ("a@", "://", "a.", "-----BEGIN KEY-----", "password=", "/a", "'", "1:", "a_b-"):
        text = piece * 20_000
        assert len(mask_private(text)) <= 40_000
        hole_message(text)
