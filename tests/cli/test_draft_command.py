"""`errdex draft`: from a log to a record file that `errdex check` accepts and that then matches."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest
import yaml
from tests.cli.forked import ForkedCommand
from tests.cli.shop import load_shop

LOG = """2026-11-29 09:14:02 INFO start
Traceback (most recent call last):
  File "/home/ada/shop/app.py", line 3, in <module>
    run()
shop.errors.TenantMissing: tenant 'acme' is not on db7.internal.corp:5432 (asked by ada@acme.com)
2026-11-29 09:14:04 ERROR widget refused to spin at /srv/widgets/a.cfg: password=hunter2
frob: error: cannot open the grommet {left: 3} after 12 tries
src/app.ts(3,7): error TS99999: The basket [4711] is%full.
KeyError: 'acme'
KeyError: 'other'
"""
KNOWN = "Traceback (most recent call last):\nShopError: Basket 4711 is empty\n"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def errdex(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory) -> Run:
    environment = load_shop(forked, tmp_path_factory.mktemp("home"))

    def run(*words: object, text: str = "") -> subprocess.CompletedProcess[str]:
        return forked.run(words, input=text, text=True, env=environment)

    return run


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        ("2026-11-29 09:14:02 INFO all is well\n" * 3, "No error was found in this log."),
        (KNOWN, "Every error of this log has a record: run `errdex match`."),
    ],
)
def test_a_log_with_nothing_to_draft_is_told_so(errdex: Run, log: str, sentence: str) -> None:
    done = errdex("draft", text=log)
    assert (done.returncode, done.stdout) == (1, "")
    assert sentence in done.stderr


@pytest.fixture(scope="module")
def drafts(errdex: Run) -> str:
    done = errdex("draft", "-", "--repo", "acme/shop", text=LOG + KNOWN)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_each_unknown_error_is_drafted_once_with_its_holes(drafts: str) -> None:
    records = yaml.safe_load(drafts)
    assert [each["errorMessage"] for each in records] == [
        "tenant '{tenant}' is not on {host}:{number} (asked by {email})",
        "widget refused to spin at {path}: password={secret}",
        "cannot open the grommet {left: {number}} after {number2} tries",
        "The basket [{number}] is%%full.",
        "'{value}'",
    ]
    assert {each["repo"] for each in records} == {"acme/shop"}
    assert records[0]["errorClass"] == "shop.errors.TenantMissing"
    assert records[0]["language"] == "python"
    assert records[3]["errorCode"] == "TS99999"
    assert "`tool {{tenant}}`" in records[0]["solutions"][0]


def test_nothing_private_is_in_a_draft(drafts: str) -> None:
    for private in ("ada", "db7", "corp", "hunter2"):
        assert private not in drafts


def test_the_check_accepts_it_and_the_log_is_known_afterwards(errdex: Run, drafts: str) -> None:
    checked = errdex("check", "-", text=drafts)
    assert checked.returncode == 0, checked.stderr
    assert "5 good, 0 refused" in checked.stdout
    loaded = errdex("ingest", "-", "--dataset", "drafts", text=drafts)
    assert loaded.returncode == 0, loaded.stderr
    answer = json.loads(errdex("match", "--json", text=LOG).stdout)
    assert [each["outcome"] for each in answer["events"]] == ["known"] * len(answer["events"])


def test_the_number_of_drafts_is_bounded_and_the_rest_counted(errdex: Run) -> None:
    log = "".join(f"ValueError: {'very ' * number}odd thing\n" for number in range(1, 6))
    done = errdex("draft", "--limit", "2", text=log)
    assert len(yaml.safe_load(done.stdout)) == 2
    assert "3 more are left out: see --limit." in done.stderr
