"""Every snippet of docs/integrations.md runs and prints what the page says, unless the page marks
it as not run here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from tests.docs.test_api_snippets import ADDRESS, LOG, RECORD
from tests.serving import served

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text(encoding="utf-8")
NOT_RUN = "<!-- not run here -->\n"
COMMANDS = {
    "bash": ["bash", "-e", "-o", "pipefail", "-c"],
    "python": [sys.executable, "-c"],
}
BLOCKS = re.findall(
    rf"^({re.escape(NOT_RUN)})?```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
)
SNIPPETS = [
    (kind, code, following if after == "text" else None)
    for (mark, kind, code), (_, after, following) in pairwise([*BLOCKS, ("", "", "")])
    if kind != "text" and not mark
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder, [RECORD]) as address:
        yield address


def test_some_snippets_are_run() -> None:
    assert SNIPPETS
    assert {kind for kind, _, _ in SNIPPETS} <= set(COMMANDS)


@pytest.mark.parametrize(
    ("kind", "code", "output"), SNIPPETS, ids=[f"{n}-{k}" for n, (k, _, _) in enumerate(SNIPPETS)]
)
def test_a_snippet_prints_what_the_page_says(
    address: str, folder: Path, tmp_path: Path, kind: str, code: str, output: str | None
) -> None:
    tools = ["bash", *(["curl"] if "curl " in code else [])] if kind == "bash" else []
    if missing := [tool for tool in tools if shutil.which(tool) is None]:
        pytest.skip(f"not installed: {missing[0]}")
    (tmp_path / "build.log").write_text(LOG)
    own = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "ERRDEX_DATABASE_URL": f"sqlite:///{folder / 'errdex.db'}",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(
        [*COMMANDS[kind], code.replace(ADDRESS, address)],
        cwd=tmp_path,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    if output is not None:
        assert done.stdout == output
