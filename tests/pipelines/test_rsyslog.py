"""The recipe for rsyslog in docs/integrations.md, with the real program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
LOG = """\
all is well
Traceback (most recent call last):
  File "shop/run.py", line 3, in <module>
    checkout(4711)
shop.ShopError: Basket 4711 is empty
all is well
"""


@pytest.mark.slow
@pytest.mark.tools("rsyslogd")
def test_what_is_known_arrives_in_the_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'errdex.db'}"
    load(tmp_path, *open_store(Settings(database_url=url)), SHOP)
    program = tmp_path / "errdex"
    program.write_text(
        f"#!/bin/sh\nPYTHONPATH={ROOT / 'app'} exec {sys.executable} "
        f"-c 'from errdex.cli import main; main()' \"$@\" --database {url}\n"
    )
    program.chmod(0o755)
    log, known = tmp_path / "app.log", tmp_path / "known.ndjson"
    (recipe,) = re.findall(r"^```rsyslog\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    for old, new in (
        ("/usr/local/bin/errdex", program),
        ("/var/log/app.log", log),
        ("/var/log/errdex.ndjson", known),
    ):
        assert old in recipe
        recipe = recipe.replace(old, str(new))
    (tmp_path / "rsyslog.conf").write_text(f'global(workDirectory="{tmp_path}")\n{recipe}')
    log.write_text(LOG)
    process = subprocess.Popen(
        ["rsyslogd", "-n", "-f", tmp_path / "rsyslog.conf", "-i", tmp_path / "pid"],
        stderr=subprocess.PIPE,
    )
    try:
        deadline = time.monotonic() + 300
        while not known.is_file() or not known.read_text().strip():
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        process.terminate()
        process.communicate(timeout=300)
    records = [json.loads(line) for line in known.read_text().splitlines() if line[:1] == "{"]
    (record,) = [each for each in records if each["tag"] == "app:"]
    assert record["message"] == "shop.ShopError: Basket 4711 is empty"
    assert record["errdex"]["fix"] == "Add an article before checkout."
