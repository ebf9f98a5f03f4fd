"""Programs in other languages that really fail, and the record whose line is the one that
raised: harvested from the programs' source and, where its source is at hand, the language's
own library, it comes first.

The cases of the market were written down before anything was known of how they match, and all
of them were kept; those of the shop hold what harvesting must not forget.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.harvest.harvest_cases import CASES

from errdex.harvest.records import Origin
from errdex.harvest.run import harvest
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import SourceFile, Tree
from errdex.ingest import ingest
from errdex.knowledge import Knowledge
from errdex.matching.ranking import RecordFacts
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import Store, open_database

pytestmark = [pytest.mark.tools, pytest.mark.slow]
LEAST_RIGHT = 0.9
NOTHING = "nothing: "
"""Begins the names of cases that no source at hand has words for, or that are no error: a record
would be wrong."""
PROGRAMS = CASES / "programs"
_CASE = re.compile(r"case: (?P<name>[\w ]+?)(?: \*/(?: \\)?)?$", re.MULTILINE)
_OF_LIBRARY = re.compile(r"""["'](?P<name>(?:node|go|java|nothing): [^"']+)["']""")
_FOLDER = re.compile(r"// in: (\S+)")
_GO_PACKAGES = (
    "strconv", "encoding", "net/url", "regexp", "time", "strings", "text/template", "flag", "os",
    "io", "errors", "internal/oserror", "archive", "bufio", "bytes", "compress", "context",
    "database/sql", "internal/poll", "math", "net", "reflect", "runtime", "sync", "syscall",
)  # fmt: skip
_JAVA_FILES = re.compile(r"java\.(?:base|net\.http)/(?:java|jdk/internal|sun)/.+\.java")


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
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def build_node(folder: Path, name: str) -> Program:
    node = _tool("node")
    printed = _run(node, "--no-deprecation", "-p", "JSON.stringify(process.binding('natives'))")
    library = []
    for module, text in json.loads(printed).items():
        if not module.startswith(("internal/deps/", "node_")):
            file = folder / "lib" / f"{module}.js"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            library.append((f"lib/{module}.js", file))
    source = PROGRAMS / "node" / name
    return Program([node, str(source)], source, library)


def build_go(folder: Path, name: str) -> Program:
    go, source = _tool("go"), PROGRAMS / "go" / name
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


def build_java(folder: Path, name: str) -> Program:
    java = _tool("java")
    homes = [Path(java).resolve().parent.parent, *sorted(Path("/usr/lib/jvm").glob("*"))]
    home = next((each for each in homes if (each / "lib" / "src.zip").exists()), None)
    if home is None:
        pytest.skip("no JDK with its source (lib/src.zip) is installed")
    source = PROGRAMS / "java" / name
    _run(home / "bin" / "javac", "-nowarn", "-d", folder / "classes", source)
    with zipfile.ZipFile(home / "lib" / "src.zip") as archive:
        library = [
            (f"src/{name}", Path(archive.extract(name, folder)))
            for name in archive.namelist()
            if _JAVA_FILES.fullmatch(name)
        ]
    return Program(
        [str(home / "bin" / "java"), "-cp", str(folder / "classes"), source.stem], source, library
    )


def build_rust(folder: Path, name: str) -> Program:
    source = PROGRAMS / "rust" / name
    _run(_tool("rustc"), "--edition", "2021", "-A", "warnings", "-o", folder / "shop", source)
    return Program([str(folder / "shop")], source)


def build_c(folder: Path, name: str) -> Program:
    source = PROGRAMS / "c" / name
    _run(_tool("gcc"), "-o", folder / "shop", source)
    return Program([str(folder / "shop")], source)


def known(programs: Sequence[Program], folder: Path) -> tuple[Knowledge, Store]:
    """The knowledge base of the programs and their library."""
    library = [SourceFile(path, str(file)) for path, file in programs[0].library]
    sources = [SourceFile(each.source.name, str(each.source)) for each in programs]
    trees = [
        Tree(Origin("shop/shop", None, None, None), sources),
        Tree(Origin("library/library", None, None, None), library),
    ]
    file = folder / "records.jsonl"
    file.write_bytes(b"".join(harvest(trees, Selection())))
    store = open_database(f"sqlite:///{folder}/errdex.db")
    indexes = WhooshIndexStore(folder / "index")
    report = ingest([file], store=store, indexes=indexes, dataset="harvested")
    assert report.ok, [str(problem) for problem in report.problems]
    return Knowledge(store, indexes), store


def list_places(record: RecordFacts) -> list[RecordFacts]:
    """The record at each of its places, of which the paste's stack names none."""
    others = (replace(record, **place._asdict()) for place in record.places or ())
    return [record, *others]


def is_right(record: RecordFacts, name: str, printed: str, source: Path) -> bool:
    """Whether a record's line is the one that raised."""
    lines = source.read_text(encoding="utf-8").splitlines()
    marked = [number for number, line in enumerate(lines, 1) if f"case: {name}" in line]
    if marked:
        at = [number for number in marked if _CASE.search(lines[number - 1])["name"] == name]  # type: ignore[index]
        return record.file_path == source.name and record.line_number in at
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


def wrong_answers(
    program: Program, names: Sequence[str], knowledge: Knowledge, folder: Path
) -> Iterator[str]:
    """The cases for which another record comes first than the one that raised: what each
    printed, and what was found instead."""
    for name in names:
        done = subprocess.run(
            [*program.command, name],
            capture_output=True,
            text=True,
            timeout=600,
            cwd=folder,
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )
        assert done.returncode != 0, name
        best = [
            placed
            for event in knowledge.match(done.stderr).answer.events
            for match in event.matches
            if match.group == event.matches[0].group
            for placed in list_places(match.record)
        ]
        right = (
            not best
            if name.startswith(NOTHING)
            else any(is_right(record, name, done.stderr, program.source) for record in best)
        )
        if not right:
            first = [f"{each.file_path}:{each.line_number} {each.error_message}" for each in best]
            yield f"{name}\n{done.stderr[:500]}\n  {first[:4]}"


@pytest.mark.timeout(1800)  # all of Java's library is harvested before
@pytest.mark.parametrize(
    ("build", "cases"),
    [
        pytest.param(build_node, {"shop.js": 22}, id="node"),
        pytest.param(build_go, {"main.go": 26, "market.go": 53}, id="go"),
        pytest.param(build_java, {"Shop.java": 28, "Market.java": 72}, id="java"),
        pytest.param(build_rust, {"main.rs": 14, "market.rs": 32}, id="rust"),
        pytest.param(build_c, {"shop.c": 10, "market.c": 25}, id="c"),
    ],
)
def test_the_line_that_really_raised_comes_first(
    build: Callable[[Path, str], Program], cases: Mapping[str, int], tmp_path: Path
) -> None:
    for name in cases:
        (tmp_path / name).mkdir()
    programs = [build(tmp_path / name, name) for name in cases]
    knowledge, store = known(programs, tmp_path)
    for program in programs:
        source = program.source.read_text(encoding="utf-8")
        found = [*_CASE.finditer(source), *_OF_LIBRARY.finditer(source)]
        names = list(dict.fromkeys(each["name"] for each in found))
        assert len(names) >= cases[program.source.name]
        wrong = list(wrong_answers(program, names, knowledge, tmp_path))
        assert len(wrong) <= (1 - LEAST_RIGHT) * len(names), "\n\n".join(wrong)
    knowledge.close()
    store.close()
