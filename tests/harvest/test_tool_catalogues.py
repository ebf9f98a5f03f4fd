"""What installed tools say of their own errors becomes records; nothing else is run or read."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from errdex.harvest.catalogues.tools import gettext_files, perl, programs
from errdex.harvest.catalogues.tools.entries import (
    CatalogueError,
    Tool,
    ToolMessage,
    listed,
    records_of,
)
from errdex.harvest.catalogues.tools.run import CatalogueTally, harvest_catalogues, requests
from errdex.harvest.catalogues.tools.table import NAMES
from errdex.ingest import ingest
from errdex.knowledge import Knowledge
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import open_database

TOOL = Tool(name="shop", repo="acme/shop", version="1.2", language="python")


def made(*entries: ToolMessage) -> list[dict]:
    return [record for record in records_of(TOOL, entries) if record is not None]


def harvested(*names: str) -> list[dict]:
    return [json.loads(line) for line in harvest_catalogues(requests(names), CatalogueTally())]


def a_program(folder: Path, name: str, body: str) -> Path:
    file = folder / name
    file.write_text(f"#!{sys.executable}\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def test_a_listed_message_becomes_a_record_with_its_holes():
    (record,) = made(
        listed("the stall {number} has no %s", code="S12", documentation="Stalls are numbered.")
    )
    assert record["errorMessage"] == "the stall {number} has no {}"
    assert record["errorCode"] == "S12"
    assert record["tags"] == ["shop", "catalogue"]
    assert record["verifiedWith"] == "shop 1.2"
    assert record["documentation"] == "Stalls are numbered."


def test_a_code_without_a_message_is_found_by_the_code_alone():
    (record,) = made(ToolMessage(message="S12: a stall without a roof", code="S12"))
    assert record["messagePattern"] == r"\bS12\b"


@pytest.mark.parametrize(
    "entry",
    [
        listed("%s"),
        listed("YES", code="1002"),
        ToolMessage(message="Test is for tests", code="Test"),
    ],
    ids=["a hole alone", "one word", "a code that is a plain word"],
)
def test_what_cannot_be_recognised_gives_no_record(entry):
    assert list(records_of(TOOL, [entry])) == [None]


def test_the_same_message_gives_one_record_and_ids_stay():
    first, again = made(listed("no roof over it")), made(*[listed("no roof over it")] * 2)
    assert first == again


def test_a_program_is_never_taken_from_the_current_folder(tmp_path, monkeypatch):
    a_program(tmp_path, "rustc", "print('rustc 9.9.9')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}")
    with pytest.raises(CatalogueError, match="is not on PATH"):
        programs.find_program("rustc")


def test_a_program_runs_in_an_empty_folder_and_reads_nothing(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("print('taken from the folder')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    body = "import os, sys; print(os.listdir('.'), repr(sys.stdin.read()))"
    assert programs.ask(a_program(tmp_path, "tool", body)) == "[] ''\n"


def test_a_program_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "SECONDS", 0.5)
    slow = a_program(tmp_path, "slow", "import time; time.sleep(600)")
    with pytest.raises(CatalogueError, match=r"slow took more than"):
        programs.ask(slow)


def test_a_program_that_prints_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "MAX_OUTPUT", 1_000)
    with pytest.raises(CatalogueError, match="printed more than"):
        programs.ask(a_program(tmp_path, "long", "print('x' * 5000)"))


def test_a_program_that_fails_is_quoted(tmp_path):
    body = "import sys; print('no such option', file=sys.stderr); sys.exit(3)"
    with pytest.raises(CatalogueError, match=r"failed with status 3\. no such option"):
        programs.ask(a_program(tmp_path, "broken", body))


def test_an_unknown_catalogue_is_an_error_that_names_the_others():
    with pytest.raises(
        CatalogueError, match=r"There is no catalogue .cobol.\. There are: botocore"
    ):
        requests(["cobol"])


def test_all_takes_what_is_installed_and_says_what_is_not(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(gettext_files, "FOLDERS", ())
    tally = CatalogueTally()
    codes = [
        json.loads(line).get("errorCode") for line in harvest_catalogues(requests(["all"]), tally)
    ]
    assert "EACCES" in codes
    assert "rustc is not on PATH" in tally.absent["rustc"]
    assert set(tally.absent) <= set(NAMES)


def test_one_that_is_asked_for_by_name_must_be_there(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(CatalogueError, match="rustc: rustc is not on PATH"):
        harvested("rustc")


def mo_file(path: Path, *messages: str, count: int | None = None) -> Path:
    """A compiled catalogue whose translations are empty."""
    texts = [message.encode() for message in messages]
    at = 28 + 8 * len(texts)
    table = b""
    for text in texts:
        table += struct.pack("<2I", len(text), at)
        at += len(text) + 1
    head = struct.pack("<7I", 0x950412DE, 0, len(texts) if count is None else count, 28, 0, 0, 0)
    path.write_bytes(head + table + b"\0".join(texts) + b"\0")
    return path


def test_gettext_gives_the_errors_of_a_catalogue(tmp_path):
    file = mo_file(
        tmp_path / "git.mo",
        "",
        "could not open '%s'",
        "menu\x04cannot lock %s",
        "%d file is missing\x00%d files are missing",
        "Switched to branch %s",
        "usage: git\n",
    )
    records = harvested(f"gettext={file}")
    assert [record["errorMessage"] for record in records] == [
        "could not open '{}'",
        "cannot lock {}",
        "{} file is missing",
        "{} files are missing",
    ]
    assert {record["repo"] for record in records} == {"git/git"}


def test_gettext_reads_the_source_form_and_the_verbs_of_gcc(tmp_path):
    file = tmp_path / "gcc.pot"
    file.write_text(
        'msgid ""\nmsgstr "Language: en"\n\n#: a.c:1\nmsgid ""\n"cannot convert %qT "\n'
        '"to %<bool%>"\nmsgstr ""\n',
        encoding="utf-8",
    )
    (record,) = harvested(f"gettext={file}")
    assert record["errorMessage"] == "cannot convert ‘{}’ to ‘bool’"


def test_what_several_tools_say_is_the_record_of_none(tmp_path):
    for name in ("tar", "sed"):
        folder = tmp_path / "de" / "LC_MESSAGES"
        folder.mkdir(parents=True, exist_ok=True)
        mo_file(folder / f"{name}.mo", "cannot allocate memory", f"cannot run {name} here")
    messages = [record["errorMessage"] for record in harvested(f"gettext={tmp_path}")]
    assert sorted(messages) == ["cannot run sed here", "cannot run tar here"]


@pytest.mark.parametrize("content", [b"\xde\x12\x04\x95", b"\xde\x12\x04\x95" + b"\xff" * 24])
def test_a_damaged_catalogue_is_named(tmp_path, content):
    file = tmp_path / "git.mo"
    file.write_bytes(content)
    with pytest.raises(CatalogueError, match=r"git\.mo is damaged"):
        harvested(f"gettext={file}")


def test_a_message_outside_of_its_file_is_damage(tmp_path):
    file = mo_file(tmp_path / "git.mo", "cannot lock %s")
    file.write_bytes(file.read_bytes()[:38])
    with pytest.raises(CatalogueError, match=r"git\.mo is damaged"):
        harvested(f"gettext={file}")


@pytest.mark.parametrize(
    ("pod", "text"),
    [
        ("C<$x> and I<not> B<C<$y>>", "$x and not $y"),
        ("C<< $a->[0] >>", "$a->[0]"),
        ("E<lt>FHE<gt>", "<FH>"),
        ("see L<perlfunc/pack>", "see perlfunc, pack"),
        ("see L<the manual|perlop>", "see perlop"),
        ("marked by S<<-- HERE> in", "marked by <-- HERE in"),
        ("C<" * 500 + "x", "C<" * 500 + "x"),
    ],
)
def test_the_codes_of_pod_are_taken_out(pod, text):
    assert perl.plain(pod) == text


OUTPUTS = {
    "errno": ("java.io.IOException: open failed: EACCES (Permission denied)", "EACCES"),
    "perl": ("Can't find label SHOP at shop.pl line 3.", "Can't find label {}"),
    "openssl": (
        "error:0A000086:SSL routines:tls_post_process_server_certificate:certificate verify failed",
        "0A000086",
    ),
    "rustc": ("error[E0133]: call to unsafe function `shop` is unsafe\n --> a.rs:1:13", "E0133"),
    "ruff": ("shop.py:1:1: S101 Use of `assert` detected", "S101"),
    "mypy": ('shop.py:3: error: "yield" in async comprehension  [misc]', "misc"),
    "javac": (
        "Shop.java:3: error: unreachable statement\n    x = 1;\n    ^",
        "unreachable statement",
    ),
    "go": ("./shop.go:4:2: x redeclared (DuplicateDecl)", "DuplicateDecl"),
}
"""What each tool prints, and the code or the message of the record that has to answer."""


@pytest.mark.tools
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(OUTPUTS))
def test_what_a_tool_prints_is_answered_by_its_catalogue(name, tmp_path):
    printed, expected = OUTPUTS[name]
    beside = Path(sys.executable).with_name(name)
    program = beside if beside.exists() else shutil.which(name)
    if program is None and name != "errno":
        pytest.skip(f"{name} is not installed")
    if name == "rustc" and subprocess.run([str(program), "-V"], capture_output=True).returncode:
        pytest.skip("rustup is there, and no toolchain is chosen")
    asked = f"{name}={program}" if program == beside else name
    file = tmp_path / "records.jsonl"
    file.write_bytes(b"".join(harvest_catalogues(requests([asked]), CatalogueTally())))
    store = open_database(f"sqlite:///{tmp_path}/errdex.db")
    indexes = WhooshIndexStore(tmp_path / "index")
    report = ingest([file], store=store, indexes=indexes, dataset="catalogues")
    assert report.ok, [str(problem) for problem in report.problems][:5]
    knowledge = Knowledge(store, indexes)
    (event, *_) = knowledge.match(printed).answer.events
    assert event.matches, event
    best = event.matches[0].record
    assert expected in {best.error_code, best.error_message}
    knowledge.close()
    store.close()
