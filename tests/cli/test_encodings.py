"""A terminal that cannot show every character is answered in those that it can show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.knowledge_base import record

ERRDEX = Path(sys.executable).with_name("errdex")
RECORD = record(
    "Größe {x} → {y} fails",
    id="00000000000000ab",
    errorClass="ValueError",
    messagePattern="Größe (.+) → (.+) fails",
    documentation="An arrow “→” · and 日本語 – in words…",
)
PASTE = "ValueError: Größe 1 → 2 fails\n"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    url = f"sqlite:///{home}/data/errdex.db"
    named = {"PATH": os.environ["PATH"], "HOME": str(home), "ERRDEX_DATABASE_URL": url}
    ingest = [ERRDEX, "ingest", "-", "--dataset", "signs"]
    body = json.dumps([RECORD]).encode()
    subprocess.run(ingest, input=body, env=named, check=True, capture_output=True, timeout=600)
    return named


def run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [ERRDEX, *words], input=PASTE.encode(), capture_output=True, env=environment, timeout=600
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("locale", "encoding", "title", "words"),
    [
        (
            {"PYTHONIOENCODING": "utf-8"},
            "utf-8",
            "line 1  ValueError: Größe 1 → 2 fails  ← start here",
            "An arrow “→” · and 日本語 – in words…",
        ),
        (
            {"PYTHONIOENCODING": "iso8859-1"},
            "iso8859-1",
            "line 1  ValueError: Größe 1 -> 2 fails  <- start here",
            'An arrow "->" · and \\u65e5\\u672c\\u8a9e - in words...',
        ),
        (
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            "ascii",
            "line 1  ValueError: Gr\\xf6\\xdfe 1 -> 2 fails  <- start here",
            'An arrow "->" - and \\u65e5\\u672c\\u8a9e - in words...',
        ),
    ],
)
def test_an_answer_is_shown_as_far_as_the_encoding_goes(
    environment, locale: dict[str, str], encoding: str, title: str, words: str
) -> None:
    for command in (["match"], ["show", "00000000000000ab"], ["search", "fails"]):
        done = run(environment | locale, *command)
        counted = b"1 result.\n" if command[0] == "search" else b""
        assert (done.returncode, done.stderr) == (0, counted)
        if command != ["search", "fails"]:
            assert words in done.stdout.decode(encoding)
        if command == ["match"]:
            assert title in done.stdout.decode(encoding).splitlines()


def test_what_went_wrong_is_shown_in_it_too(environment) -> None:
    done = run(environment | {"PYTHONIOENCODING": "ascii"}, "match", "/nowhere/größe.log")
    assert done.returncode == 3
    assert done.stderr == b"errdex: /nowhere/gr\\xf6\\xdfe.log: No such file or directory.\n"


def test_data_is_utf_8_whatever_the_terminal_is(environment) -> None:
    done = run(environment | {"PYTHONIOENCODING": "ascii"}, "match", "--json")
    assert json.loads(done.stdout)["events"][0]["message"] == "Größe 1 → 2 fails"
