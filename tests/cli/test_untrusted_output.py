"""Records and pastes that would steer a terminal, through every command that shows them: the
cursor, the title, the direction of text and the ends of lines are not theirs."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.forked import ForkedCommand
from tests.knowledge_base import record

from errdex.store import NewRecord, open_database

pytestmark = pytest.mark.slow

STEERING = (
    "\x1b[2J\x1b[1;1H",  # clears the screen
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;ZWNobyBoYWNrZWQ=\x07",  # writes to the clipboard
    "\x9b31m",
    "\x1bP+q544e\x1b\\",  # asks the terminal, which answers as if typed
    "\u202eleft\u2066",
    "over\rwritten",
    "back\x08\x08\x08\x08",
    "\x00\x7f\x85",
    "=cmd|' /C calc'!A0",
)
EVERYTHING = "".join(STEERING)
ID = "0000000000000bad"
TEXTS = (
    "errorClass", "errorType", "errorCode", "language", "filePath", "function", "raisedWhen",
    "documentation", "triggerScenarios", "commonSituations", "exampleFix", "handlingStrategy",
    "validationCode", "typeGuard", "tryCatchPattern", "backgroundTag", "sourceCode",
    "analyzedSha", "analyzedAt", "githubUrl",
)  # fmt: skip
EVIL = record(f"Terminal {EVERYTHING} is {{state}}", id=ID, repo="acme/shop", lineNumber=3)
EVIL |= {field: f"{EVERYTHING}{field}" for field in TEXTS}
EVIL |= {field: [EVERYTHING] for field in ("solutions", "preventionTips", "tags", "references")}
PASTE = (
    f"{EVERYTHING}\nValueError: Terminal {EVERYTHING} is {EVERYTHING}\nTypeError: {EVERYTHING}\n"
)
COLUMNS = {
    "error_class": "errorClass",
    "error_type": "errorType",
    "error_code": "errorCode",
    "language": "language",
    "background_tag": "backgroundTag",
    "file_path": "filePath",
    "function": "function",
}
Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(scope="module")
def errdex(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The command, told that it writes to a terminal, over a database with the evil record."""
    folder = tmp_path_factory.mktemp("evil")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "ERRDEX_DATABASE_URL": f"sqlite:///{folder}/data/errdex.db",
        "LC_ALL": "C.UTF-8",
    }

    def run(*words: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return forked.run(words, input=stdin, env=environment)

    for dataset, code in (("evil\x1b[2J", 2), ("evil", 1)):
        done = run("ingest", "-", "--dataset", dataset, stdin=json.dumps([EVIL]).encode())
        assert done.returncode == code, "an ingestion refuses control characters"
        assert_plain(done)
    put_past_the_checks(folder / "data/errdex.db")
    return run


def put_past_the_checks(path: Path) -> None:
    """The record as a version with fewer checks might have stored it."""
    store = open_database(f"sqlite:///{path}")
    store.migrate()
    texts = {snake: EVIL[camel] for snake, camel in COLUMNS.items()}
    new = NewRecord(
        id=ID,
        repo="acme/shop",
        slug="terminal",
        error_message=EVIL["errorMessage"],
        pattern=re.escape(f"Terminal {EVERYTHING} is ") + "(.+)",
        http_status=None,
        severity=EVERYTHING,
        line_number=3,
        tags=(EVERYTHING,),
        body_json=json.dumps({**EVIL, "messagePattern": "x", "slug": "terminal"}),
        content_hash=b"x",
        **texts,
    )
    with store.write("evil") as transaction:
        transaction.add([new])
        transaction.commit()
    store.close()


def assert_plain(done: subprocess.CompletedProcess[bytes]) -> None:
    text = (done.stdout + done.stderr).decode()
    steering = {each for each in text if unicodedata.category(each)[0] == "C"} - {"\n", "\t"}
    assert steering == set()
    assert "Traceback" not in text


SHOWN: tuple[tuple[Any, ...], ...] = (
    ("show", ID),
    ("show", EVERYTHING.replace("\x00", "")),
    ("search", "terminal"),
    ("search", EVERYTHING.replace("\x00", "")),
    ("search", "terminal", "--repo", EVERYTHING.replace("\x00", "")),
    ("stats",),
    ("verify",),
    ("match", "-"),
    ("match", "-", "--follow"),
    ("match", "-", "--json"),
    ("match", "-", "--format", "ndjson"),
    ("match", "\x1b[2J/nowhere"),
    ("check", "\x1b[2J/nowhere"),
    ("ingest", "\x1b[2J/nowhere"),
    ("harvest", "\x1b[2J/nowhere"),
    ("export", "-o", "/nowhere/\x1b[2J"),
    ("stats", "--database", "sqlite:////nowhere/\x1b[2J.db"),
    ("stats", "--database", "\x1b[2J"),
    ("\x1b[2J",),
    ("show", "--\x1b[2J"),
)


@pytest.mark.parametrize("words", SHOWN, ids=lambda words: ascii(" ".join(words))[:40])
def test_what_is_shown_steers_nothing(errdex: Run, words: tuple[str, ...]) -> None:
    done = errdex(*words, stdin=PASTE.encode())
    assert_plain(done)
    assert done.stdout + done.stderr


def test_what_would_steer_is_shown_as_its_escape(errdex: Run) -> None:
    shown = errdex("search", "terminal").stdout.decode()
    assert "\\x1b]52;c;ZWNobyBoYWNrZWQ=\\x07" in shown
    assert errdex("show", ID).stderr.decode().count("holds the control character U+001B") > 3


def test_what_a_record_may_hold_is_shown_as_its_escape(errdex: Run, tmp_path: Path) -> None:
    """Marks that turn the direction of text around or take no room."""
    marks = "\u202eleft\u2066 \u200b\ue000\ufeff"
    body = record(f"Mark {marks} is {{state}}", id="0000000000000aaa", errorClass="ValueError")
    body |= {"documentation": marks, "solutions": [marks], "exampleFix": marks, "tags": [marks]}
    (tmp_path / "marks.json").write_text(json.dumps([body]))
    url = f"sqlite:///{tmp_path / 'errdex.db'}"
    done = errdex("ingest", tmp_path / "marks.json", "--database", url)
    assert done.returncode == 0, done.stderr
    paste = f"ValueError: Mark {marks} is {marks}\n".encode()
    for words in (("show", "0000000000000aaa"), ("search", "mark"), ("match", "-")):
        done = errdex(*words, "--database", url, stdin=paste)
        assert_plain(done)
        assert done.returncode == 0
    for words in (("show", "0000000000000aaa"), ("search", "mark"), ("match", "-")):
        done = errdex(*words, "--json", "--database", url, stdin=paste)
        assert_plain(done)
        assert json.dumps("\u202eleft\u2066")[1:-1] in json.dumps(json.loads(done.stdout))
        assert "\\u202eleft\\u2066" in done.stdout.decode()


WRONG = (
    ("a.json", json.dumps([{**EVIL, "messagePattern": f"(?={EVERYTHING})"}]).encode()),
    ("b.json", json.dumps([{EVERYTHING: 1}]).encode()),
    ("c.json", json.dumps([{**EVIL, "lineNumber": EVERYTHING}]).encode()),
    ("d.json", b'[{"repo": "\x1b[2J\xff'),
    ("e.yaml", b"- repo: a/b\n  errorMessage: \x1b[2J x\n  ]: \x9b\n"),
    ("f.yaml", b"a: &\x1b[2J x\nb: *\x1b[3J\n"),
    ("g.jsonl.gz", gzip.compress(b'{"repo": "\x1b[2J\n')),
    ("h\x1b[2J.json", b"{}"),
    ("i\u202etxt.json", b"[1]"),
    ("j\n.json", b"nothing"),
)


@pytest.mark.parametrize(("name", "content"), WRONG, ids=[ascii(name) for name, _ in WRONG])
def test_what_is_wrong_with_a_file_is_told_plainly(
    errdex: Run, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    for command in ("check", "ingest"):
        done = errdex(command, tmp_path)
        assert done.returncode in {1, 3}
        assert_plain(done)
