"""The command, run as a person or a script runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import re
import resource
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.forked import ForkedCommand
from tests.knowledge_base import SHOP, record

ERRDEX = Path(sys.executable).with_name("errdex")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def errdex(forked: ForkedCommand, home: Path):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ERRDEX_DATABASE_URL": f"sqlite:///{home}/data/errdex.db",
        "LC_ALL": "C.UTF-8",
    }

    def run(
        *words: object, stdin: str = "", stdout=None, before=None, **more: str
    ) -> subprocess.CompletedProcess[str]:
        if before is None:
            return forked.run(words, input=stdin, stdout=stdout, text=True, env=environment | more)
        return subprocess.run(
            [ERRDEX, *map(str, words)],
            input=stdin,
            capture_output=True,
            preexec_fn=before,
            text=True,
            env=environment | more,
            timeout=600,
        )

    return run


@pytest.fixture(scope="module")
def loaded(errdex, home: Path):
    """The command over a database in the user's data folder, with the small knowledge base."""
    done = errdex("ingest", "-", "--dataset", "shop", stdin=json.dumps(SHOP))
    assert done.returncode == 0, done.stderr
    assert (home / "data/errdex.db").exists()
    return errdex


def only_line(text: str) -> str:
    (line,) = text.splitlines()
    return line


@pytest.mark.slow
def test_what_cannot_be_done_is_one_line_on_standard_error(errdex, tmp_path: Path) -> None:
    (tmp_path / "junk.db").write_text("junk" * 500)
    for url, says in [
        (f"sqlite:///{tmp_path}/none.db", "`errdex ingest FILES --database sqlite:///"),
        (f"sqlite:///{tmp_path}/junk.db", "not a database"),
        ("oracle://somewhere", "sqlite:///"),
    ]:
        done = errdex("stats", "--database", url)
        assert (done.returncode, done.stdout) == (3, "")
        assert only_line(done.stderr).startswith("errdex: ")
        assert says in done.stderr


@pytest.mark.parametrize(
    "words",
    ["stats", "show 1", "search x", "export", "verify", "reindex", "pages", "serve", "match -"],
)
def test_a_database_that_is_none_is_named_by_every_command(errdex, words: str) -> None:
    done = errdex(*words.split(), ERRDEX_DATABASE_URL="nonsense")
    assert (done.returncode, done.stdout) == (3, "")
    assert only_line(done.stderr).startswith("errdex: The database URL 'nonsense' does not name")


@pytest.mark.parametrize(
    "words", [("ingest",), ("nonsense",), ("search",), ("search", "x", "--limit", "0"), ("show",)]
)
def test_wrong_usage_ends_with_2(errdex, words) -> None:
    done = errdex(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage" in done.stderr


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("ingest", "ingest [OPTIONS] {PATH}..."),
        ("check", "check [OPTIONS] {PATH}..."),
        ("harvest", "harvest [OPTIONS] [PATH|PACKAGE]..."),
        ("match", "match [OPTIONS] [FILE]..."),
        ("search", "search [OPTIONS] {WORD}..."),
        ("show", "show [OPTIONS] {NAME}..."),
    ],
)
def test_the_usage_says_what_a_command_takes(errdex, command: str, usage: str) -> None:
    said = errdex(command, "--help").stdout.splitlines()
    assert f"Usage: errdex {usage}" in [line.strip() for line in said]


def test_a_setting_that_cannot_be_used_is_named(errdex) -> None:
    done = errdex("stats", ERRDEX_BUSY_TIMEOUT_MS="soon")
    assert done.returncode == 2
    assert "ERRDEX_BUSY_TIMEOUT_MS" in only_line(done.stderr)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("ingest", "-", "--dataset", "a/b"), "dataset name"),
        (("ingest", "-", "--report", "no/such/folder/report.json"), "does not exist"),
        (("ingest", "-", "--report", "/"), "is a directory"),
    ],
)
def test_a_run_that_was_asked_for_wrongly_does_not_begin(errdex, tmp_path, words, says) -> None:
    url = f"sqlite:///{tmp_path}/errdex.db"
    done = errdex(*words, "--database", url, stdin=json.dumps(SHOP))
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("workers", [1, 2])
def test_a_database_that_cannot_be_served_is_one_line(errdex, tmp_path: Path, workers) -> None:
    (tmp_path / "junk.db").write_text("junk" * 500)
    words = ("--port", 0, "--workers", workers, "--database", f"sqlite:///{tmp_path}/junk.db")
    done = errdex("serve", *words)
    assert done.returncode == 3
    assert "not a database" in only_line(done.stderr)


@pytest.mark.slow
def test_a_port_that_is_taken_ends_with_3(loaded) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = loaded("serve", "--port", taken.getsockname()[1])
    assert done.returncode == 3
    assert "address already in use" in done.stderr


