"""`errdex match`, run as a person or a script runs it."""

from __future__ import annotations

import gzip
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from tests.cli.forked import ForkedCommand
from tests.cli.shop import load_shop
from tests.cli.terminal_output import read_terminal
from tests.knowledge_base import SHOP, record
from tests.limits.serving import running

ERRDEX = Path(sys.executable).with_name("errdex")
PASTE = (
    b"Traceback (most recent call last):\n"
    b'  File "shop/basket.py", line 12, in checkout\n'
    b"ShopError: Basket 4711 is empty\n"
)
EVIL = record(
    "Evil {x} thing",
    id="00000000000000ff",
    documentation="see \u202egnp.exe",
    solutions=["press \u2066any\u2069 key"],
)
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="module")
def environment(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    url = f"sqlite:///{home}/data/errdex.db"
    return load_shop(forked, home, [*SHOP, EVIL], ERRDEX_DATABASE_URL=url)


@pytest.fixture(scope="module")
def match(forked: ForkedCommand, environment: dict[str, str]) -> Run:
    def run(*words: object, paste: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return forked.run(("match", *words), input=paste, env=environment)

    return run


def test_an_empty_log_is_told_to_be_empty(match: Run) -> None:
    for paste in (b"", b" \n\n"):
        done = match(paste=paste)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr == b"errdex: The log is empty: there is nothing to match.\n"
        assert json.loads(match("--json", paste=paste).stdout)["events"] == []


def test_a_pipe_is_answered_with_what_why_and_the_fix(match: Run) -> None:
    done = match(paste=PASTE)
    assert (done.returncode, done.stderr) == (0, b"")
    for part in (
        "lines 1–3  ShopError: Basket 4711 is empty",
        "Basket {basket_id} is empty",
        "basket_id = 4711",
        "Checkout was asked for a basket that holds no articles.",
        "Add an article before checkout.",
        "Raised in shop/basket.py:12",
        "errdex show ",
    ):
        assert part in done.stdout.decode()
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize("packed", [bytes, gzip.compress, zstandard.compress])
def test_a_file_may_be_packed(match: Run, tmp_path: Path, packed) -> None:
    file = tmp_path / "build.log"
    file.write_bytes(packed(PASTE))
    done = match(file, "--json")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert answer["events"][0]["matches"][0]["captures"][0]["text"] == "4711"


@pytest.mark.slow
def test_json_is_the_answer_of_the_api(match: Run, tmp_path: Path) -> None:
    with running(tmp_path, [EVIL]) as server:
        url = f"http://127.0.0.1:{server.port}"
        here = json.loads(match("--json", paste=PASTE).stdout)
        there = json.loads(match("--json", "--server", url, paste=PASTE).stdout)
        text = match("--server", f"{url}/", paste=PASTE)
    del here["datasetVersion"], there["datasetVersion"]
    address = there["events"][0]["matches"][0]["record"].pop("url")
    assert here == there
    assert text.returncode == 0
    assert address.startswith(f"{url}/errors/")
    assert address in text.stdout.decode()


@pytest.mark.slow
def test_nothing_known_ends_with_1(match: Run) -> None:
    done = match(paste=b"ValueError: quite unheard of\n")
    assert done.returncode == 1
    assert "No matching record yet." in done.stdout.decode()
    done = match(paste=b"all is well\n")
    hint = b"Words of your own are for a search: errdex search WORDS\n"
    assert (done.returncode, done.stdout) == (1, b"No errors found in 1 line.\n" + hint)
    done = match(paste=b"\x1b[0m\n")
    assert (done.returncode, done.stdout) == (1, b"The log is empty.\n")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--limit", "0"), 2, "Usage"),
        (("--server", "ftp://example"), 2, "https://errdex.example"),
        (("--server", "localhost:x"), 2, "x"),
        (("--server", "localhost:1"), 3, "http://localhost:1 cannot be reached"),
        (("--server", "http://127.0.0.1:1"), 3, "cannot be reached: Connection refused"),
        (("no/such/file",), 3, "No such file"),
        ((".", "--follow"), 2, "--follow is for one log"),
        (("--database", "sqlite:////no/such/place.db"), 3, "errdex ingest"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(match: Run, words, code, says) -> None:
    done = match(*words, paste=PASTE)
    assert (done.returncode, done.stdout) == (code, b"")
    assert says in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_a_packed_file_that_is_cut_is_said(match: Run, tmp_path: Path) -> None:
    file = tmp_path / "cut.log.gz"
    file.write_bytes(gzip.compress(PASTE)[:-9])
    done = match(file)
    assert done.returncode == 3
    assert "cut off" in done.stderr.decode()


def test_what_others_wrote_cannot_steer_the_terminal(match: Run) -> None:
    paste = b"ShopError: Evil \xc2\x9b31m\xe2\x80\xaeone\x1b]0;title\x07\x1b[5m thing\n"
    done = match(paste=paste)
    assert done.returncode == 0
    text = done.stdout.decode()
    assert "\\u202egnp.exe" in text
    assert "\\u2066any" in text
    assert all(character == "\n" or character.isprintable() for character in text)


def test_a_format_is_chosen_by_name(match: Run) -> None:
    assert match("--format", "text", paste=PASTE).stdout == match(paste=PASTE).stdout
    done = match("--format", "JSON", paste=PASTE)
    assert done.stdout == match("--json", paste=PASTE).stdout
    assert done.stdout == match("--json", "--format", "json", paste=PASTE).stdout
    assert json.loads(done.stdout)["found"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--format", "jsn"), ("“jsn”", "Did you mean json?", "Known formats: json, text, ")),
        (("--format", "\x1b[2J"), ("Known formats: json, text, ",)),
        (("--format", ""), ("Known formats:",)),
        (("--format", "text", "--json"), ("--json", "contradict")),
    ],
)
def test_a_format_that_cannot_be_used_is_reported(match: Run, options, words) -> None:
    done = match(*options, paste=PASTE)
    assert (done.returncode, done.stdout) == (2, b"")
    error = done.stderr.decode()
    assert all(word in error for word in words)
    assert "\x1b" not in error


def test_further_errors_are_counted(match: Run) -> None:
    paste = PASTE + PASTE.replace(b"Basket 4711 is empty", b"Order 5 has no lines")
    text = match("--limit", 1, paste=paste).stdout.decode()
    assert "2 errors found in 6 lines, 2 known." in text
    assert text.endswith("… and 1 more error\n")


def test_a_reader_starts_with_the_first_error_shown(match: Run) -> None:
    done = match(paste=b"TideError: nobody knows this\nerror: Evil 7 thing\n")
    titles = [line for line in done.stdout.decode().splitlines() if line.startswith("line ")]
    assert [("Evil 7 thing" in each, "start here" in each) for each in titles] == [
        (True, True),
        (False, False),
    ]


def test_colours_are_for_terminals(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "build.log"
    file.write_bytes(PASTE)
    ours, its = pty.openpty()
    words = [ERRDEX, "match", str(file)]
    with subprocess.Popen(words, stdout=its, env=environment | {"TERM": "xterm"}) as process:
        os.close(its)
        shown = read_terminal(ours)
    assert process.returncode == 0
    assert b"\x1b[1;31mShopError: Basket 4711 is empty" in shown


class Followed:
    """A command that follows a log, which is written line by line."""

    def __init__(self, environment: dict[str, str], *words: str) -> None:
        self.process = subprocess.Popen(
            [ERRDEX, "match", "--follow", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            bufsize=0,  # `communicate` would not see what was read ahead
        )

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read_line(self) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def end(self) -> tuple[int, bytes, bytes]:
        out, err = self.process.communicate(timeout=600)
        return self.process.returncode, out, err


def test_a_log_is_answered_while_it_is_written(environment: dict[str, str]) -> None:
    followed = Followed(environment, "--json")
    followed.write(b"all is well\n")
    followed.write(PASTE)  # in one piece: a pause within it would be taken for its end
    first = json.loads(followed.read_line())  # and the log goes on
    assert [event["message"] for event in first["events"]] == ["Basket 4711 is empty"]
    assert first["events"][0]["lastLine"] == 4
    followed.write(b"ShopError: Order 5 has no lines\n")
    second = json.loads(followed.read_line())
    assert (second["fromLine"], second["events"][0]["firstLine"]) == (5, 5)
    assert followed.end() == (0, b"", b"")


def test_a_followed_log_without_known_errors_ends_with_1(environment: dict[str, str]) -> None:
    followed = Followed(environment)
    followed.write(b"all is well")
    assert followed.end() == (1, b"", b"")


def test_a_user_who_ends_it_is_told_what_came_in(environment: dict[str, str]) -> None:
    followed = Followed(environment)
    followed.write(PASTE)
    assert followed.read_line() == b"\n"  # it has begun to answer
    followed.process.send_signal(2)
    code, out, err = followed.end()
    assert (code, err) == (0, b"")
    assert b"Basket {basket_id} is empty" in out


def test_notes_are_told_below_their_error(match: Run) -> None:
    paste = (
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n'
        '    raise ValueError("unheard of")\nValueError: unheard of\nwhile \x1b[2Jreading a\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "a.py", line 5, in <module>\n    1 / 0\n'
        "ZeroDivisionError: division by zero\n"
    )
    rows = match(paste=paste.encode()).stdout.decode().splitlines()
    error = next(number for number, row in enumerate(rows) if "ValueError: unheard of" in row)
    assert rows[error + 1].strip() == "note: while reading a"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder with logs, and with what is no log."""
    (tmp_path / "logs/job").mkdir(parents=True)
    (tmp_path / "logs/a.log").write_bytes(PASTE)
    (tmp_path / "logs/fine.log").write_bytes(b"2026-11-29T12:00:00Z INFO all is well\n" * 3)
    (tmp_path / "logs/job/b.log.gz").write_bytes(gzip.compress(PASTE))
    (tmp_path / "logs/.hidden.log").write_bytes(PASTE)
    (tmp_path / "logs/core").write_bytes(b"\x7fELF\0\0" + PASTE)
    (tmp_path / "logs/link.log").symlink_to(tmp_path / "logs/a.log")
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_several_logs_and_folders_are_answered_each_below_its_name(match: Run, logs: Path) -> None:
    done = match(logs / "logs", logs / "logs/fine.log")
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert [line for line in lines if line.startswith(str(logs))] == [
        str(logs / "logs/a.log"),
        str(logs / "logs/job/b.log.gz"),
    ]
    assert lines[-1] == "2 errors found in 4 logs, 2 known."
    assert match(logs / "logs/fine.log", logs / "logs/fine.log").returncode == 1


def test_several_logs_as_data_are_a_line_each(match: Run, logs: Path) -> None:
    done = match(logs / "logs", "--json")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [Path(each["file"]).name for each in answers] == ["a.log", "fine.log", "b.log.gz"]
    assert [each["found"] for each in answers] == [True, False, True]


def test_a_log_that_cannot_be_read_does_not_keep_the_others(match: Run, logs: Path) -> None:
    (logs / "cut.log.gz").write_bytes(gzip.compress(PASTE)[:-9])
    done = match(logs / "none.log", logs / "cut.log.gz", logs / "logs/a.log")
    assert done.returncode == 3
    assert "1 error found in 1 log, 1 known." in done.stdout.decode()
    said = done.stderr.decode()
    assert "none.log: No such file" in said
    assert "cut.log.gz: The log cannot be read" in said


def test_a_folder_without_logs_is_said(match: Run, logs: Path) -> None:
    done = match(logs / "empty")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"no text files" in done.stderr
