"""The pictures of the README, taken from the running product: `python -m tests.docs.pictures`.

Needs Chromium. The terminal's picture is an SVG that rich draws of what `errdex match` prints.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from rich.console import Console
from rich.text import Text
from tests.browser.browsing import find_chromium, opened_browser
from tests.docs.generated import DOCS
from tests.serving import served

from errdex.resources import find_folder

WIDTH = 100
LOG = """\
Traceback (most recent call last):
  File "/home/dev/shop/app.py", line 3, in <module>
    import requests
ModuleNotFoundError: No module named 'requests'
"""
PICTURES = DOCS / "pictures"


def draw_terminal(folder: Path, into: Path) -> None:
    """What `errdex match build.log` prints on a terminal, as an SVG."""
    (folder / "build.log").write_text(LOG)
    command = str(Path(sys.executable).with_name("errdex"))
    environment = {"FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "HOME": str(folder)}
    ran = subprocess.run(
        [command, "match", "build.log"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    console.print(Text.from_ansi(f"$ errdex match build.log\n{ran.stdout}"))
    drawn = console.export_svg(title="errdex match build.log", unique_id="terminal")
    # A reader's own fixed-width font is good enough, and nothing is fetched for it.
    into.write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL))


def take_answer(folder: Path, into: Path) -> None:
    """The page that answers the same log, as a PNG."""
    executable = find_chromium()
    if executable is None:
        raise SystemExit("Chromium is not installed")
    records = [
        record
        for path in sorted(find_folder("data").glob("*.yaml"))
        for record in yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    ]
    with served(folder, records) as address, opened_browser(executable) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}/match")
        page.locator("textarea[name=paste]").fill(LOG)
        page.get_by_role("button", name="Find the fix").click()
        page.locator("#event-1").wait_for()
        page.screenshot(path=into)
        page.close()


def main() -> None:
    """Draw both."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        draw_terminal(Path(folder), PICTURES / "terminal.svg")
        take_answer(Path(folder), PICTURES / "answer.png")


if __name__ == "__main__":
    main()
