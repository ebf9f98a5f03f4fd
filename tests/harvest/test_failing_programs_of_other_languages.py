"""Programs in other languages that really fail, and the record whose line is the one that
raised: harvested from the program's source and, where its source is at hand, the language's
own library, it comes first.

In the programs a line bears the name of the case that fails there (`case: NAME`); one that
fails in the library bears the folder it fails in (`in: PATH`) where what it prints does not
tell the line. Each language is skipped where its tools are not installed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.harvest.records import Origin
from app.harvest.run import harvest
from app.harvest.selection import Selection
from app.harvest.source_tree import SourceFile, Tree
from app.ingest import ingest
from app.knowledge import Knowledge
from app.search.whoosh_index import WhooshIndexStore
from app.store import Store
from tests.harvest.harvest_cases import CASES

LEAST_RIGHT = 0.9
PROGRAMS = CASES / "programs"
_CASE = re.compile(r"case: (?P<name>[\w ]+?)(?: \*/)?$", re.MULTILINE)
_OF_LIBRARY = re.compile(r"""["'](?P<name>(?:node|go|java): [^"']+)["']""")
_FOLDER = re.compile(r"// in: (\S+)")
_GO_PACKAGES = (
    "strconv", "encoding", "net/url", "regexp", "time", "strings", "text/template", "flag", "os",
    "io", "errors", "internal/oserror",
)  # fmt: skip
_JAVA_FILES = re.compile(
    r"java/(?:lang|util|util/regex|util/stream|time|time/format|time/temporal|net|nio)/\w+\.java"
)


@dataclass(frozen=True)
class Program:
    """A program that was built: the command that runs it, its source, the library's files."""

    command: Sequence[str]
    source: Path
    library: Sequence[tuple[str, Path]] = ()
    """Path in the repository, and the file."""


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    if name == "rustc" and subprocess.run([found, "--version"], capture_output=True).returncode:
        pytest.skip("rustup is there, and no toolchain is chosen")
    return found


def _run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def build_node(folder: Path) -> Program:
    node = _tool("node")
    printed = _run(node, "--no-deprecation", "-p", "JSON.stringify(process.binding('natives'))")
    library = []
    for name, source in json.loads(printed).items():
        if not name.startswith(("internal/deps/", "node_")):
            file = folder / "lib" / f"{name}.js"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source, encoding="utf-8")
            library.append((f"lib/{name}.js", file))
    source = PROGRAMS / "node" / "shop.js"
    return Program([node, str(source)], source, library)


def build_go(folder: Path) -> Program:
    go, source = _tool("go"), PROGRAMS / "go" / "main.go"
    os.environ.setdefault("GOCACHE", str(folder / "cache"))
    _run(go, "build", "-o", folder / "shop", source)
    root = Path(_run(go, "env", "GOROOT").strip()) / "src"
    library = [
        (f"src/{file.relative_to(root)}", file)
        for package in _GO_PACKAGES
        for file in sorted((root / package).rglob("*.go"))
        if not file.name.endswith("_test.go") and "testdata" not in file.parts
    ]
    return Program([str(folder / "shop")], source, library)


def build_java(folder: Path) -> Program:
    java = _tool("java")
    homes = [Path(java).resolve().parent.parent, *sorted(Path("/usr/lib/jvm").glob("*"))]
    home = next((each for each in homes if (each / "lib" / "src.zip").exists()), None)
    if home is None:
        pytest.skip("no JDK with its source (lib/src.zip) is installed")
    source = PROGRAMS / "java" / "Shop.java"
    _run(home / "bin" / "javac", "-nowarn", "-d", folder / "classes", source)
    library = []
    with zipfile.ZipFile(home / "lib" / "src.zip") as archive:
        for name in archive.namelist():
            path = name.removeprefix("java.base/")
            if name != path and _JAVA_FILES.fullmatch(path):
                library.append((f"src/java.base/{path}", Path(archive.extract(name, folder))))
    return Program(
        [str(home / "bin" / "java"), "-cp", str(folder / "classes"), "Shop"], source, library
    )