def test_check_says_what_is_wrong_and_what_to_write(errdex) -> None:
    records = [SHOP[0], {"repo": "no-slash", "errorMessage": "x y z"}, 5]
    done = errdex("check", "-", stdin=json.dumps(records))
    assert done.returncode == 1
    assert "1 good, 2 refused" in done.stdout
    assert "standard input[1]: repo:" in done.stderr
    assert "write owner/name" in done.stderr


def test_check_says_what_is_not_verified_in_a_few_lines(errdex, tmp_path: Path) -> None:
    bodies = [record(f"Something new {n} happened") for n in range(9)]
    (tmp_path / "shop\x1b[2J.json").write_text(json.dumps(bodies))
    done = errdex("check", tmp_path)
    assert done.returncode == 0
    assert "9 records without references: " in done.stderr
    assert "[4] and 4 more" in done.stderr
    assert "shop\\x1b[2J 0/9" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_a_second_run_changes_nothing(loaded) -> None:
    done = loaded("ingest", "-", "--dataset", "shop", "--json", stdin=json.dumps(SHOP))
    report = json.loads(done.stdout)
    assert (report["unchanged"], report["added"], report["changed"]) == (len(SHOP), 0, 0)


@pytest.mark.slow
def test_strict_changes_nothing_and_the_report_is_written(loaded, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    records = [record("Something new {x} happened"), {"repo": "acme/shop"}]
    words = ("ingest", "-", "--dataset", "shop", "--strict", "--report", file)
    done = loaded(*words, stdin=json.dumps(records))
    assert done.returncode == 1
    report = json.loads(file.read_text())
    assert (report["applied"], report["added"], report["refused"]) == (False, 0, 1)
    assert loaded("search", "something", "new").returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("words", [["basket", "-x"], ["basket", "-lempty"], ["basket", "-a", "-h"]])
def test_search_takes_a_pasted_command_line(loaded, words: list[str]) -> None:
    done = loaded("search", "--json", *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["items"]


def test_search_shows_the_way_to_the_record(loaded) -> None:
    done = loaded("search", "empty", "basket", "--limit", "1")
    assert done.returncode == 0
    assert "Basket {basket_id} is empty" in done.stdout
    shown = done.stdout[done.stdout.index("errdex show ") :].split()[2]
    record_view = loaded("show", shown)
    assert record_view.returncode == 0
    for part in ("What it means", "Solutions", "1. Add an article before checkout."):
        assert part in record_view.stdout
    envelope = json.loads(loaded("show", shown, "--json").stdout)
    assert envelope["record"]["tags"] == ["basket", "checkout"]
    assert envelope["datasetVersion"]


@pytest.mark.slow
def test_long_lines_are_wrapped_in_a_pipe_but_not_code(loaded) -> None:
    sentence = "word " * 60 + f"`{'code ' * 30}end`"
    loaded(
        "ingest",
        "-",
        "--dataset",
        "long",
        stdin=json.dumps(
            [record("A long tale {x} told", id="00000000000000ee", documentation=sentence)]
        ),
    )
    shown = loaded("show", "00000000000000ee").stdout
    assert f"  `{'code ' * 30}end`\n" in shown
    assert f"  {'word ' * 18}word\n" in shown


@pytest.mark.slow
def test_nothing_found_ends_with_1_and_helps(loaded) -> None:
    done = loaded("search", "baskit")
    assert done.returncode == 1 or "some of the words" in done.stdout
    done = loaded("show", "nothing")
    assert done.returncode == 1
    assert "errdex search WORDS" in only_line(done.stderr)


@pytest.mark.slow
def test_escape_sequences_of_a_record_are_shown_not_obeyed(loaded) -> None:
    evil = record(
        "Evil {x} title", id="00000000000000ff", documentation="see \u202egnp.exe", tags=["evil"]
    )
    assert loaded("ingest", "-", "--dataset", "evil", stdin=json.dumps([evil])).returncode == 0
    shown = loaded("show", "00000000000000ff").stdout
    assert "\u202e" not in shown
    assert "\\u202egnp.exe" in shown


@pytest.mark.slow
def test_an_export_can_be_ingested_again(loaded, errdex, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    assert loaded("export", "--output", file, "--dataset", "shop").returncode == 0
    other = f"sqlite:///{tmp_path}/other.db"
    done = errdex("ingest", file, "--dataset", "shop", "--database", other, "--json")
    assert json.loads(done.stdout)["added"] == len(SHOP)
    again = errdex("export", "--database", other)
    assert again.stdout == file.read_text()


def test_a_dataset_is_removed_again(errdex, tmp_path: Path) -> None:
    own = {"HOME": str(tmp_path), "ERRDEX_DATABASE_URL": f"sqlite:///{tmp_path}/own.db"}
    nothing = errdex("remove", "--dataset", "mine", **own)
    assert nothing.returncode == 3
    assert "There is no database at" in only_line(nothing.stderr)
    lines = json.dumps(
        [record(f"call {n} failed", repo=repo) for n, repo in enumerate(("a/b", "a/c", "a/c"))]
    )
    assert errdex("ingest", "-", "--dataset", "mine", stdin=lines, **own).returncode == 0
    nothing = errdex("remove", "--repo", "a/d", **own)
    assert nothing.returncode == 1
    assert "No record is of the repository “a/d”" in only_line(nothing.stderr)
    assert errdex("remove", **own).returncode == 2
    removed = errdex("remove", "--repo", "a/c", **own)
    assert removed.returncode == 0, removed.stderr
    assert only_line(removed.stdout).startswith("removed: 2 records of mine, ")
    report = json.loads(errdex("remove", "--dataset", "mine", "--json", **own).stdout)
    assert (report["records"], report["datasets"]) == (1, ["mine"])


def test_the_starter_records_are_not_removed(forked: ForkedCommand, tmp_path: Path) -> None:
    own = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    done = forked.run(["remove", "--dataset", "starter"], env=own, text=True)
    assert done.returncode == 2
    assert "comes with Errdex" in done.stderr


def test_a_missing_index_is_built_before_the_search(loaded, home: Path) -> None:
    for manifest in (home / "data").glob("errdex.db.index/*/*"):
        manifest.unlink()
    done = loaded("search", "basket")
    assert done.returncode == 0
    assert "rebuilt" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        ("search", "basket"),
        ("search", "basket", "--json"),
        ("export",),
        ("stats",),
        ("match", "--help"),
        ("--version",),
    ],
)
def test_a_full_disk_behind_the_output_is_one_line(loaded, words) -> None:
    with Path("/dev/full").open("w") as full:
        done = loaded(*words, stdout=full)
    assert done.returncode == 3
    assert "errdex: The output could not be written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("words", [("search", "basket"), ("export",), ("stats",)])
def test_a_reader_that_goes_away_ends_the_command_in_silence(loaded, words) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = loaded(*words, stdout=writing)
    finally:
        os.close(writing)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("closed", "words", "code"),
    [
        (0, ("check", "-"), 1),
        (1, ("export",), 0),
        (1, ("search", "basket"), 0),
        (2, ("export",), 0),
    ],
)
def test_a_closed_standard_stream_is_an_empty_one(loaded, closed, words, code) -> None:
    done = loaded(*words, before=lambda: os.close(closed))
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_stats_and_version(loaded) -> None:
    stats = json.loads(loaded("stats", "--json").stdout)
    assert stats["records"] >= len(SHOP)
    assert stats["patterns"]["patterns"] == stats["records"]
    assert stats["patterns"]["unfiltered"] == stats["patterns"]["refused"] == 0
    assert "unfiltered" in loaded("stats").stdout
    assert "records" in loaded("stats").stdout
    assert loaded("version").stdout.startswith("errdex ")
    assert loaded("reindex").returncode == 0


