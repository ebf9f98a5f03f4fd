"""100,000 lines that real programs say when all is well match no starter record.

The programs are run here, so that no line was chosen. Each gives up to MOST lines, so that
there are many kinds. Programs that a machine lacks are left out; what is there must do.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.data.matched import match

from errdex.matching.ranking import MatchLimits

pytestmark = [pytest.mark.slow, pytest.mark.tools]
LINES, MOST, KINDS = 100_000, 15_000, 10
_MODULES = (
    "asyncio.events xml.dom.minidom email.mime.text sqlite3 unittest.mock http.server "
    "concurrent.futures multiprocessing.pool logging.handlers curses.ascii fastapi sqlmodel "
    "whoosh.index jinja2 numpy rich.progress pygments.lexers typer uvicorn"
)


@dataclass(frozen=True)
class Program:
    """A command that says much, and what it needs in the folder that it runs in."""

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Path], None] = lambda folder: None

    @property
    def there(self) -> bool:
        return shutil.which(self.command[0]) is not None

    def lines(self, folder: Path) -> list[str]:
        self.prepare(folder)
        done = subprocess.run(
            self.command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=600,
            check=False,
        )
        return done.stdout.decode("utf-8", "replace").splitlines()[:MOST]


def write_sources(folder: Path) -> None:
    """A C program of many files with a makefile."""
    objects = []
    for number in range(120):
        (folder / f"part{number}.c").write_text(
            "#include <stdio.h>\n#include <stdlib.h>\n"
            f"int part{number}(void) {{ return {number}; }}\n"
        )
        objects.append(f"part{number}.o")
    (folder / "Makefile").write_text(
        f"all: lib.a\nlib.a: {' '.join(objects)}\n\tar rcs $@ $^\n%.o: %.c\n\t$(CC) -Wall -c $<\n"
    )


def write_modules(folder: Path) -> None:
    """Many Python modules with passing tests."""
    for number in range(150):
        (folder / f"test_part{number}.py").write_text(
            "import logging, unittest\nlog = logging.getLogger(__name__)\n"
            "class Works(unittest.TestCase):\n"
            + "".join(
                f"    def test_{step}(self): log.warning('step %d is done', {step})\n"
                for step in range(20)
            )
        )


def make_repository(folder: Path) -> None:
    """A git repository with some history."""
    git = ("git", "-c", "user.name=dev", "-c", "user.email=dev@example.com")
    subprocess.run((*git, "init", "-q"), cwd=folder, check=True)
    for number in range(400):
        (folder / f"file{number}.txt").write_text(f"{number}\n")
    subprocess.run((*git, "add", "."), cwd=folder, check=True)
    subprocess.run((*git, "commit", "-qm", "Add files"), cwd=folder, check=True)


PYTHON = sys.executable
PROGRAMS = (
    Program("python -v", (PYTHON, "-v", "-c", f"import {', '.join(_MODULES.split())}")),
    Program("importtime", (PYTHON, "-X", "importtime", "-c", "import fastapi, sqlmodel, numpy")),
    Program("compileall", (PYTHON, "-m", "compileall", "-f", "."), write_modules),
    Program("unittest", (PYTHON, "-m", "unittest", "-v"), write_modules),
    Program("pytest", (PYTHON, "-m", "pytest", "-vv", "-p", "no:cacheprovider"), write_modules),
    Program("pip list", (PYTHON, "-m", "pip", "list", "-v", "--disable-pip-version-check")),
    Program("make", ("make",), write_sources),
    Program("make -d", ("make", "-d", "-n"), write_sources),
    Program("gcc -v -H", ("make", "CC=gcc -v -H"), write_sources),
    Program("git log", ("git", "log", "--stat"), make_repository),
    Program("git fsck", ("git", "fsck", "--verbose"), make_repository),
    Program("git gc", ("git", "count-objects", "-v"), make_repository),
    Program("git clone", ("git", "clone", "--progress", "-v", ".", "copy"), make_repository),
    Program("find", ("find", "/usr/share", "/usr/lib", "-ls")),
    Program("tar", ("tar", "-cvvf", "/dev/null", "/usr/include", "/usr/share/doc")),
    Program("ls", ("ls", "-lR", "/usr/lib", "/etc")),
    Program("du", ("du", "-ah", "/usr/share")),
    Program("ps", ("ps", "auxww")),
    Program("dpkg", ("dpkg", "-l")),
    Program("apt", ("apt-cache", "policy")),
    Program("openssl", ("openssl", "x509", "-text", "-in", "/etc/ssl/certs/ca-certificates.crt")),
    Program("bash -x", ("bash", "-xc", "for f in /usr/bin/*; do [ -x $f ]; done")),
    Program("ld", ("ld", "--verbose")),
    Program("node", ("node", "--trace-gc", "-e", "for(let i=0;i<4e6;i++)({a:[i]})")),
    Program("npm", ("npm", "config", "ls", "-l")),
    Program("mount", ("mount",)),
    Program("sysctl", ("sysctl", "-a")),
)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    lines = {}
    for program in PROGRAMS:
        if program.there:
            lines[program.name] = program.lines(tmp_path_factory.mktemp("healthy"))
    return {name: found for name, found in lines.items() if found}


def test_healthy_lines_match_nothing(said: dict[str, list[str]]) -> None:
    assert len(said) >= KINDS
    assert sum(map(len, said.values())) >= LINES
    wrong = {}
    for name, lines in said.items():
        answer = match("\n".join(lines), MatchLimits(seconds=300))
        assert answer.complete
        for each in answer.events:
            if each.matches:
                wrong[name, each.event.message[:200]] = each.matches[0].record.error_message
    assert not wrong, wrong


def test_an_error_among_them_is_found(said: dict[str, list[str]]) -> None:
    """The lines are really looked at: the same text with one error in it has one match."""
    lines = [line for found in said.values() for line in found[:500]]
    lines.insert(len(lines) // 2, "ModuleNotFoundError: No module named 'flask'")
    answer = match("\n".join(lines))
    assert [each.matches[0].record.error_class for each in answer.events if each.matches] == [
        "ModuleNotFoundError"
    ]
