"""What is installed: each package in one version, and each file known by its hash."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PYPROJECT["optional-dependencies"]
LOCKS = {
    "requirements.lock": [PYPROJECT["dependencies"], EXTRAS["build"]],
    "requirements-dev.lock": [PYPROJECT["dependencies"], EXTRAS["dev"], EXTRAS["harvest"]],
    "requirements-bench.lock": [PYPROJECT["dependencies"], EXTRAS["bench"]],
}
PINNED = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([A-Za-z0-9.+!]+)(?: *;.*)?")


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
    found = entries(lock)
    for asked in (each for group in LOCKS[lock] for each in group):
        if not asked.startswith("errdex["):
            pinned = PINNED.fullmatch(asked)
            assert pinned, f"not in one version: {asked}"
            assert f"{normal(pinned[1])}=={pinned[2]}" in found


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
