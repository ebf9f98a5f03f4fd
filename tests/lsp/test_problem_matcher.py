"""The problem matcher for VS Code in docs/integrations.md, on what the command really prints."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store

PAGE = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text(encoding="utf-8")
LOG = """\
Traceback (most recent call last):
  File "shop/run.py", line 3, in <module>
    checkout(4711)
shop.ShopError: Basket 4711 is empty
"""


@pytest.mark.slow
def test_it_reads_what_the_command_prints(tmp_path: Path) -> None:
    (task,) = (
        json.loads(block)["tasks"][0]
        for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
        if "problemMatcher" in block
    )
    assert "errdex match --format github" in task["command"]
    url = f"sqlite:///{tmp_path / 'errdex.db'}"
    load(tmp_path, *open_store(Settings(database_url=url)), SHOP)
    (tmp_path / "build.log").write_text(LOG)
    done = subprocess.run(
        [sys.executable, "-c", "from errdex.cli import main; main()", "match",
         "--format", "github", "--database", url, tmp_path / "build.log"],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2] / "app")},
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    pattern = task["problemMatcher"]["pattern"]
    (line,) = done.stdout.splitlines()
    found = re.match(pattern["regexp"], line)
    assert found, line
    assert found[pattern["severity"]] == "error"
    assert (found[pattern["file"]], found[pattern["line"]]) == ("shop/run.py", "3")
    assert found[pattern["message"]].startswith("Basket {basket_id} is empty")
    assert "%0A" not in found[pattern["message"]]
