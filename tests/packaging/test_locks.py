"""What is installed: each package in one version, and each file known by its hash."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PYPROJECT["optional-dependencies"]
SERVED = [PYPROJECT["dependencies"], EXTRAS["server"]]
OPTIONAL = [EXTRAS[name] for name in ("harvest", "mcp", "otlp", "lsp", "postgres")]
SPARK = [PYPROJECT["dependencies"], EXTRAS["spark"]]
LOCKS = {
    "requirements.lock": [
        *SERVED,
        EXTRAS["postgres"],
        EXTRAS["mcp"],
        EXTRAS["otlp"],
        EXTRAS["build"],
    ],
    "requirements-dev.lock": [*SERVED, *OPTIONAL, EXTRAS["build"], EXTRAS["dev"]],
    "requirements-bench.lock": [*SERVED, EXTRAS["bench"]],
    "requirements-spark.lock": SPARK,
}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def entries(lock: str) -> dict[str, str]:
    """Each requirement of a lock, by name and version, with the lines that belong to it."""
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            pinned = re.match(r"([A-Za-z0-9._-]+)==(\S+)", line)
            assert pinned, f"not in one version: {line[:80]}"
            found[f"{normal(pinned[1])}=={pinned[2]}"] = line
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_every_file_is_known_by_its_hash(lock: str) -> None:
    found = entries(lock)
    assert len(found) > 20
    bare = [name for name, line in found.items() if "--hash=sha256:" not in line]
    assert bare == []
    assert not re.search(r"--(extra-)?index-url|--find-links|--trusted-host|https?://|git\+",
                         (ROOT / lock).read_text())  # fmt: skip


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_holds_what_is_asked_for(lock: str) -> None:
    locked: dict[str, list[str]] = {}
    for name, _, version in (entry.partition("==") for entry in entries(lock)):
        locked.setdefault(name, []).append(version)
    for asked in map(Requirement, (each for group in LOCKS[lock] for each in group)):
        if asked.name != "errdex":
            versions = locked.get(normal(asked.name), [])
            assert any(asked.specifier.contains(each) for each in versions), str(asked)


def test_every_dependency_has_both_ends() -> None:
    """An open end is a promise about versions that nobody has tested."""
    ranges = [*SERVED, *OPTIONAL, *SPARK]
    for asked in map(Requirement, (each for group in ranges for each in group)):
        assert {each.operator for each in asked.specifier} == {">=", "<"}, str(asked)


def test_each_python_that_is_promised_is_one_that_the_makefile_tests() -> None:
    tested = re.findall(r"^PYTHONS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[0]
    promised = SpecifierSet(PYPROJECT["requires-python"])
    minors = [f"3.{minor}" for minor in range(50)]
    assert [each for each in minors if promised.contains(each)] == tested.split()


def test_the_image_is_made_from_the_lock_alone() -> None:
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    installs = re.findall(r"pip install ([^&\n]*)", text)
    assert len(installs) == 2
    assert "--require-hashes -r requirements.lock" in installs[0]
    assert "--no-deps" in installs[1]
    assert "--no-build-isolation" in installs[1]


def test_the_image_runs_as_a_numbered_user_without_rights() -> None:
    last = (ROOT / "Dockerfile").read_text().rpartition("FROM ")[2]
    (user,) = re.findall(r"^USER (\d+):(\d+)$", last, re.MULTILINE)
    assert all(int(each) >= 10_000 for each in user)
    assert last.index("USER ") > last.index("RUN ")
