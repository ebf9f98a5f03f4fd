"""The packages of an environment as trees: a Python's, with its standard library, and those
of a node_modules folder. What they are and where they come from is read from their metadata.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import orjson

from errdex import lazy_re as re
from errdex.harvest.extractors import find_language
from errdex.harvest.records import Origin
from errdex.harvest.sources.errors import HarvestError
from errdex.harvest.sources.selection import HUGE, MAX_BYTES, Selection
from errdex.harvest.sources.source_tree import (
    SourceFile,
    Tree,
    list_files,
    parse_remote,
)

STANDARD_LIBRARY = "python"
"""The name under which the standard library is asked for."""
SECONDS = 120
"""Given to another Python to tell what it has."""

_ASK = """
import importlib.metadata as metadata, json, platform, sysconfig
found = []
for one in metadata.distributions():
    facts = one.metadata
    if facts is None or not facts["Name"]:
        continue
    urls = facts.get_all("Project-URL") or []
    urls += [facts["Home-page"] or "", facts["Download-URL"] or ""]
    files = [str(path) for path in one.files or [] if path.suffix in (".py", ".pyw")]
    root = str(one.locate_file(""))
    found.append({"name": facts["Name"], "version": facts["Version"], "urls": urls, "root": root,
                  "files": files})
print(json.dumps({"version": platform.python_version(), "library": sysconfig.get_path("stdlib"),
                  "implementation": platform.python_implementation(), "packages": found}))
"""
_CPYTHON = "https://github.com/python/cpython/blob/v{ref}/{path}#L{start}-L{end}"
_NOT_THE_LIBRARY = frozenset({"site-packages", "dist-packages"})
_RELEASE = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
_SEPARATORS = re.compile(r"[-_.]+")
_NOT_IN_REPO = re.compile(r"[^A-Za-z0-9_.-]+")
_SOURCE_WORDS = ("source", "repository", "code", "github", "home", "")
_CODE_HOSTS = frozenset({"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"})
_NOT_AN_OWNER = frozenset({"sponsors", "orgs", "users", "apps", "marketplace"})


@dataclass(frozen=True, slots=True)
class _Package:
    name: str
    version: str | None
    repo: str
    root: Path
    files: tuple[str, ...]


def open_installed(
    names: Sequence[str], selection: Selection, *, python: Path | None = None
) -> list[Tree]:
    """The named packages of a Python environment; without names all of them and the standard
    library. `python` is the interpreter, by default this one. Raises HarvestError."""
    facts = _ask(python)
    packages = {_normalized(one["name"]): _package(one) for one in facts["packages"]}
    wanted = [_normalized(name) for name in names]
    unknown = [name for name in wanted if name not in packages and name != STANDARD_LIBRARY]
    if unknown:
        near = get_close_matches(unknown[0], [*packages, STANDARD_LIBRARY], 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise HarvestError(f"{unknown[0]} is not installed there.{hint}")
    chosen = wanted or [STANDARD_LIBRARY, *sorted(packages)]
    return [
        _standard_library(facts, selection)
        if name == STANDARD_LIBRARY
        else _tree(packages[name], selection)
        for name in dict.fromkeys(chosen)
    ]


def _ask(python: Path | None) -> dict[str, Any]:
    interpreter = str(python or sys.executable)
    if os.sep in interpreter:
        interpreter = str(Path(interpreter).absolute())
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that was asked for
            [interpreter, "-c", _ASK],
            capture_output=True,
            check=False,
            timeout=SECONDS,
            text=True,
            # Python would import from the current folder, which may be anybody's checkout.
            cwd=Path(os.sep),
        )
        answer = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        answer = None
    if not isinstance(answer, dict):
        raise HarvestError(f"{interpreter} is not a Python that can be asked for its packages.")
    return answer


def _normalized(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()


def _package(facts: Mapping[str, Any]) -> _Package:
    name = _normalized(facts["name"])
    repo = find_repo(facts["urls"]) or f"pypi/{_NOT_IN_REPO.sub('-', name)}"
    return _Package(
        name, facts["version"], repo, Path(facts["root"]), tuple(sorted(facts["files"]))
    )


def find_repo(urls: Iterable[str]) -> str | None:
    """The repository, owner/name, among a package's addresses (`Source, https://…`)."""
    named = [url.rpartition(",")[::2] for url in urls if url]
    for word in _SOURCE_WORDS:
        for label, url in named:
            if word not in label.lower():
                continue
            remote = parse_remote(url)
            if remote and remote[0] in _CODE_HOSTS:
                owner = remote[1].partition("/")[0]
                if owner.lower() not in _NOT_AN_OWNER:
                    return remote[1]
    return None


