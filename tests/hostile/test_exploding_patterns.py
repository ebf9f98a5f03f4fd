"""Patterns that would keep a backtracking engine busy for ever: refused when they are ingested,
or an answer all the same, in a time that grows with the text and not with its power."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from bench.hostile import EXPLODING
from fastapi.testclient import TestClient
from tests.knowledge_base import load, record

from errdex.config import Settings, open_store
from errdex.main import create_app
from errdex.matching.patterns.pattern import PatternRefused, compile_pattern

REFUSED = (
    "(a{1000}){1000}",
    "(((a{100}){100}){100}){100}",
    r"(\pL{1,1000})x",
    "(a+)\\1+b",
    "(?=(a+)+b)a",
    "(?:" * 5000 + "a" + ")" * 5000,
    "a" * 1_000_000,
    "|".join(["[ab]*x"] * 100_000),
)
TEXTS = ("a" * 10_000, "ab" * 5_000, "a" * 9_999 + "!", "word " * 2_000)


MATCHED = {
    "(a+)+$": "a" * 10_000,
    "(a|a)*b": "a" * 10_000 + "b",
    "(a|aa)+$": "a" * 10_000,
    "(.*a){25}x": "ba" * 25 + "x",
    "(.*)(.*)(.*)(.*)(.*)(.*)x": "word " * 2_000 + "x",
    "[ab]*a[ab]{900}c": "ba" + "ab" * 450 + "c",
    "(a?){900}a{900}b": "a" * 1_800 + "b",
    "((a?){30}){30}c": "a" * 900 + "c",
    "(.{0,500}a.{0,400}b)+x": "word ab" * 1_000 + "x",
    r"^(([a-z])+.)+[A-Z]([a-z])+$": "word " * 2_000 + "Word",
    r"(\w+\s?)*:$": "word " * 2_000 + "word:",
    EXPLODING[-1]: "a" * 99 + "b" * 5_000 + "x",
}
"""Each pattern with a text that all of it matches."""
NOT_MATCHED = ("ab" * 5_000 + "!", "a" * 9_999 + "!", "word " * 2_000 + "!")
"""No pattern matches these to their end, and an engine that goes back tries every way to."""
CPU_SECONDS = 60
"""What all these searches may take: they take 2 seconds, and an engine that goes back ages."""
_SEARCH = """
import json, resource, sys
from errdex.matching.patterns.pattern import compile_pattern
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]), int(sys.argv[1])))
found = {}
for pattern, texts in json.load(sys.stdin).items():
    compiled = compile_pattern(pattern)
    found[pattern] = [(match := compiled.search(text)) and match.span for text in texts]
print(json.dumps(found))
"""


def test_each_pattern_has_a_text_that_it_matches() -> None:
    assert list(MATCHED) == list(EXPLODING)


def test_they_are_searched_for_without_going_back() -> None:
    searches = {pattern: [MATCHED[pattern], *NOT_MATCHED] for pattern in EXPLODING}
    done = subprocess.run(
        [sys.executable, "-c", _SEARCH, str(CPU_SECONDS)],
        input=json.dumps(searches),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    found = json.loads(done.stdout)
    for pattern in EXPLODING:
        whole, *others = found[pattern]
        assert whole == [0, len(MATCHED[pattern])], pattern
        # The one that ends in b is found within a text.
        assert others == ([[0, 2], None, None] if pattern == "(a|a)*b" else [None] * 3), pattern


@pytest.mark.parametrize("pattern", REFUSED, ids=lambda pattern: pattern[:30])
def test_it_is_refused_and_named(pattern: str) -> None:
    with pytest.raises(PatternRefused):
        compile_pattern(pattern)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    folder = tmp_path_factory.mktemp("exploding")
    settings = Settings(database_url=f"sqlite:///{folder / 'errdex.db'}")
    records = [
        record(f"number {number}", id=f"{number:016x}", messagePattern=f"begin {pattern}")
        for number, pattern in enumerate(EXPLODING)
    ]
    load(folder, *open_store(settings), records)
    return TestClient(create_app(settings))


def test_a_text_is_tried_against_each_of_them(client: TestClient) -> None:
    for number in range(len(EXPLODING)):
        for text in TEXTS:
            address = f"/errors/{number:016x}/pattern"
            answer = client.post(address, files={"text": (None, f"begin {text}")})
            assert answer.status_code == 200
            assert "The pattern " in answer.text


def test_a_paste_that_calls_all_of_them_is_answered(client: TestClient) -> None:
    paste = "\n".join(f"Error: begin {text}" for text in TEXTS)
    plain = {"Content-Type": "text/plain"}
    answer = client.post("/api/errors/match", content=paste, headers=plain)
    assert answer.status_code == 200
    assert answer.json()["found"] is True
