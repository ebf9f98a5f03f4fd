"""Every snippet of docs/api.md runs against a real server and prints what the page says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from tests.serving import served

from errdex.formats.table import FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"
RECORD = {
    "id": "25809e6e098d2d61",
    "repo": "acme/billing",
    "slug": "invoice-is-already-closed",
    "errorMessage": "Invoice {number} is already closed",
    "errorClass": "InvoiceClosedError",
    "language": "python",
    "solutions": ["Open a correction invoice with `billing correct NUMBER`."],
}
LOG = (
    "2026-11-29T12:00:00Z INFO closing the month\n"
    "InvoiceClosedError: Invoice 2026-0117 is already closed\n"
)
COMMANDS = {
    "bash": ["bash", "-e", "-o", "pipefail", "-c"],
    "python": [sys.executable, "-c"],
    "javascript": ["node", "--input-type=module", "-e"],
}
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
SNIPPETS = [
    (kind, code, following if after == "text" else None)
    for (kind, code), (after, following) in pairwise([*BLOCKS, ("", "")])
    if kind != "text"
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("served"), [RECORD]) as address:
        yield address


def test_the_page_has_snippets_of_each_kind() -> None:
    assert {kind for kind, _, _ in SNIPPETS} == set(COMMANDS)


@pytest.mark.parametrize(
    ("kind", "code", "output"), SNIPPETS, ids=[f"{n}-{k}" for n, (k, _, _) in enumerate(SNIPPETS)]
)
def test_a_snippet_prints_what_the_page_says(
    address: str, tmp_path: Path, kind: str, code: str, output: str | None
) -> None:
    command = COMMANDS[kind]
    tools = {command[0], *(["curl"] if kind == "bash" else [])}
    if missing := [tool for tool in tools if shutil.which(tool) is None]:
        pytest.skip(f"not installed: {missing[0]}")
    (tmp_path / "build.log").write_text(LOG)
    done = subprocess.run(
        [*command, code.replace(ADDRESS, address)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    # head ends a pipe early, which curl reports as its own failure to write
    assert done.returncode == 0 or "| head" in code, done.stderr
    if output is not None:
        assert done.stdout == output.replace(ADDRESS, address)
    else:
        assert '"25809e6e098d2d61"' in done.stdout or '"items"' in done.stdout, done.stdout


def test_the_page_names_every_format_with_its_media_type() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (?:`([\w./+-]+)` )?\|", PAGE, re.MULTILINE))
    assert rows == {name: form.media_type or "" for name, form in FORMATS.items()}
