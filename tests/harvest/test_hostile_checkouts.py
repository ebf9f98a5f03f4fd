"""Checkouts that want a command run, another repository read, or memory and time taken."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.harvest.test_source_trees import RAISING, committed, git, paths, read, write

from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import open_tree

pytestmark = pytest.mark.tools("git")

ERRDEX = Path(sys.executable).with_name("errdex")


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Path]:
    """A command that leaves a file when it is run."""
    command = tmp_path / "canary"
    left = tmp_path / "it-was-run"
    command.write_text(f"#!/bin/sh\necho ran >> {left}\nexit 1\n")
    command.chmod(0o755)
    yield command
    assert not left.exists(), "a command of the checkout was run"


def has_run(canary: Path) -> bool:
    left = canary.with_name("it-was-run")
    ran = left.exists()
    left.unlink(missing_ok=True)
    return ran


def harvested(root: Path) -> tuple[int, str]:
    """How many records the command makes of a tree, and what it says."""
    command = [ERRDEX, "harvest", root, "--workers", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert "Traceback" not in done.stderr
    return done.stdout.count("\n"), done.stderr


def with_filter(root: Path, canary: Path) -> Path:
    committed(root, {"a.py": RAISING, ".gitattributes": "*.py filter=x\n"})
    for name in ("clean", "smudge", "process"):
        git(root, "config", f"filter.x.{name}", str(canary))
    git(root, "config", "filter.x.required", "true")
    os.utime(root / "a.py", (1, 1))
    return root


def with_monitor_and_hooks(root: Path, canary: Path) -> Path:
    committed(root, {"a.py": RAISING})
    git(root, "config", "core.fsmonitor", str(canary))
    git(root, "config", "core.hooksPath", str(canary.parent))
    git(root, "config", "core.pager", str(canary))
    git(root, "config", "diff.external", str(canary))
    git(root, "config", "core.editor", str(canary))
    git(root, "config", "alias.rev-parse", f"!{canary}")
    return root


def with_signature(root: Path, canary: Path) -> Path:
    committed(root, {"a.py": RAISING})
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "gpg.program", str(canary))
    commit = git(root, "cat-file", "commit", "HEAD")
    head, _, message = commit.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n"
    done = subprocess.run(
        ["git", "-C", root, "hash-object", "-t", "commit", "-w", "--stdin"],
        input=f"{signed}\n{message}\n",
        capture_output=True,
        text=True,
        check=True,
    )
    git(root, "update-ref", "HEAD", done.stdout.strip())
    return root


def with_promisor(root: Path, canary: Path) -> Path:
    committed(root, {"a.py": RAISING, "b.py": RAISING.replace("never", "hardly")})
    blob = git(root, "rev-parse", "HEAD:b.py")
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    git(root, "config", "core.repositoryFormatVersion", "1")
    git(root, "config", "extensions.partialClone", "origin")
    git(root, "config", "remote.origin.promisor", "true")
    git(root, "config", "core.sshCommand", str(canary))
    return root


def with_include(root: Path, canary: Path) -> Path:
    committed(root, {"a.py": RAISING, ".gitattributes": "*.py filter=x\n"})
    other = write(root.parent, {"other.config": f'[filter "x"]\n\tclean = {canary}\n'})
    git(root, "config", "include.path", str(other / "other.config"))
    os.utime(root / "a.py", (1, 1))
    return root


RECIPES: dict[str, tuple[Callable[[Path, Path], Path], tuple[str, ...]]] = {
    "filter": (with_filter, ("diff", "--quiet", "HEAD")),
    "monitor": (with_monitor_and_hooks, ("status",)),
    "signature": (with_signature, ("show", "-s", "HEAD")),
    "promisor": (with_promisor, ("cat-file", "-p", "HEAD:b.py")),
    "include": (with_include, ("diff", "--quiet", "HEAD")),
}


@pytest.mark.parametrize("recipe", RECIPES)
def test_nothing_of_a_checkout_is_run(tmp_path: Path, canary: Path, recipe: str) -> None:
    make, trigger = RECIPES[recipe]
    root = make(tmp_path / "tree", canary)
    has_run(canary)
    subprocess.run(["git", "-C", root, *trigger], capture_output=True)
    assert has_run(canary), "the recipe does not work with this git"
    os.utime(root / "a.py", (2, 2))

    count, said = harvested(root)

    assert count == 1
    assert "harvested: 1 record from 1 file" in said
    if recipe == "promisor":
        assert "1 absent from this clone" in said


def test_an_embedded_bare_repository_is_a_folder(tmp_path: Path, canary: Path) -> None:
    source = committed(tmp_path / "source", {"inner.py": RAISING, ".gitattributes": "* filter=x\n"})
    root = committed(tmp_path / "tree", {"a.py": RAISING})
    bare = root / "bare"
    subprocess.run(["cp", "-r", source / ".git", bare], check=True)
    (bare / "x").mkdir()
    write(bare / "x", {"inner.py": RAISING, ".gitattributes": "* filter=x\n"})
    for name, value in {
        "core.bare": "false",
        "core.worktree": "..//bare/x",
        "filter.x.clean": str(canary),
        "core.fsmonitor": str(canary),
    }.items():
        git(bare, "config", "--file", str(bare / "config"), name, value)
    has_run(canary)

    count, said = harvested(bare)

    assert count == 1, said


def test_no_process_is_started_for_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(tmp_path, {"a.py": RAISING})

    def refuse(*arguments: object, **_: object) -> None:
        raise AssertionError(f"a process is started: {arguments}")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(os, "posix_spawn", refuse)
    lines, _ = read(open_tree(root, Selection()))
    assert len(lines) == 1


# Kinds of checkouts that are read.


@pytest.mark.parametrize("form", ["sha1", "sha256"])
@pytest.mark.parametrize("packed", [False, True])
def test_loose_and_packed_objects_and_refs_of_both_hashes(
    tmp_path: Path, form: str, packed: bool
) -> None:
    root = tmp_path
    subprocess.run(["git", "init", "-q", "-b", "main", f"--object-format={form}", root], check=True)
    committed(root, {f"m{n}.py": RAISING * (n + 1) for n in range(30)})
    for n in range(5):
        write(root, {"m7.py": RAISING * 8 + f"# {n}\n"})
        git(root, "commit", "-qam", "more")
    git(root, "tag", "-a", "v1", "-m", "one", "HEAD~1")
    if packed:
        git(root, "gc", "-q", "--aggressive")
        git(root, "pack-refs", "--all")
        assert not (root / ".git" / "refs" / "heads" / "main").exists()

    for ref in (None, "main", "v1", "HEAD~2", "HEAD^", "v1~1^1"):
        tree = open_tree(root, Selection(), ref=ref)
        commit = git(root, "rev-parse", f"{ref or 'HEAD'}^{{commit}}")
        assert tree.origin.ref == commit
        listed = git(root, "ls-tree", "-r", commit)
        assert {f"{file.blob}\t{file.path}" for file in tree.files} == {
            line.split(" ")[2] for line in listed.splitlines()
        }
        assert read(tree)[1].files == 30
        assert open_tree(root, Selection(), ref=commit[:9]).origin.ref == commit
    assert tree.origin.analyzed_at.startswith("20")


def test_worktrees_and_submodules_are_checkouts_of_their_own(tmp_path: Path) -> None:
    inner = committed(tmp_path / "inner", {"i.py": RAISING})
    root = committed(tmp_path / "root", {"a.py": RAISING})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    git(root, "commit", "-qam", "sub")
    git(root, "worktree", "add", "-q", str(tmp_path / "work"), "-b", "topic")
    write(tmp_path / "work", {"t.py": RAISING})
    git(tmp_path / "work", "add", "t.py")
    git(tmp_path / "work", "commit", "-qm", "topic")

    assert paths(open_tree(root, Selection())) == ["a.py"]
    assert paths(open_tree(tmp_path / "work", Selection())) == ["a.py", "t.py"]
    sub = open_tree(root / "sub", Selection())
    assert paths(sub) == ["i.py"]
    assert sub.origin.ref == git(inner, "rev-parse", "HEAD")


def test_objects_may_be_borrowed_even_in_a_ring(tmp_path: Path) -> None:
    lender = committed(tmp_path / "lender", {"a.py": RAISING, "b.py": RAISING})
    root = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--shared", lender, root], check=True)
    ring = lender / ".git" / "objects" / "info" / "alternates"
    ring.write_text(f"{root / '.git' / 'objects'}\n//other.example.org/share\n#\n\nnowhere\n")

    lines, tally = read(open_tree(root, Selection()))
    assert (len(lines), tally.files) == (1, 2)
    blob = git(root, "rev-parse", "HEAD:a.py")
    (lender / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    _, tally = read(open_tree(root, Selection()))
    assert tally.skipped == {"absent from this clone": 2}


@pytest.mark.parametrize("change", ["content", "touch", "staged", "removed", "sparse", "none"])
def test_changes_are_noted(tmp_path: Path, change: str) -> None:
    root = committed(tmp_path, {"a.py": RAISING, "b/c.py": RAISING, "d.txt": "1"})
    write(root, {"d.txt": "2", "new.py": RAISING})
    if change == "content":
        before = (root / "b" / "c.py").stat()
        write(root, {"b/c.py": RAISING.replace("never", "NEVER")})
        os.utime(root / "b" / "c.py", (before.st_atime, before.st_mtime + 1))
    elif change == "touch":
        os.utime(root / "a.py", (1, 1))
    elif change == "staged":
        before = (root / "a.py").read_text()
        write(root, {"a.py": "x = 1\n"})
        git(root, "add", "a.py")
        write(root, {"a.py": before})
    elif change == "removed":
        (root / "a.py").unlink()
    elif change == "sparse":
        git(root, "sparse-checkout", "set", "--no-cone", "/a.py")

    changed = change in ("content", "staged", "removed")
    noted = ["Changes that are not committed are not read."] if changed else []
    assert open_tree(root, Selection()).notes == noted


# What speaks for another repository.


@pytest.mark.parametrize("kind", ["file", "link", "worktree", "refs", "ref", "packed", "common"])
def test_another_repository_is_not_harvested(tmp_path: Path, kind: str) -> None:
    """Each recipe makes git itself read the other one."""
    secret = committed(tmp_path / "secret", {"secret.py": RAISING})
    root = committed(tmp_path / "tree", {"a.py": RAISING})
    marker, other = root / ".git", secret / ".git"
    if kind in ("file", "link", "worktree"):
        subprocess.run(["rm", "-r", marker], check=True)
    if kind == "file":
        marker.write_text(f"gitdir: {other}\n")
    elif kind == "link":
        marker.symlink_to(other)
    elif kind == "worktree":
        git(secret, "worktree", "add", "-q", str(tmp_path / "work"))
        marker.write_text(f"gitdir: {other / 'worktrees' / 'work'}\n")
    else:
        (marker / "objects" / "info" / "alternates").write_text(f"{other / 'objects'}\n")
    if kind == "refs":
        subprocess.run(["rm", "-r", marker / "refs"], check=True)
        (marker / "refs").symlink_to(other / "refs")
    elif kind == "ref":
        (marker / "refs" / "heads" / "main").unlink()
        (marker / "refs" / "heads" / "main").symlink_to(other / "refs" / "heads" / "main")
    elif kind == "packed":
        git(secret, "pack-refs", "--all")
        (marker / "refs" / "heads" / "main").unlink()
        (marker / "packed-refs").symlink_to(other / "packed-refs")
    elif kind == "common":
        (marker / "commondir").write_text(f"{other}\n")

    tree = open_tree(root, Selection())

    assert paths(tree) == ["a.py"]
    if kind != "common":
        assert tree.origin.ref is None
        assert tree.notes
