"""Patterns that would keep a backtracking engine busy for ever: refused when they are ingested,
or an answer all the same, in a time that grows with the text and not with its power."""

from __future__ import annotations

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


@pytest.mark.parametrize("pattern", EXPLODING, ids=lambda pattern: pattern[:30])
def test_it_is_searched_for_without_going_back(pattern: str) -> None:
    compiled = compile_pattern(pattern)
    for text in TEXTS:
        compiled.search(text)


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