@pytest.mark.slow
def test_verify_tells_a_sound_database_from_a_damaged_one(errdex, tmp_path: Path) -> None:
    path = tmp_path / "errdex.db"
    url = f"sqlite:///{path}"
    assert errdex("ingest", "-", "--database", url, stdin=json.dumps(SHOP)).returncode == 0
    sound = errdex("verify", "--database", url)
    assert (sound.returncode, sound.stdout) == (0, "The database is undamaged.\n")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE record SET slug = 'x\x1b[2Jy'")
    damaged = errdex("verify", "--database", url)
    assert damaged.returncode == 1
    assert damaged.stderr.count("is not what was written") == len(SHOP)
    assert "restore a copy" in damaged.stderr.splitlines()[-1]
    assert "\x1b" not in damaged.stderr


@pytest.mark.slow
@pytest.mark.parametrize("room", [0, 120_000])
def test_a_file_that_may_not_grow_leaves_what_was_there(errdex, tmp_path: Path, room: int) -> None:
    """As a quota or a full disk does, wherever in the run it strikes."""
    path = tmp_path / "errdex.db"
    url = f"sqlite:///{path}"
    assert errdex("ingest", "-", "--database", url, stdin=json.dumps(SHOP)).returncode == 0
    before = errdex("export", "--database", url).stdout
    many = [record(f"Number {n} is {{state}}", documentation="why " * 500) for n in range(200)]
    (tmp_path / "many.json").write_text(json.dumps(many))
    command = ("ingest", tmp_path / "many.json", "--database", url)

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    refused = errdex(*command, before=bound)
    assert refused.returncode == 3, refused.stdout
    assert "Traceback" not in refused.stderr
    assert re.search("no room|disk|quota|too large", refused.stderr.splitlines()[-1])
    assert errdex("verify", "--database", url).returncode == 0
    assert errdex("export", "--database", url).stdout == before
    assert errdex(*command).returncode == 0
    found = errdex("search", "number 7", "--database", url)
    assert "Number 7 is" in found.stdout
    assert "being rebuilt" not in found.stderr
