"""A source tree: its files, and where they come from.

A git checkout is read as committed: names and contents come from git's objects, no hook
or filter runs, and changes that were not committed play no part. Any other folder
is walked by name.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from errdex.harvest.extractors import find_language
from errdex.harvest.records import GITHUB, URL_FIELDS, Origin, unknown_url_fields
from errdex.harvest.sources.selection import HUGE, MAX_BYTES, OUTSIDE, UNREADABLE, Selection

GITLAB = "https://gitlab.com/{repo}/-/blob/{ref}/{path}#L{start}-{end}"
_HOSTS = {"github.com": GITHUB, "gitlab.com": GITLAB}
_REMOTE = re.compile(
    r"(?:(?:git\+)?(?:https?|ssh|git)://(?:[^@/\s]*@)?|(?:[\w.-]+@)?)(?P<host>[\w.-]+)(?::\d+(?=/))?[/:]"
    r"(?P<repo>[\w.-]+/[\w.-]+?)(?:\.git)?(?:[/#?].*)?"
)
_REPO = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_NOT_IN_REPO = re.compile(r"[^A-Za-z0-9_.-]+")
_REF = re.compile(r"[^-\s\x00-\x1f][^\s\x00-\x1f]*")


class HarvestError(Exception):
    """The input cannot be harvested; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. `path` is what the record says; the content is at `place`, or the git
    object `blob` of the checkout at `place`."""

    path: str
    place: str
    blob: str | None = None


@dataclass(slots=True)
class Tree:
    """Files of one origin."""

    origin: Origin
    files: list[SourceFile]
    skipped: Counter[str] = field(default_factory=Counter)
    """Files that are left out, by the reason."""
    notes: list[str] = field(default_factory=list)


def open_tree(
    path: Path,
    selection: Selection,
    *,
    repo: str | None = None,
    ref: str | None = None,
    url_template: str | None = None,
) -> Tree:
    """The tree at `path`: a folder, or one inside a git checkout. Raises HarvestError."""
    if not path.is_dir():
        reason = "is not a folder" if path.exists() else "does not exist"
        raise HarvestError(f"{path} {reason}.")
    if repo is not None and not _is_repo(repo):
        raise HarvestError(f"{repo!r} is not owner/name.")
    if url_template is not None:
        _check_url_template(url_template)
    top = _git_top(path)
    if top is None:
        if ref is not None and url_template is None:
            url_template = GITHUB if repo else None
        origin = Origin(repo or _local_name(path), ref, None, url_template)
        tree = _walked(path, origin, selection)
        if ref is not None:
            tree.notes.append(
                f"This is no git checkout: {ref} is noted, the files are as they are."
            )
        if (path / ".git").exists():
            tree.notes.append("git gives no commit here: all files of the folder are read.")
        return tree
    return _committed(path, top, selection, repo, ref, url_template)


def _check_url_template(template: str) -> None:
    if not template.startswith(("https://", "http://")):
        raise HarvestError(f"{template!r} is no template of links: begin it with https://.")
    if unknown := unknown_url_fields(template):
        raise HarvestError(
            f"{{{unknown[0]}}} cannot stand in a template of links; what can: "
            + ", ".join(f"{{{field}}}" for field in URL_FIELDS)
        )


def parse_remote(url: str) -> tuple[str, str] | None:
    """Host and owner/name of a repository's address; None when it has no such form."""
    found = _REMOTE.fullmatch(url.strip())
    if found is None or not _is_repo(found["repo"]):
        return None
    return found["host"].lower().removeprefix("www."), found["repo"]


def _is_repo(text: str) -> bool:
    return bool(_REPO.fullmatch(text)) and not {".", ".."} & set(text.split("/"))


def url_template_of(host: str) -> str | None:
    """How links to files look on a known host."""
    return _HOSTS.get(host)


def _local_name(path: Path) -> str:
    name = _NOT_IN_REPO.sub("-", path.resolve().name).strip("-.")
    return f"local/{name or 'source'}"


