"""The extractor of docs/how-to-add-a-language-to-harvest.md finds what its case says."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import yaml
from tests.harvest.harvest_cases import as_written

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to-add-a-language-to-harvest.md"


def test_the_extractor_of_the_page_does_what_its_case_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = dict(re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL))
    module = ModuleType("shell")
    exec(compile(blocks["python"], str(PAGE), "exec"), module.__dict__)  # noqa: S102
    cases = yaml.safe_load(blocks["yaml"])
    assert len(cases) == 1
    for case in cases:
        assert as_written(module.extract(case["source"], "a.sh")) == {"finds": case["finds"]}


def test_the_files_that_the_page_names_are_there() -> None:
    named = re.findall(r"`((?:app|tests)/[\w/.]+\.py)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) >= 4
    assert [path for path in named if not (ROOT / path).is_file()] == []
