"""The quick ways through frequent JSON and logfmt lines find what the thorough ones find."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errdex.matching.reading.json_records import FlatReader, parse_json_record
from errdex.matching.reading.logfmt import FlatPairs, parse_logfmt

KEYS = st.sampled_from(
    ["msg", "message", "level", "severity", "err", "error", "stack", "ts", "a", "b", "log", "text"]
)
WORDS = st.sampled_from(
    ["", "info", "error", "WARN", "two words", 'a "b"', "x=1", "C:\\new", "null", "\u00e9\u2028"]
)
VALUES = st.one_of(WORDS, st.sampled_from([3, 30, 50, 1.5, None, True, {"message": "x"}, ["y"]]))
RECORDS = st.lists(st.dictionaries(KEYS, VALUES, max_size=5), max_size=12)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(RECORDS)
def test_json(records: list[dict[str, object]]) -> None:
    reader = FlatReader()
    for record in records:
        raw = json.dumps(record, ensure_ascii=False)
        flat = reader.read(raw)
        if flat is not None:
            thorough = parse_json_record(raw)
            assert thorough is not None
            assert ([told.text for told in thorough.texts], thorough.level) == ([flat[0]], flat[1])
            assert not thorough.failed


def _pair(key: str, value: object) -> str:
    text = str(value)
    quoted = " " in text or '"' in text or not text
    return f"{key}={json.dumps(text) if quoted else text}"


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(RECORDS)
def test_logfmt(records: list[dict[str, object]]) -> None:
    reader = FlatPairs()
    for record in records:
        raw = " ".join(_pair(key, value) for key, value in record.items())
        flat = reader.read(raw)
        if flat is not None:
            level, column, text = flat
            assert (level, [(column, text)]) == parse_logfmt(raw)
        reader.learn(raw)


@pytest.mark.parametrize(
    ("raw", "texts"),
    [
        ('level=error caller=main.go:1 err="the door is locked"', ["the door is locked"]),
        ("ts=3 severity=warn component=k8s error=locked", ["locked"]),
        ('level=error err=nil msg="the door"', ["the door"]),
        ('pump=1 tank=2 error="none of ours"', []),
    ],
)
def test_logfmt_has_its_texts_by_their_keys(raw: str, texts: list[str]) -> None:
    assert [text for _, text in parse_logfmt(raw)[1]] == texts
