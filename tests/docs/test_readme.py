"""Every command of the README is run, and what it prints is compared."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.generated import DOCS
from tests.serving import served

pytestmark = pytest.mark.slow

README = (DOCS.parent / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = {
    "pipx install errdex             # the terminal": "installs from a package index",
    "pipx install 'errdex[server]'   # and the website with its API": "installs from an index",
    "tail -f app.log | errdex match --follow": "never ends; tests/cli follows logs",
    "make serve    # install into .venv, load data/, serve on http://127.0.0.1:8000": "never ends",
    "make test     # lint, types, import contracts, all tests": "runs this test",
    "errdex harvest --installed --ingest     # the packages of this Python": "takes minutes",
}
"""Commands of the README that are not run here, with the reason."""
SERVED = "http://127.0.0.1:8000"
RECORD = {"repo": "python/cpython", "errorMessage": "No module named '{module}'"}


def blocks(language: str) -> list[str]:
    return [match[2] for match in BLOCK.finditer(README) if match[1] == language]


def steps(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block with what it should print."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the README's files in it, which is the user's home too."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "errors").mkdir()
    (yaml,) = [block for block in blocks("yaml") if block.startswith("# errors/")]
    (folder / "errors" / "billing.yaml").write_text(yaml)
    (command, log) = next(steps(blocks("console")[0]))
    assert command == "cat build.log"
    (folder / "build.log").write_text(log)
    (folder / "Makefile").write_text("all:\n\t@cat build.log; exit 1\n")
    (folder / "shop.py").write_text('def pay():\n    raise ValueError("the cart is empty")\n')
    return folder


def run(home: Path, command: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=home,
        env={"PATH": path, "HOME": str(home), "NO_COLOR": "1", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.slow
def test_console_blocks_print_what_they_say(home: Path) -> None:
    for block in blocks("console"):
        for command, wanted in steps(block):
            ran = run(home, command)
            assert ran.returncode == 0, (command, ran.stderr)
            pattern = "(?s:.*)".join(re.escape(part) for part in wanted.split("…\n"))
            assert re.fullmatch(pattern, ran.stdout), (command, ran.stdout)


@pytest.mark.slow
def test_shell_blocks_run_or_say_why_not(home: Path) -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines() if line]
    assert set(NOT_RUN) <= set(commands), "a command that is not run is no longer in the README"
    for command in commands:
        if command in NOT_RUN or SERVED in command:
            continue
        ran = run(home, command)
        assert ran.returncode == 0, (command, ran.stderr)


def test_the_api_answers_the_requests(home: Path, tmp_path: Path) -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines() if SERVED in line]
    asked = [command for command in commands if command.startswith("curl")]
    assert asked
    with served(tmp_path, [RECORD]) as address:
        for command in asked:
            ran = run(home, command.replace(SERVED, address).replace("curl -s", "curl -sSf"))
            assert ran.returncode == 0, (command, ran.stderr)
            assert json.loads(ran.stdout)


def test_links_lead_to_files() -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert linked
    assert [link for link in linked if not (DOCS.parent / link).exists()] == []


def test_the_library_example_answers() -> None:
    (example,) = blocks("python")
    names: dict[str, object] = {}
    exec(example, names)  # noqa: S102 - the README's own lines
    assert names["answer"]
