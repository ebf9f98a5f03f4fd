"""`errdex match --fail-on` and `--baseline`: what fails a build."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.forked import ForkedCommand
from tests.cli.shop import load_shop

pytestmark = pytest.mark.slow

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
KNOWN = b"ShopError: Basket 7 is empty\n"
UNKNOWN = b"NapkinError: quite unheard of\n"
SYMPTOM = b"make: *** [Makefile:2: all] Error 1\n"


@pytest.fixture(scope="module")
def match(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("home")
    named = load_shop(forked, home)

    def run(*words: object, paste: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return forked.run(("match", *words), input=paste, env=named)

    return run


CODES = [
    (b"", {"known": 0, "unknown": 0, "any": 0}),
    (b"all is well\n", {"known": 0, "unknown": 0, "any": 0}),
    (KNOWN, {"known": 4, "unknown": 0, "any": 4}),
    (UNKNOWN, {"known": 0, "unknown": 4, "any": 4}),
    (KNOWN + b"\n" + UNKNOWN, {"known": 4, "unknown": 4, "any": 4}),
    (KNOWN + SYMPTOM, {"known": 4, "unknown": 0, "any": 4}),
    (SYMPTOM, {"known": 0, "unknown": 0, "any": 4}),
]


@pytest.mark.parametrize(("paste", "codes"), CODES)
def test_the_exit_code_is_0_or_4(match: Run, tmp_path: Path, paste, codes) -> None:
    assert {kind: match("--fail-on", kind, paste=paste).returncode for kind in codes} == codes
    (tmp_path / "a.log").write_bytes(paste or b"well\n")
    (tmp_path / "b.log").write_bytes(b"well\n")
    done = {kind: match("--fail-on", kind, tmp_path, "--json").returncode for kind in codes}
    assert done == codes


def test_a_failure_is_still_one(match: Run, tmp_path: Path) -> None:
    assert match("--fail-on", "any", tmp_path / "missing.log").returncode == 3
    assert match("--fail-on", "some").returncode == 2
    assert match("--fail-on", "any", tmp_path).returncode == 1  # no logs: nothing was checked
    both = match("--fail-on", "any", tmp_path / "missing.log", tmp_path)
    assert both.returncode == 3


@pytest.mark.parametrize("only", ["known", "unknown"])
def test_only_known_or_unknown_errors_are_written_but_all_count(
    match: Run, tmp_path: Path, only: str
) -> None:
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_bytes(KNOWN + b"\n" + UNKNOWN)
    options = ("--only", only, "--fail-on", "any", "--format", "ndjson")
    for logs in (["a.log"], ["a.log", "b.log"]):
        done = match(*options, *(tmp_path / name for name in logs))
        assert done.returncode == 4
        outcomes = [json.loads(line)["outcome"] for line in done.stdout.splitlines()]
        assert outcomes == [only] * len(logs)
    other = "unknown" if only == "known" else "known"
    assert match("--only", only, "--fail-on", other, tmp_path / "a.log").returncode == 4
    done = match("--only", only, "--follow", "--json", tmp_path / "a.log")
    (line,) = done.stdout.splitlines()
    assert [event["outcome"] for event in json.loads(line)["events"]] == [only]


def test_errors_of_the_baseline_are_left_out(match: Run, tmp_path: Path) -> None:
    green = tmp_path / "green.log"
    green.write_bytes(b"10:00:00 ok\n" + UNKNOWN)
    again = b"x\n\n" + UNKNOWN + b"\n" + KNOWN.replace(b"7", b"9")
    done = match("--baseline", green, "--json", paste=again)
    answer = json.loads(done.stdout)
    assert [event["message"] for event in answer["events"]] == ["Basket 9 is empty"]
    assert answer["rootCause"] == 0
    assert answer["readingOrder"] == [0]
    assert done.stderr.decode() == f"1 error left out: {green} has the same.\n"
    done = match("--baseline", green, "--fail-on", "any", paste=UNKNOWN)
    assert done.returncode == 0
    assert b"No errors found in 1 line." in done.stdout
    assert match("--baseline", green, "--fail-on", "known", paste=again).returncode == 4


def test_what_came_of_an_error_of_the_baseline_stays(match: Run, tmp_path: Path) -> None:
    chain = (
        b"Traceback (most recent call last):\n"
        b'  File "a.py", line 1, in f\n'
        b"KeyError: 'x'\n\n"
        b"The above exception was the direct cause of the following exception:\n\n"
        b"Traceback (most recent call last):\n"
        b'  File "b.py", line 2, in g\n'
        b"ShopError: Basket 7 is empty\n"
    )
    green = tmp_path / "green.log"
    green.write_bytes(
        b"Traceback (most recent call last):\n  File \"a.py\", line 9, in f\nKeyError: 'x'\n"
    )
    (event,) = json.loads(match("--baseline", green, "--json", paste=chain).stdout)["events"]
    assert (event["errorClass"], event["cause"]) == ("ShopError", None)


def test_a_baseline_may_be_a_folder_but_must_be_readable(match: Run, tmp_path: Path) -> None:
    (tmp_path / "green.log").write_bytes(UNKNOWN)
    assert match("--baseline", tmp_path, "--fail-on", "any", paste=UNKNOWN).returncode == 0
    done = match("--baseline", tmp_path / "none", "--fail-on", "any", paste=UNKNOWN)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode() == f"errdex: {tmp_path}/none: No such file or directory\n"


def test_a_followed_log_is_compared_too(match: Run, tmp_path: Path) -> None:
    (tmp_path / "green.log").write_bytes(UNKNOWN)
    done = match("--follow", "--baseline", tmp_path / "green.log", paste=UNKNOWN + b"\n\n" + KNOWN)
    assert b"Basket 7 is empty" in done.stdout
    assert b"quite unheard of" not in done.stdout