def _tree(package: _Package, selection: Selection) -> Tree:
    origin = Origin(package.repo, package.version, None, None, (package.name,))
    tree = Tree(origin, [])
    for path in package.files:
        if path.startswith("../") or Path(path).is_absolute():
            continue  # a script, or an editable install's hook
        reason = selection.reason_against(path) or _size_reason(package.root / path)
        if reason is None:
            tree.files.append(SourceFile(path, str(package.root / path)))
        else:
            tree.skipped[reason] += 1
    return tree


def _size_reason(path: Path) -> str | None:
    try:
        return HUGE if path.stat().st_size > MAX_BYTES else None
    except OSError:
        return None  # told when it is read


def _standard_library(facts: Mapping[str, Any], selection: Selection) -> Tree:
    root, version = Path(facts["library"]), str(facts["version"])
    is_release = facts["implementation"] == "CPython" and _RELEASE.fullmatch(version)
    origin = Origin("python/cpython", version, None, _CPYTHON if is_release else None)
    tree = Tree(origin, [])
    for path in list_files(root, tree.skipped, selection, without=_NOT_THE_LIBRARY):
        tree.files.append(SourceFile(f"Lib/{path}", str(root / path)))
    return tree


def open_node_modules(root: Path, selection: Selection) -> list[Tree]:
    """Each package below a node_modules folder (or a folder that has one). Raises HarvestError."""
    inner = root / "node_modules"
    root = inner if inner.is_dir() else root
    if not root.is_dir():
        reason = "is not a folder" if root.exists() else "does not exist"
        raise HarvestError(f"{root} {reason}.")
    trees = [_node_tree(folder, root, selection) for folder in _node_packages(root)]
    if not trees:
        raise HarvestError(f"There are no packages in {root}.")
    return list(_distinct(trees))


def _distinct(trees: Sequence[Tree]) -> Iterator[Tree]:
    """The trees without further copies of one version of a package. Packages of one repository
    and versions of one package give the same paths, so that they need a part each."""
    seen: dict[tuple[str, str], set[str | None]] = {}
    for tree in trees:
        origin, name = tree.origin, tree.origin.tags[0]
        versions = seen.setdefault((origin.repo, name), set())
        if origin.ref in versions:
            continue
        part = "" if name == origin.repo.rpartition("/")[2] else name
        tree.origin = replace(origin, part=f"{name}@{origin.ref}" if versions else part)
        versions.add(origin.ref)
        yield tree


def _node_packages(root: Path) -> Iterator[Path]:
    """Folders with a package.json, each in a node_modules folder or a scope there."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        for entry in sorted(folder.iterdir()):
            if entry.is_symlink() or not entry.is_dir() or entry.name.startswith("."):
                continue
            if entry.name.startswith("@"):
                waiting.append(entry)
                continue
            if (entry / "package.json").is_file():
                yield entry
            if (entry / "node_modules").is_dir():
                waiting.append(entry / "node_modules")


def _node_tree(folder: Path, root: Path, selection: Selection) -> Tree:
    try:
        facts = orjson.loads((folder / "package.json").read_bytes())
    except (OSError, ValueError):
        facts = {}
    facts = facts if isinstance(facts, dict) else {}
    name = folder.name if folder.parent.name[:1] != "@" else f"{folder.parent.name}/{folder.name}"
    version = facts.get("version")
    origin = Origin(
        _node_repo(facts.get("repository")) or f"npm/{_NOT_IN_REPO.sub('-', name).strip('-')}",
        version if isinstance(version, str) and version.isprintable() else None,
        tags=(name.lstrip("@").replace("/", "-"),),
    )
    tree = Tree(origin, [])
    skipped: Counter[str] = Counter()
    for path in list_files(folder, skipped, selection):
        if find_language(path) is not None and not path.endswith((".d.ts", ".d.mts", ".d.cts")):
            tree.files.append(SourceFile(path, str(folder / path)))
    tree.skipped += skipped
    return tree


def _node_repo(given: object) -> str | None:
    url = given.get("url") if isinstance(given, dict) else given
    if not isinstance(url, str):
        return None
    if re.fullmatch(r"(?:github:)?[\w.-]+/[\w.-]+", url):
        url = f"https://github.com/{url.removeprefix('github:')}"
    return find_repo([url])
