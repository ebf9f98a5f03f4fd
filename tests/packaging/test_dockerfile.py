"""The Dockerfile: linted, and its steps performed in a clean folder up to a healthy server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.packaging.dockerfile_steps import build

ROOT = Path(__file__).parents[2]


def test_the_linter_finds_nothing() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        if os.environ.get("CI"):
            pytest.fail("hadolint is not installed: run make test")
        pytest.skip("hadolint has no build for this machine")
    done = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.timeout(1800)
def test_its_steps_lead_to_a_healthy_server(tmp_path: Path, port: int) -> None:
    image = build(ROOT / "Dockerfile", ROOT, tmp_path)
    assert image.user, "the image must not run as root"
    image.env["ERRDEX_PORT"] = str(port)
    image.env["ERRDEX_HOST"] = "127.0.0.1"
    server = subprocess.Popen(
        [image.move(word) for word in image.command],
        cwd=image.path("."),
        env=image.environment(),
        stdin=subprocess.DEVNULL,
        **as_the_image_user(image.user, tmp_path),
    )
    try:
        deadline = time.monotonic() + 600
        while True:
            assert server.poll() is None, "the server ended"
            healthy = subprocess.run(
                image.health, cwd=image.path("."), env=image.environment(), capture_output=True
            )
            if healthy.returncode == 0:
                break
            assert time.monotonic() < deadline, healthy.stderr.decode()
            time.sleep(0.5)
    finally:
        server.terminate()
        server.wait(timeout=600)


def as_the_image_user(user: str, folder: Path) -> dict[str, int]:
    """Popen's arguments for USER, where this process may change its user at all and that
    user may run this machine's Python, which an image's own Python always allows."""
    if os.getuid() != 0:
        return {}
    number, _, group = user.partition(":")
    arguments = {"user": int(number), "group": int(group or number)}
    try:
        subprocess.run([Path(sys.executable).resolve(), "-c", ""], check=True, **arguments)
    except (PermissionError, subprocess.CalledProcessError):
        return {}
    for parent in (folder, *folder.parents):
        if not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
        if parent == Path("/tmp"):  # noqa: S108
            break
    return arguments


def test_the_ignore_file_lets_in_what_is_copied() -> None:
    allowed = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"
    }
    copied = {
        word
        for line in (ROOT / "Dockerfile").read_text().splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for word in line.split()[1:-1]
    }
    assert copied == allowed