def _git(place: Path, *arguments: str) -> bytes | None:
    """The output of a git command, None when it fails or there is no git."""
    command = ["git", "-C", str(place), "-c", "core.fsmonitor=false", "--no-optional-locks"]
    try:
        done = subprocess.run(  # noqa: S603 - arguments are given as a list
            [*command, *arguments],
            capture_output=True,
            env=_environment(),
            check=False,
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _environment() -> dict[str, str]:
    """For git: none of the variables that would lead it to another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}


def _git_line(place: Path, *arguments: str) -> str | None:
    output = _git(place, *arguments)
    return None if output is None else os.fsdecode(output).removesuffix("\n")


def _git_top(path: Path) -> Path | None:
    top = _git_line(path, "rev-parse", "--show-toplevel")
    if not top or _git(path, "rev-parse", "--verify", "--quiet", "HEAD") is None:
        return None
    # A folder that the surrounding repository does not know is a folder of its own.
    if not _git_line(path, "ls-tree", "-r", "--name-only", "HEAD", "."):
        return None
    return Path(top)


def _committed(
    path: Path,
    top: Path,
    selection: Selection,
    repo: str | None,
    ref: str | None,
    url_template: str | None,
) -> Tree:
    wanted = ref or "HEAD"
    commit = None
    if _REF.fullmatch(wanted):
        commit = _git_line(path, "rev-parse", "--verify", "--quiet", f"{wanted}^{{commit}}")
    if not commit:
        raise HarvestError(f"The checkout at {path} has no commit {wanted!r}.")
    remote = parse_remote(_git_line(path, "remote", "get-url", "origin") or "")
    if url_template is None and remote is not None:
        url_template = url_template_of(remote[0])
    when = _git_line(path, "show", "-s", "--format=%ct", commit)
    origin = Origin(
        repo or (remote[1] if remote else _local_name(top)),
        commit,
        _utc(int(when)) if when else None,
        url_template,
    )
    tree = Tree(origin, [])
    listing = _git(path, "ls-tree", "-r", "-z", "-l", "--full-name", commit, ".")
    for entry in (listing or b"").split(b"\0")[:-1]:
        facts, _, name = entry.partition(b"\t")
        mode, kind, blob, size = facts.decode().split()
        file = SourceFile(os.fsdecode(name), str(top), blob)
        _take(tree, file, selection, "" if kind != "blob" else mode, int(size.strip("-") or 0))
    if ref is None and _git(path, "diff", "--quiet", "HEAD", "--", ".") is None:
        tree.notes.append("Changes that are not committed are not read.")
    return tree


def _take(tree: Tree, file: SourceFile, selection: Selection, mode: str, size: int) -> None:
    if find_language(file.path) is None or not mode:
        return
    reason = selection.reason_against(file.path)
    if mode == "120000":
        # What it leads to is read by its own name, or lies outside.
        reason = None if _leads_inside(file) else OUTSIDE
        if reason is None:
            return
    if reason is None and size > MAX_BYTES:
        reason = HUGE
    if reason is None:
        tree.files.append(file)
    else:
        tree.skipped[reason] += 1


def _leads_inside(file: SourceFile) -> bool:
    top = Path(file.place)
    target = _git_line(top, "cat-file", "blob", file.blob or "")
    if target is None or Path(target).is_absolute():
        return False
    reached = os.path.normpath(Path(file.path).parent / target)
    return not reached.startswith("..")


def _utc(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _walked(root: Path, origin: Origin, selection: Selection) -> Tree:
    tree = Tree(origin, [])
    for found in list_files(root, tree.skipped, selection):
        tree.files.append(SourceFile(found, str(root / found)))
    return tree


def list_files(
    root: Path,
    skipped: Counter[str],
    selection: Selection,
    without: frozenset[str] = frozenset(),
) -> Iterator[str]:
    """The source files below a folder but the inner ones named in `without`, in the order of
    their names, as paths from there with `/`. Links are not followed: what one leads to
    inside is found by its own name."""
    whole = root.resolve()
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError:
            skipped[UNREADABLE] += 1
            continue
        inner: list[str] = []
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith(".") or entry.name == "__pycache__" or path in without:
                continue
            if entry.is_symlink():
                if not Path(entry.path).resolve().is_relative_to(whole):
                    skipped[OUTSIDE] += 1
            elif entry.is_dir(follow_symlinks=False):
                inner.append(path)
            elif find_language(path) is not None:
                reason = selection.reason_against(path) or _too_big(entry)
                if reason is None:
                    yield path
                else:
                    skipped[reason] += 1
        waiting.extend(reversed(inner))


def _too_big(entry: os.DirEntry[str]) -> str | None:
    try:
        if not entry.is_file(follow_symlinks=False):
            return UNREADABLE
        return HUGE if entry.stat(follow_symlinks=False).st_size > MAX_BYTES else None
    except OSError:
        return UNREADABLE


class Contents:
    """Reads files one after the other; keeps one git process for each checkout."""

    def __init__(self) -> None:
        self._readers: dict[str, subprocess.Popen[bytes]] = {}

    def read(self, file: SourceFile) -> bytes:
        """The content of a file. Raises OSError."""
        if file.blob is None:
            return Path(file.place).read_bytes()
        reader = self._readers.get(file.place)
        if reader is None:
            reader = self._readers[file.place] = subprocess.Popen(  # noqa: S603 - a list
                ["git", "-C", file.place, "cat-file", "--batch"],  # noqa: S607 - git is found by its name
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        if reader.stdin is None or reader.stdout is None:
            raise OSError("git has no pipes")
        reader.stdin.write(f"{file.blob}\n".encode())
        reader.stdin.flush()
        head = reader.stdout.readline().split()
        if len(head) != 3:
            raise OSError(f"git has no object {file.blob}")
        content = reader.stdout.read(int(head[2]) + 1)
        return content[:-1]

    def close(self) -> None:
        """End the git processes."""
        for reader in self._readers.values():
            reader.communicate()
        self._readers.clear()


@contextmanager
def opened_contents() -> Iterator[Contents]:
    """Contents that are closed in the end."""
    contents = Contents()
    try:
        yield contents
    finally:
        contents.close()
