"""SECURITY.md is true of the code: the settings, files and commands that it names are there."""

from __future__ import annotations

import re
from pathlib import Path

from errdex.config import Settings

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text()
README = (ROOT / "README.md").read_text()
SETTINGS = (ROOT / "docs" / "settings.md").read_text()


def test_its_settings_exist_and_the_bounds_are_explained() -> None:
    named = set(re.findall(r"ERRDEX_([A-Z_]+)", TEXT))
    assert {each.lower() for each in named} - set(Settings.model_fields) == set()
    bounds = TEXT.partition("## Bounds")[2].partition("\n## ")[0]
    assert set(re.findall(r"ERRDEX_[A-Z_]+", bounds)) - set(re.findall(r"\w+", SETTINGS)) == set()


def test_its_files_and_commands_exist() -> None:
    paths = re.findall(r"`(tests/[\w./]+)`", TEXT)
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []
    for module in re.findall(r"`python -m bench\.(\w+)`", TEXT):
        assert (ROOT / "bench" / f"{module}.py").exists()
    for target in re.findall(r"`make (\w+)`", TEXT):
        assert f"\n{target}: " in (ROOT / "Makefile").read_text()


def test_the_readme_leads_to_it() -> None:
    assert "(SECURITY.md)" in README
    assert "(docs/operations.md)" in README
