"""`errdex harvest`, run as a person or a script runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.forked import ForkedCommand

SOURCE = """
def check(name):
    if not name:
        raise ValueError(f"the name {name!r} is not a name")
"""


@pytest.fixture
def errdex(forked: ForkedCommand, tmp_path: Path):
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return forked.run(words, text=True, env=environment, cwd=tmp_path)

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "names.py").write_text(SOURCE)
    (folder / "broken.py").write_text("def (")
    return folder


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "give one folder"),
        (("a", "b"), "give one folder"),
        (("nothing-here",), "does not exist"),
        (("project", "--repo", "noslash"), "not owner/name"),
        (("--installed", "no-such-package"), "not installed"),
        (("--installed", "--python", "project"), "not a Python"),
        (("click", "--node-modules", "project"), "all packages there"),
        (("--node-modules", "project"), "no packages"),
        (("--installed", "click", "--repo", "a/b"), "bring their own"),
        (("project", "--python", "python3"), "goes with --installed"),
        (("--catalogue", "cobol"), "There is no catalogue 'cobol'"),
        (("project", "--catalogue", "errno"), "goes without folders"),
        (("--catalogue", "rustc=nothing-here"), "nothing-here is no program"),
        (("project", "-o", "no/such/folder/out.jsonl"), "no/such/folder does not exist"),
        (("project", "--url-template", "code/{path}"), "begin it with https://"),
        (("project", "--url-template", "https://a/{file}"), "{file} cannot stand"),
        (("project", "--ingest", "--dataset", "a b"), "name 'a b' cannot be used"),
        (("project", "-o", "project"), "is a folder"),
        (("--node-modules", "nothing-here"), "does not exist"),
    ],
)
def test_what_cannot_be_harvested_is_said_and_nothing_is_written(
    errdex, project: Path, words, says: str
) -> None:
    done = errdex("harvest", *words)

    assert done.returncode in {2, 3}
    assert done.stdout == ""
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_records_go_to_standard_output_and_counts_to_standard_error(errdex, project) -> None:
    done = errdex("harvest", project, "--repo", "acme/names", "--workers", 1)

    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["repo"] == "acme/names"
    assert record["errorMessage"] == "the name {name!r} is not a name"
    assert "harvested: 1 record from 1 file; files not read: 1 does not parse" in done.stderr


def test_a_tree_without_errors_ends_with_1(errdex, tmp_path: Path) -> None:
    (tmp_path / "calm").mkdir()
    done = errdex("harvest", "calm", "-o", "out.jsonl")

    assert done.returncode == 1
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_a_folder_with_nothing_to_read_is_said_with_what_is_read(errdex, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "notes.txt").write_text("raise ValueError('nobody reads this')")
    done = errdex("harvest", "bare", "--ref", "1.2")
    assert (done.returncode, done.stdout) == (1, "")
    said = " ".join(done.stderr.split())
    assert "There is nothing to read. What is read: python, javascript," in said
    assert "This is no git checkout: 1.2 is noted" in said


def test_links_are_made_with_the_template(errdex, project: Path) -> None:
    template = "https://code.example.org/{repo}/{ref}/{path}?from={start}&to={end}#{line}"
    done = errdex("harvest", project, "--ref", "v1", "--url-template", template)

    url = json.loads(done.stdout)["githubUrl"]
    assert url == "https://code.example.org/local/project/v1/names.py?from=1&to=4#4"


@pytest.mark.slow
def test_what_is_harvested_can_be_ingested_at_once_and_is_found(errdex, project: Path) -> None:
    database = ("--database", "sqlite:///errdex.db")
    first = errdex("harvest", project, "--repo", "acme/names", "--ingest", *database)
    again = errdex("harvest", project, "--repo", "acme/names", "--ingest", *database)

    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    assert "1 added" in first.stdout
    assert "1 unchanged" in again.stdout
    found = errdex("search", "is not a name", "--json", *database)
    assert json.loads(found.stdout)["total"] == 1, found.stdout


def test_the_harvester_is_loaded_only_when_it_is_used() -> None:
    program = "import sys, errdex.cli.app; print([m for m in sys.modules if 'harvest' in m])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout == "['errdex.cli.commands.harvest']\n"


@pytest.mark.slow
def test_a_catalogue_is_harvested_and_loaded(errdex) -> None:
    written = errdex("harvest", "--catalogue", "errno", "--catalogue", "http", "-o", "known.jsonl")
    assert written.returncode == 0, written.stderr
    assert "errno" in written.stderr
    loaded = errdex("harvest", "--catalogue", "errno", "--ingest", "--dataset", "system")
    assert loaded.returncode == 0, loaded.stderr
    found = errdex("search", "ENOTEMPTY")
    assert "Directory not empty" in found.stdout


def test_a_second_harvest_reads_what_changed(errdex, project: Path, tmp_path: Path) -> None:
    (project / "shelf.py").write_text("raise ValueError('the shelf is empty')\n")
    whole = errdex("harvest", project, "--workers", 1)
    (project / "shelf.py").write_text("raise ValueError('the drawer is empty')\n")

    again = errdex("harvest", project, "--workers", 1)
    fresh = errdex("harvest", project, "--workers", 1, "--fresh")

    assert "from 2 files; files" in whole.stderr
    assert "from 2 files, of which 1 unchanged; files" in again.stderr
    assert "from 2 files; files" in fresh.stderr
    assert again.stdout == fresh.stdout != whole.stdout
    (state,) = (tmp_path / ".cache").rglob("*.state")
    assert state.stat().st_mode & 0o777 == 0o600
    assert state.parent.stat().st_mode & 0o777 == 0o700


def test_the_state_is_kept_where_it_is_asked_for(errdex, project: Path, tmp_path: Path) -> None:
    errdex("harvest", project, "--state", "kept")
    again = errdex("harvest", project, "--state", "kept")

    assert "of which 1 unchanged" in again.stderr
    assert (tmp_path / "kept").is_file()
    assert not (tmp_path / ".cache").exists()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda home: (home / ".cache").write_text(""), "Every file is read: "),
        (lambda home: (home / "kept").write_text("no state\n"), "The state of the last harvest is"),
        (lambda home: (home / "kept").mkdir(), "kept is a folder"),
    ],
)
def test_a_state_that_cannot_be_used_is_said(
    errdex, project: Path, tmp_path: Path, spoil, says: str
) -> None:
    spoil(tmp_path)
    words = [] if (tmp_path / ".cache").exists() else ["--state", "kept"]

    done = errdex("harvest", project, *words)

    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or says.endswith("folder")


def test_states_used_longest_ago_are_removed(errdex, project: Path, tmp_path: Path) -> None:
    folder = tmp_path / ".cache" / "errdex" / "harvest"
    folder.mkdir(parents=True)
    for number in range(60):
        (folder / f"{number:020}.state").touch()
        os.utime(folder / f"{number:020}.state", (number + 1, number + 1))

    errdex("harvest", project)

    left = sorted(each.name for each in folder.iterdir())
    assert len(left) == 50
    assert f"{10:020}.state" not in left
    assert f"{11:020}.state" in left


@pytest.mark.slow
def test_ingesting_a_harvest_removes_what_the_project_no_longer_has(
    errdex, project: Path, tmp_path: Path
) -> None:
    database = ("--database", "sqlite:///errdex.db")

    def harvested(folder: str, repo: str) -> str:
        done = errdex("harvest", folder, "--repo", repo, "--ingest", *database)
        return done.stdout + done.stderr

    def total(words: str) -> int:
        return json.loads(errdex("search", words, "--json", *database).stdout)["total"]

    (project / "shelf.py").write_text("raise ValueError('the shelf is empty')\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "shelf.py").write_text("raise KeyError('another shelf is full')\n")
    harvested("other", "acme/other")
    harvested("project", "acme/names")
    (project / "shelf.py").write_text("raise ValueError('the drawer is empty')\n")

    said = harvested("project", "acme/names")

    assert "1 added" in said
    assert "1 removed" in said
    assert (total("drawer is empty"), total("another shelf is full")) == (1, 1)

    (project / "shelf.py").unlink()
    os.mkfifo(project / "closed.py")
    assert "Records of files that are gone stay" in harvested("project", "acme/names")
    assert total("drawer is empty") == 1
