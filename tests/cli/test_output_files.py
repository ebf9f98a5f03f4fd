"""The file that a command writes: whole or as it was, and a device stays a device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store

pytestmark = pytest.mark.slow

ERRDEX = Path(sys.executable).with_name("errdex")


@pytest.fixture
def export(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'errdex.db'}"
    load(tmp_path, *open_store(Settings(database_url=url)), SHOP)

    def run(output: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [ERRDEX, "export", "-o", output, "--database", url],
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=600,
        )

    return run


def test_an_export_that_fails_leaves_the_earlier_one(export, tmp_path: Path) -> None:
    output = tmp_path / "all.jsonl"
    output.write_text("the earlier export\n")
    (tmp_path / "errdex.db").write_bytes(b"no database any more" * 300)
    ended = export(output)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "not a database or is damaged" in ended.stderr
    assert output.read_text() == "the earlier export\n"
    assert not list(tmp_path.glob("*.part")) + list(tmp_path.glob(".*.part"))


def test_a_file_that_is_replaced_keeps_its_mode_and_its_links(export, tmp_path: Path) -> None:
    real = tmp_path / "real.jsonl"
    real.write_text("the earlier export\n")
    real.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to("real.jsonl")
    assert export(link).returncode == 0
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert len(real.read_text().splitlines()) == len(SHOP)


def test_a_device_is_written_not_replaced(export, tmp_path: Path) -> None:
    link = tmp_path / "nowhere"
    link.symlink_to(os.devnull)
    assert export(link).returncode == 0
    assert link.is_symlink()
    assert Path(os.devnull).is_char_device()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_told_with_the_name_of_the_file(export) -> None:
    ended = export(Path("/dev/full"))
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr == "errdex: /dev/full: No space left on device.\n"


@pytest.mark.parametrize(
    ("output", "says"), [("", "is a folder: name a file"), ("no/all.jsonl", "does not exist")]
)
def test_a_file_that_cannot_be_is_wrong_usage(export, tmp_path: Path, output, says) -> None:
    ended = export(tmp_path / output)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert says in ended.stderr
