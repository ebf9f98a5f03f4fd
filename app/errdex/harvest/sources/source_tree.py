"""A source tree: its files, and where they come from.

A git checkout is read as committed: names and contents come from its objects (`checkout`),
nothing of it is run, and changes that were not committed play no part. Any other folder
is walked by name.
"""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from errdex import lazy_re as re
from errdex.harvest.extractors import find_language
from errdex.harvest.records import GITHUB, URL_FIELDS, Origin, unknown_url_fields
from errdex.harvest.sources.errors import HarvestError, ObjectMissing
from errdex.harvest.sources.selection import (
    ABSENT,
    HUGE,
    MAX_BYTES,
    OUTSIDE,
    UNREADABLE,
    Selection,
)

if TYPE_CHECKING:
    from errdex.harvest.sources.checkout import Checkout, CommittedFile
    from errdex.harvest.sources.git_objects import GitObjects

GITLAB = "https://gitlab.com/{repo}/-/blob/{ref}/{path}#L{start}-{end}"
_HOSTS = {"github.com": GITHUB, "gitlab.com": GITLAB}
_REMOTE = re.compile(
    r"(?:(?:git\+)?(?:https?|ssh|git)://(?:[^@/\s]*@)?|(?:[\w.-]+@)?)(?P<host>[\w.-]+)(?::\d+(?=/))?[/:]"
    r"(?P<repo>[\w.-]+/[\w.-]+?)(?:\.git)?(?:[/#?].*)?"
)
_REPO = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_NOT_IN_REPO = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_LINK = 4096
"""Bytes of what a link says."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. `path` is what the record says; the content is at `place`, or the git
    object `blob` of the repository whose folder `place` is."""

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
    is_part: bool = False
    """Whether the repository has files besides, in other folders."""


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
    checkout, note = _opened(path)
    if checkout is None:
        if ref is not None and url_template is None:
            url_template = GITHUB if repo else None
        origin = Origin(repo or _local_name(path), ref, None, url_template)
        tree = _walked(path, origin, selection)
        if ref is not None:
            tree.notes.append(
                f"This is no git checkout: {ref} is noted, the files are as they are."
            )
        if note:
            tree.notes.append(note)
        return tree
    with closing(checkout):
        try:
            return _committed(path, checkout, selection, repo, ref, url_template)
        except OSError as error:
            raise HarvestError(
                f"The commit at {path} cannot be read ({error}): harvest a copy without .git."
            ) from error


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


def _opened(path: Path) -> tuple[Checkout | None, str]:
    """The checkout of a folder with a commit that knows it, or None and why there is none."""
    try:
        from errdex.harvest.sources.checkout import find_checkout
    except ImportError as error:
        raise HarvestError(
            f"Reading a git checkout needs {error.name}: pip install 'errdex[harvest]'"
        ) from error
    try:
        checkout, note = find_checkout(path)
        if checkout is None:
            return None, note
        with ExitStack() as stack:
            stack.enter_context(closing(checkout))
            head = checkout.find_commit()
            # A folder that the surrounding repository does not know is a folder of its own.
            if head and any(True for _ in checkout.list_files(head, _below(path, checkout))):
                stack.pop_all()
                return checkout, ""
    except OSError as error:
        raise HarvestError(
            f"The git repository of {path} cannot be read ({error}): repair it (git fsck shows "
            "what is wrong), or harvest a copy without .git."
        ) from error
    has_own = checkout.top == path.resolve()
    return None, "There is no commit here: the files are read as they are." if has_own else ""


def _below(path: Path, checkout: Checkout) -> str:
    below = path.resolve().relative_to(checkout.top).as_posix()
    return "" if below == "." else below


def _committed(
    path: Path,
    checkout: Checkout,
    selection: Selection,
    repo: str | None,
    ref: str | None,
    url_template: str | None,
) -> Tree:
    commit = checkout.find_commit(ref or "HEAD")
    if not commit:
        raise HarvestError(f"The checkout at {path} has no commit {ref or 'HEAD'!r}.")
    remote = parse_remote(checkout.remote_url())
    if url_template is None and remote is not None:
        url_template = url_template_of(remote[0])
    origin = Origin(
        repo or (remote[1] if remote else _local_name(checkout.top)),
        commit,
        _utc(checkout.commit_time(commit)),
        url_template,
    )
    place, below = str(checkout.common), _below(path, checkout)
    tree = Tree(origin, [], is_part=bool(below))
    for entry in checkout.list_files(commit, below):
        if isinstance(entry, OSError):
            tree.skipped[ABSENT if isinstance(entry, ObjectMissing) else UNREADABLE] += 1
        elif find_language(entry.path) is not None:
            _take(tree, entry, SourceFile(entry.path, place, entry.oid), checkout, selection)
    if ref is None and checkout.has_changes({file.path: file.blob or "" for file in tree.files}):
        tree.notes.append("Changes that are not committed are not read.")
    return tree


def _take(
    tree: Tree,
    entry: CommittedFile,
    file: SourceFile,
    checkout: Checkout,
    selection: Selection,
) -> None:
    reason = selection.reason_against(file.path)
    if entry.is_link:
        # What it leads to is read by its own name, or is outside.
        if not _leads_inside(entry, checkout):
            tree.skipped[OUTSIDE] += 1
    elif reason is None:
        tree.files.append(file)
    else:
        tree.skipped[reason] += 1


def _leads_inside(link: CommittedFile, checkout: Checkout) -> bool:
    try:
        target = os.fsdecode(checkout.objects.read(link.oid, _LONGEST_LINK)[1])
    except OSError:
        return False
    if PurePosixPath(target).is_absolute():
        return False
    reached = posixpath.normpath(PurePosixPath(link.path).parent / target)
    return reached != ".." and not reached.startswith("../")


def _utc(seconds: int) -> str | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    except (ValueError, OverflowError, OSError):
        return None


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


class FileReader:
    """Reads files one after the other; keeps the opened objects of each checkout."""

    def __init__(self) -> None:
        self._objects: dict[str, GitObjects] = {}

    def read(self, file: SourceFile) -> bytes:
        """The content of a file. Raises OSError: of a committed one ObjectMissing or
        ObjectTooLarge where these are the reason."""
        if file.blob is None:
            return Path(file.place).read_bytes()
        objects = self._objects.get(file.place)
        if objects is None:
            from errdex.harvest.sources.checkout import open_objects

            objects = self._objects[file.place] = open_objects(Path(file.place))
        return objects.read(file.blob, MAX_BYTES)[1]

    def close(self) -> None:
        """Release the repositories' files."""
        for objects in self._objects.values():
            objects.close()
        self._objects.clear()


@contextmanager
def opened_contents() -> Iterator[FileReader]:
    """Contents that are closed in the end."""
    contents = FileReader()
    try:
        yield contents
    finally:
        contents.close()
