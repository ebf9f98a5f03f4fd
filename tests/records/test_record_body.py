"""What a record keeps of its input, what it adds, and which links it gives out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.records.fields import KNOWN_KEYS, OTHER_NAMES
from errdex.records.identity import SLUG_LENGTH, content_hash, derive_id, slugify
from errdex.records.messages.derived_pattern import derive_pattern
from errdex.records.model import Record, safe_url
from errdex.records.problems import RecordRefused
from errdex.records.validation import identify, parse_record
from errdex.records.wire import dump_wire, load_wire

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
KNOWN: dict[str, st.SearchStrategy[Any]] = {
    "id": st.none() | st.from_regex(r"[0-9a-f]{16}", fullmatch=True),
    "slug": st.none() | st.from_regex(r"[a-z0-9]{1,9}(-[a-z0-9]{1,9})?", fullmatch=True),
    "messagePattern": st.none() | TEXT.filter(str.strip),
    "errorClass": st.none() | TEXT,
    "documentation": st.none() | TEXT,
    "httpStatus": st.none() | st.integers(100, 599),
    "severity": st.sampled_from([None, "error", "warning"]),
    "lineNumber": st.none() | st.integers(1, 10**6),
    "tags": st.none() | st.lists(TEXT.filter(str.strip), max_size=3),
    "solutions": st.none() | st.lists(TEXT, max_size=3),
    "githubUrl": st.none() | TEXT,
}
WIRE_RECORDS = st.builds(
    lambda needed, known, unknown: {**unknown, **needed, **known},
    st.fixed_dictionaries({"repo": st.just("a/b"), "errorMessage": TEXT.filter(derive_pattern)}),
    st.fixed_dictionaries({}, optional=KNOWN),
    st.dictionaries(TEXT.filter(lambda key: key not in KNOWN_KEYS), JSON, max_size=3),
)


def exactly(value: object) -> str:
    """A value as text that tells 1 from 1.0 and true, and one key order from another."""
    return repr(value)


@given(WIRE_RECORDS)
def test_body_is_the_input_and_what_it_lacks(value: dict[str, Any]) -> None:
    before = exactly(value)
    record = parse_record(value)
    body = record.body()
    assert exactly({key: body[key] for key in value}) == exactly(value) == before
    assert list(body) == [*value, *(k for k in ("id", "slug", "messagePattern") if k not in value)]
    assert exactly(load_wire(dump_wire(body))) == exactly(body)
    assert exactly(parse_record(body).body()) == exactly(body)


@given(WIRE_RECORDS)
def test_the_short_way_and_the_full_way_agree(value: dict[str, Any]) -> None:
    record = parse_record(value)
    assert identify(value) == (record.id, content_hash(record.body()))
    assert identify(record.body())[1] == content_hash(record.body())


@given(WIRE_RECORDS, st.randoms(use_true_random=False))
def test_the_hash_does_not_see_the_order_of_keys(value: dict[str, Any], random: Any) -> None:
    keys = list(value)
    random.shuffle(keys)
    assert content_hash({key: value[key] for key in keys}) == content_hash(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": None}, {}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": "1"}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": 2**64 + 1}, {"a": 2**64}),
        ({"a": 2**64 + 1}, {"a": 2.0**64}),
        ({"a": "\ud800"}, {"a": "\ud801"}),
    ],
)
def test_the_hash_sees_every_difference(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert content_hash(one) != content_hash(other)
    assert content_hash(one) == content_hash(json.loads(json.dumps(one)))


@pytest.mark.parametrize("value", [{"a": {1, 2}}, {"a": {1: {1}}}])
def test_what_is_no_json_has_no_hash(value: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not a JSON object"):
        content_hash(value)


@pytest.mark.parametrize("text", ["[]", "1", '"x"', "{", ""])
def test_only_an_object_is_a_wire_object(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        load_wire(text)


def test_numbers_of_any_size_survive() -> None:
    value = {"repo": "a/b", "errorMessage": "x", "big": 10**40, "small": -(10**40), "e": 1e-300}
    body = parse_record(value).body()
    assert load_wire(dump_wire(body)) == body
    assert dump_wire(body, sort_keys=True) == dump_wire(
        dict(reversed(body.items())), sort_keys=True
    )


def test_unknown_keys_may_be_called_anything() -> None:
    names = ["error_message", "body", "model_dump", "__class__", "_wire", "pattern", "", "given_id"]
    value = {"repo": "a/b", "errorMessage": "x", **dict.fromkeys(names, "theirs")}
    record = parse_record(value)
    assert record.error_message == "x"
    assert record.pattern == "x"
    assert record.given_id is None
    assert {key: record.body()[key] for key in value} == value


def test_a_null_stays_null_and_has_an_effect_all_the_same() -> None:
    value = {
        "id": None,
        "slug": None,
        "messagePattern": None,
        "repo": "a/b",
        "errorMessage": "x {y}",
    }
    record = parse_record(value)
    assert record.body() == value
    assert record.pattern == "x (.+)"
    assert record.id == derive_id("a/b", None, "x (.+)")
    assert record.slug == "x"


def test_a_record_made_by_hand_has_a_body_too() -> None:
    record = Record(repo="a/b", errorMessage="x.", tags=["t"])
    assert record.body() == {
        "repo": "a/b",
        "errorMessage": "x.",
        "tags": ["t"],
        "id": record.id,
        "slug": "x",
        "messagePattern": r"x\.",
    }


def test_a_body_is_the_callers_own() -> None:
    record = parse_record({"repo": "a/b", "errorMessage": "x"})
    record.body()["repo"] = "changed"
    assert record.body()["repo"] == "a/b"


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/a/b/blob/0123/x.py#L1-L2",
        "http://example.org",
        "HTTPS://EXAMPLE.ORG:8443/a?b=c&d=(e)",
        "https://[::1]/x",
    ],
)
def test_web_addresses_may_become_links(url: str) -> None:
    record = Record(repo="a/b", errorMessage="x", githubUrl=url, references=[url, "javascript:1"])
    assert record.safe_github_url == url
    assert record.safe_references == [url]


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)//https://x.org",
        "java\nscript:alert(1)",
        " https://x.org",
        "https://x.org\n",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//x.org/a",
        "/errors/1",
        "https:",
        "https://",
        "https:///path",
        "https://?q",
        "http:x.org",
        "https://github.com@evil.example/",
        "https://a:b@evil.example/",
        "https://x.org\\@evil.example",
        "https://x.org/\"onmouseover='x'",
        "https://x.org/<script>",
        "https://x.org:99999/",
        "https://x.org:port/",
        "https://[::1/",
        "https://x.org/\x00",
        "",
        None,
    ],
)
def test_anything_else_never_becomes_a_link(url: str | None) -> None:
    assert safe_url(url) is None
    if url is not None:
        record = Record(repo="a/b", errorMessage="x", githubUrl=url, references=[url])
        assert record.safe_github_url is None
        assert record.safe_references == []
        assert record.body()["githubUrl"] == url


def test_an_id_is_what_the_error_is() -> None:
    first = derive_id("a/b", "ValueError", "x")
    assert first == "a71109e91cec65e7"  # for ever: addresses are made of it
    others = [("a/c", "ValueError", "x"), ("a/b", None, "x"), ("a/b", "ValueError", "y")]
    assert len({first, *(derive_id(*other) for other in others)}) == 4
    assert derive_id("a/b", None, "x") == derive_id("a/b", "", "x")


def test_an_id_survives_a_moved_line_and_a_new_explanation() -> None:
    value = {"repo": "a/b", "errorMessage": "x {y}", "errorClass": "E", "lineNumber": 1}
    moved = {**value, "lineNumber": 2, "filePath": "z.py", "documentation": "new"}
    assert parse_record(value).id == parse_record(moved).id
    assert parse_record({**value, "errorMessage": "x {z}"}).id == parse_record(value).id
    assert parse_record({**value, "errorClass": "F"}).id != parse_record(value).id


@pytest.mark.parametrize(
    ("message", "slug"),
    [
        ("Cannot open file", "cannot-open-file"),
        ("can't open “x” — it's <b>gone</b>!", "cant-open-x-its-b-gone-b"),
        ("Größe über 3 Ångström", "groe-uber-3-angstrom"),
        ("文件不存在", "error"),
        ("{x!r}", "error"),
        ("", "error"),
        ("../../etc/passwd", "etc-passwd"),
        ("got {a.b!r} for %s and ${c}", "got-for-and"),
        ("x" * 100, "x" * SLUG_LENGTH),
        ("a" * SLUG_LENGTH + " b", "a" * SLUG_LENGTH),
        ("a" * (SLUG_LENGTH - 2) + " bc", "a" * (SLUG_LENGTH - 2)),
        ("a" * (SLUG_LENGTH - 2) + " b", "a" * (SLUG_LENGTH - 2) + "-b"),
    ],
)
def test_slugs(message: str, slug: str) -> None:
    assert slugify(message) == slug


@given(st.text())
def test_a_slug_is_safe_in_an_address(message: str) -> None:
    slug = slugify(message)
    assert 0 < len(slug) <= SLUG_LENGTH
    assert slug.replace("-", "a").isalnum()
    assert slug.isascii()
    assert slug == slug.lower()
    assert slug.strip("-") == slug
    assert slugify(slug) == slug


def test_a_title_heads_the_record_and_a_message_where_there_is_none() -> None:
    body = {"repo": "a/b", "errorMessage": "E17"}
    assert parse_record(body).heading == "E17"
    assert parse_record({**body, "title": "Disk full"}).heading == "Disk full"
    assert parse_record({**body, "title": None}).heading == "E17"


SPELT = {"repo": "a/b", "errorMessage": "m {x}", "reproducedWith": "git 2.39.5", "tags": ["t"]}


def test_another_spelling_of_a_key_is_read_and_served_as_the_key_itself() -> None:
    body = parse_record(SPELT).body()
    assert body["verifiedWith"] == "git 2.39.5"
    assert list(body)[:4] == ["repo", "errorMessage", "verifiedWith", "tags"]
    assert "reproducedWith" not in body
    named = {OTHER_NAMES.get(key, key): value for key, value in SPELT.items()}
    assert identify(SPELT) == identify(named)
    assert identify(SPELT)[1] == content_hash(body)


def test_both_spellings_of_a_key_at_once_are_refused() -> None:
    for read in (parse_record, identify):
        with pytest.raises(RecordRefused, match="reproducedWith: is another spelling of verified"):
            read({**SPELT, "verifiedWith": "git 3"})


def test_what_is_wrong_with_another_spelling_is_said_of_the_key() -> None:
    with pytest.raises(RecordRefused, match="verifiedWith: "):
        parse_record({**SPELT, "reproducedWith": 3})
