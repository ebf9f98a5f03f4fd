"""Which files are read, in which order, and what is said of the others."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from errdex.records.files.paths import (
    Compression,
    InputFile,
    RecordFormat,
    Skipped,
    Unreadable,
    find_input_files,
    format_of_name,
)
from errdex.records.files.reader import ReadProblem, read_records


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    root.mkdir()
    return root


def put(path: Path, text: str = "repo: a/b\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def read_files(*paths: Path) -> list[str]:
    return [found.name for found in find_input_files(paths) if isinstance(found, InputFile)]


def skipped(*paths: Path) -> dict[str, str]:
    found = [entry for entry in find_input_files(paths) if isinstance(entry, Skipped)]
    return {Path(entry.file).name: entry.reason for entry in found}


def unreadable(*paths: Path) -> list[str]:
    return [str(e.problem) for e in find_input_files(paths) if isinstance(e, Unreadable)]


@pytest.mark.parametrize(
    ("name", "form", "compression"),
    [
        ("a.json", RecordFormat.JSON, None),
        ("a.JSONL", RecordFormat.JSON_LINES, None),
        ("a.b.ndjson.gz", RecordFormat.JSON_LINES, Compression.GZIP),
        ("a.yaml.ZST", RecordFormat.YAML, Compression.ZSTD),
        ("a.yml", RecordFormat.YAML, None),
    ],
)
def test_endings(name: str, form: RecordFormat, compression: Compression | None) -> None:
    assert format_of_name(name) == (form, compression)


@pytest.mark.parametrize(
    "name", ["json", ".json", "a", "", "a.gz", ".yaml.gz", "a.json.gz.gz", "a.tar.gz", "a.json~"]
)
def test_other_endings(name: str) -> None:
    assert format_of_name(name) is None


def test_a_folder_is_walked_by_name(folder: Path) -> None:
    for name in ("b/2.yaml", "b/1.yaml", "a.json", "c.jsonl", "b/a/3.yml", "B.json", "notes.txt"):
        put(folder / name)
    names = [os.path.relpath(name, folder) for name in read_files(folder)]
    assert names == ["B.json", "a.json", "b/1.yaml", "b/2.yaml", "b/a/3.yml", "c.jsonl"]
    assert skipped(folder) == {}
    assert unreadable(folder) == []


def test_paths_keep_their_order_and_each_file_is_read_once(folder: Path) -> None:
    one, two = put(folder / "1.yaml"), put(folder / "2.yaml")
    assert read_files(two, folder, one, Path("-"), Path("-")) == [
        str(two),
        str(one),
        "standard input",
    ]
    assert read_files(folder / ".." / "data" / "1.yaml", one) == [f"{folder}/../data/1.yaml"]


def test_what_is_hidden_is_skipped_unless_named(folder: Path) -> None:
    put(folder / "a.yaml")
    put(folder / ".git" / "b.yaml")
    hidden = put(folder / ".c.yaml")
    put(folder / ".gitignore")
    assert read_files(folder) == [str(folder / "a.yaml")]
    assert skipped(folder) == {".git": "it is hidden", ".c.yaml": "it is hidden"}
    assert read_files(hidden, folder / ".git") == [str(hidden), str(folder / ".git" / "b.yaml")]


def test_links_out_of_a_folder_are_not_followed(folder: Path, tmp_path: Path) -> None:
    secret = put(tmp_path / "outside" / "secret.yaml")
    put(folder / "a.yaml")
    (folder / "file.yaml").symlink_to(secret)
    (folder / "tree").symlink_to(secret.parent)
    (folder / "nowhere.yaml").symlink_to(tmp_path / "nowhere.yaml")
    (folder / "prefix.yaml").symlink_to(put(tmp_path / "data-other" / "x.yaml"))
    (folder / "up").symlink_to(folder.parent)
    (folder / "self").symlink_to(folder)
    (folder / "loop.yaml").symlink_to(folder / "loop.yaml")
    assert read_files(folder) == [str(folder / "a.yaml")]
    out = "it is a link out of the folder"
    assert skipped(folder) == {
        **dict.fromkeys(("file.yaml", "tree", "nowhere.yaml", "prefix.yaml", "up", "self"), out),
        "loop.yaml": "it is no regular file",
    }
    assert read_files(folder / "file.yaml") == [str(folder / "file.yaml")]


def test_a_link_within_the_folder_is_read_once(folder: Path) -> None:
    """As in a mounted volume: `a.yaml` → `..data/a.yaml`, `..data` → `..2026/`."""
    put(folder / "..2026" / "a.yaml")
    (folder / "..data").symlink_to("..2026")
    (folder / "a.yaml").symlink_to("..data/a.yaml")
    (folder / "again.yaml").symlink_to("a.yaml")
    assert read_files(folder) == [str(folder / "a.yaml")]
    assert skipped(folder) == {"..2026": "it is hidden", "..data": "it is a link to a folder"}


def test_a_pipe_in_a_folder_does_not_block(folder: Path) -> None:
    os.mkfifo(folder / "pipe.yaml")
    put(folder / "a.yaml")
    assert read_files(folder) == [str(folder / "a.yaml")]
    assert skipped(folder) == {"pipe.yaml": "it is no regular file"}


def test_what_has_no_end_of_its_own_is_refused_without_being_opened(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(folder / "pipe.yaml")
    (folder / "link.yaml").symlink_to(folder / "pipe.yaml")
    monkeypatch.chdir(folder)  # the address of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.yaml")
        named = ["pipe.yaml", "link.yaml", "socket.yaml", "/dev/zero", "/dev/null"]
        said = [unreadable(Path(name)) for name in named]
    remedy = "; name a file or a folder, or hand in what comes out of it as -"
    kinds = ["a pipe", "a pipe", "a socket", "a device", "a device"]
    assert said == [[f"is {kind}{remedy}"] for kind in kinds]


def test_what_is_not_there_is_said(folder: Path) -> None:
    assert unreadable(folder / "no.yaml") == ["does not exist; name a file or a folder that does"]
    [empty] = unreadable(folder)
    assert empty.startswith("holds no record files; ")
    put(folder / "readme.md")
    assert unreadable(folder) == [empty]
    [ending] = unreadable(folder / "readme.md")
    assert ending.startswith("“.md” is not a record file's ending; ")
    [nul] = unreadable(Path("a\0.yaml"))
    assert "does not exist" in nul or "cannot be read" in nul
    [long] = unreadable(Path("x" * 5000 + ".yaml"))
    assert "cannot be read" in long


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_rights_are_said(folder: Path) -> None:
    put(folder / "a.yaml").chmod(0)
    put(folder / "b.yaml")
    closed = put(folder / "c" / "c.yaml").parent
    closed.chmod(0)
    try:
        problem, _, other = read_records([folder])
    finally:
        closed.chmod(0o700)
    assert isinstance(problem, ReadProblem)
    assert "Permission denied" in str(problem)
    assert isinstance(other, ReadProblem)


def test_a_file_that_goes_away_is_said(folder: Path) -> None:
    path = put(folder / "a.yaml")
    reader = read_records([folder])
    path.unlink()
    [problem] = reader
    assert "No such file" in str(problem)


def test_what_folders_hold_beside_is_reported(folder: Path) -> None:
    put(folder / "a.yaml")
    put(folder / ".b.yaml")
    reader = read_records([folder])
    assert [skip.file for skip in reader.skipped] == [str(folder / ".b.yaml")]
    assert len(list(reader)) == 1