def build_rust(folder: Path) -> Program:
    source = PROGRAMS / "rust" / "main.rs"
    _run(_tool("rustc"), "-A", "warnings", "-o", folder / "shop", source)
    return Program([str(folder / "shop")], source)


def build_c(folder: Path) -> Program:
    source = PROGRAMS / "c" / "shop.c"
    _run(_tool("gcc"), "-o", folder / "shop", source)
    return Program([str(folder / "shop")], source)


def known(program: Program, folder: Path) -> tuple[Knowledge, Store]:
    """The knowledge base of the program and its library."""
    trees = [
        Tree(
            Origin("shop/shop", None, None, None),
            [SourceFile(program.source.name, str(program.source))],
        ),
        Tree(
            Origin("library/library", None, None, None),
            [SourceFile(path, str(file)) for path, file in program.library],
        ),
    ]
    file = folder / "records.jsonl"
    file.write_bytes(b"".join(harvest(trees, Selection())))
    store = Store(f"sqlite:///{folder}/errdex.db")
    indexes = WhooshIndexStore(folder / "index")
    report = ingest([file], store=store, indexes=indexes, dataset="harvested")
    assert report.ok, [str(problem) for problem in report.problems]
    return Knowledge(store, indexes), store


def is_right(record: Any, name: str, printed: str, source: str) -> bool:
    """Whether a record's line is the one that raised."""
    lines = source.splitlines()
    marked = [number for number, line in enumerate(lines, 1) if f"case: {name}" in line]
    if marked:
        at = [number for number in marked if _CASE.search(lines[number - 1])["name"] == name]  # type: ignore[index]
        return record.repo == "shop/shop" and record.line_number in at
    if name.startswith("java: "):
        # The frame that made the exception, or the one that threw what `error(…)` made.
        frames = [
            frame
            for trace in printed.split("Caused by: ")
            for frame in re.findall(r"\((\w+\.java):(\d+)\)", trace)[:2]
        ]
        place = (record.file_path.rpartition("/")[2], str(record.line_number))
        return place in frames
    if name.startswith("node: "):
        code = re.search(r"\[?'?(ERR_\w+|MODULE_NOT_FOUND)", printed)
        frame = re.search(r"\(?node:([\w/]+):(\d+)", printed.partition("    at ")[2])
        at_frame = frame and (record.file_path, record.line_number) == (
            f"lib/{frame[1]}.js",
            int(frame[2]),
        )
        return bool(at_frame) or bool(code and record.error_code == code[1])
    (line,) = [line for line in lines if f'"{name}"' in line]
    folder = _FOLDER.search(line)
    assert folder is not None, line
    return record.file_path.startswith(tuple(f"src/{each}" for each in folder[1].split("|")))


@pytest.mark.parametrize(
    ("build", "least"),
    [
        pytest.param(build_node, 22, id="node"),
        pytest.param(build_go, 26, id="go"),
        pytest.param(build_java, 28, id="java"),
        pytest.param(build_rust, 14, id="rust"),
        pytest.param(build_c, 10, id="c"),
    ],
)
def test_the_line_that_really_raised_comes_first(
    build: Callable[[Path], Program], least: int, tmp_path: Path
) -> None:
    program = build(tmp_path)
    knowledge, store = known(program, tmp_path)
    source = program.source.read_text(encoding="utf-8")
    names = [found["name"] for found in _CASE.finditer(source)]
    names += [found["name"] for found in _OF_LIBRARY.finditer(source)]
    assert len(names) >= least

    wrong: list[str] = []
    for name in names:
        done = subprocess.run(
            [*program.command, name],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )
        assert done.returncode != 0, name
        events = knowledge.match(done.stderr).answer.events
        best = [
            match.record
            for event in events
            for match in event.matches
            if match.group == event.matches[0].group
        ]
        if not any(is_right(record, name, done.stderr, source) for record in best):
            first = [f"{each.file_path}:{each.line_number} {each.error_message}" for each in best]
            wrong.append(f"{name}\n{done.stderr[:500]}\n  {first[:4]}")
    knowledge.close()
    store.close()
    assert len(wrong) <= (1 - LEAST_RIGHT) * len(names), "\n\n".join(wrong)
