"""What a run does about skipped tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.skips import EXPECTED, find_unexpected, read_expected, tools_of

ROOT = Path(__file__).parent.parent
TESTS = """
import pytest

@pytest.mark.parametrize("number", range(3))
def test_it(number):
    if number:
        pytest.skip("no-such-program is not installed")

@pytest.mark.xfail(strict=True)
def test_expected_to_fail():
    assert False
"""
CONFTEST = """
from pathlib import Path
from tests.skips import SkipCount

def pytest_configure(config):
    config.pluginmanager.register(SkipCount(Path(__file__).with_name("expected.txt")))
"""


@pytest.mark.parametrize(
    ("most", "ci", "workers", "status"),
    [("2", "true", "0", 0), ("1", "true", "0", 1), ("1", "true", "2", 1), ("1", "", "0", 0)],
)
def test_more_skips_than_are_listed_fail_a_run_in_ci(
    tmp_path: Path, most: str, ci: str, workers: str, status: int
) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "expected.txt").write_text(f"# most reason\n{most} no-such-* is not installed\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", os.devnull, "-p", "xdist", "-n", workers, "-q"],
        cwd=tmp_path,
        env=os.environ | {"CI": ci, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout + done.stderr
    said = f"2 skipped, expected at most {most}: no-such-program is not installed"
    assert (said in done.stdout) == bool(status)
    closing = "1 passed, 2 skipped, 1 xfailed" + ", 1 error" * status
    assert closing in done.stdout.rstrip().splitlines()[-1]


def test_a_reason_that_is_not_listed_is_unexpected() -> None:
    assert list(find_unexpected(Counter({"it rains": 1}), {"it snows": 5}))
    assert not list(find_unexpected(Counter({"it snows": 5}), {"it snows": 5}))


@pytest.mark.parametrize("reason", ["{} is not installed", "missing here: the command {}"])
def test_a_program_that_is_there_is_no_reason(reason: str) -> None:
    there, gone = reason.format(sys.executable), reason.format("no-such-program")
    assert list(find_unexpected(Counter({there: 1}), {there: 1}))
    assert not list(find_unexpected(Counter({gone: 1}), {gone: 1}))


def test_the_list_has_every_test_that_names_its_tools(request: pytest.FixtureRequest) -> None:
    needed = Counter(
        f"{name} is not installed" for item in request.session.items for name in tools_of(item)
    )
    expected = read_expected()
    assert {reason: n for reason, n in needed.items() if n > expected.get(reason, 0)} == {}


def test_every_line_is_a_number_and_a_reason() -> None:
    assert all(most > 0 for most in read_expected(EXPECTED).values())


def test_no_module_is_skipped_as_a_whole() -> None:
    """With xdist, nothing counts that."""
    for file in (ROOT / "tests").rglob("*.py"):
        if file != Path(__file__):
            text = file.read_text(encoding="utf-8")
            assert "allow_module_level" not in text, file
            assert "importorskip" not in text, file
