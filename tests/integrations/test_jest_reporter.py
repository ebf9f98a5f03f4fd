"""The reporter for Jest (integrations/jest): in node, and in a run of Jest's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.knowledge_base import load, record
from tests.ports import reserved_port
from tests.reproductions.running import PREPARED
from tests.serving import served

from errdex.config import Settings, open_store

ROOT = Path(__file__).parents[2]
REPORTER = ROOT / "integrations" / "jest"
pytestmark = [pytest.mark.slow, pytest.mark.tools("node")]
RECORDS = [
    record(
        "Basket {basket_id} is empty",
        solutions=["Add an article to basket `{{basket_id}}` before checkout."],
    ),
    record(
        "Cart {cart} is cursed",
        title="Cursed\u202e title",
        solutions=["::set-output name=x::y\n::error::z"],
    ),
]
CARD = [
    "Test: shop checks out",
    "  Known error: Basket {basket_id} is empty",
    "  Fix: Add an article to basket `4711` before checkout.",
]
DRIVER = """
const Reporter = require(process.argv[1]);
const options = JSON.parse(process.argv[2]);
const results = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
new Reporter({}, { ...options, write: (text) => process.stdout.write(text) })
  .onRunComplete(new Set(), results);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("known")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder, RECORDS) as address:
        yield address


@pytest.fixture(scope="module")
def command(folder: Path) -> str:
    """A program that is `errdex` with these records."""
    url = f"sqlite:///{folder / 'own.db'}"
    load(folder, *open_store(Settings(database_url=url)), RECORDS)
    program = folder / "errdex"
    program.write_text(
        f"#!/bin/sh\nPYTHONPATH={ROOT / 'app'} exec {sys.executable} "
        f"-c 'from errdex.cli import main; main()' \"$@\" --database {url}\n"
    )
    program.chmod(0o755)
    return str(program)


def failed(name: str, *messages: str) -> dict[str, Any]:
    return {"fullName": name, "status": "failed", "failureMessages": list(messages)}


def report(options: dict[str, Any], *files: dict[str, Any]) -> str:
    """What the reporter writes of these results."""
    done = subprocess.run(
        ["node", "-e", DRIVER, str(REPORTER), json.dumps(options)],
        input=json.dumps({"testResults": list(files)}),
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


TESTS = [
    {"fullName": "good", "status": "passed", "failureMessages": []},
    failed("shop is unknown", "NeverSeenError: what is this"),
    failed(
        "shop checks out",
        "\x1b[31mShopError: Basket 4711 is empty\x1b[39m\n    at f (a.js:1:2)",
    ),
]
FILES = [
    {"testResults": TESTS},
    {
        "testFilePath": "/shop/broken.test.js",
        "testResults": [],
        "failureMessage": "ShopError: Basket 7 is empty",
    },
]


@pytest.mark.parametrize("way", ["command", "server"])
def test_a_known_error_is_shown_with_its_fix(way: str, command: str, address: str) -> None:
    options = {"command": command} if way == "command" else {"server": address}
    lines = [line for line in report(options, *FILES).splitlines() if line]
    assert lines[:3] == CARD
    assert lines[3].startswith("  More: " + ("errdex show " if way == "command" else address))
    assert lines[4] == "Test: /shop/broken.test.js"
    assert len(lines) == 8


@pytest.mark.parametrize("way", ["command", "server"])
def test_texts_of_records_and_tests_begin_no_line(way: str, command: str, address: str) -> None:
    options = {"command": command} if way == "command" else {"server": address}
    file = {"testResults": [failed("x\n::stop-commands::y\x1b[2J", "ShopError: Cart 7 is cursed")]}
    said = report(options, file)
    assert "Known error: Cursed\\u{202e} title" in said
    assert "\x1b" not in said
    assert [line for line in said.splitlines() if line.strip().startswith("::")] == []


def test_trouble_is_one_line_and_no_failure(command: str) -> None:
    with reserved_port() as port:
        for options in (
            {"command": "no-such-command"},
            {"command": "false"},
            {"server": f"http://127.0.0.1:{port}"},
        ):
            (line,) = report(options, *FILES).splitlines()
            assert line.startswith("errdex: "), options
    assert report({"command": command}) == ""


def test_jest_loads_it(command: str, tmp_path: Path) -> None:
    prepared = PREPARED / "node/node_modules/.bin"
    jest = shutil.which("jest", path=f"{prepared}{os.pathsep}{os.environ['PATH']}")
    if jest is None:
        pytest.skip("jest is not installed")
    (tmp_path / "shop.test.js").write_text(
        "class ShopError extends Error { constructor(m) { super(m); this.name = 'ShopError'; } }\n"
        "describe('shop', () => { test('checks out', () => {\n"
        "  throw new ShopError('Basket 4711 is empty');\n}); });\n"
    )
    reporters = ["default", [str(REPORTER), {"command": command}]]
    (tmp_path / "package.json").write_text(json.dumps({"jest": {"reporters": reporters}}))
    done = subprocess.run(
        [jest, "--rootDir", tmp_path, "--watchman=false"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "CI": "true", "NO_COLOR": "1", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    at = lines.index(CARD[0])
    assert lines[at : at + 3] == CARD


def test_its_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    package = json.loads((REPORTER / "package.json").read_text())
    assert package["version"] == version("errdex")
    assert all((REPORTER / name).is_file() for name in package["files"])
