"""Programs that really fail, and the record whose line is the one that raised: harvested from
the standard library and the installed packages, it comes first."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.harvest.conftest import Harvested
from tests.harvest.harvest_cases import CASES

LEAST_RIGHT = 0.9
_FRAME = re.compile(r'^ *(?:\| )*  File "(?P<path>[^"]+)", line (?P<line>\d+), in ', re.MULTILINE)


def programs() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(
        (CASES / "failing_programs.yaml").read_text(encoding="utf-8")
    )
    return found


def printed_by(program: str, folder: Path) -> str:
    """What a program that fails prints to standard error."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=600,
    )
    assert done.returncode != 0, program
    return done.stderr


def raised_at(case: dict[str, Any], printed: str) -> list[tuple[str, int | None]]:
    """The files and lines that raised: the last frame of each traceback of a chain."""
    if "raised in" in case:
        return [(case["raised in"], None)]
    raised = [list(_FRAME.finditer(part)) for part in printed.split("Traceback (most recent")]
    return [(frames[-1]["path"], int(frames[-1]["line"])) for frames in raised if frames]


def is_right(record: Any, path: str, line: int | None) -> bool:
    if line is None:
        return str(record.file_path).startswith(path)
    path = re.sub(r"^<frozen (.+)>$", r"/\1.py", path)
    return path.endswith("/" + record.file_path.removeprefix("Lib/")) and record.line_number == line


@pytest.mark.slow
@pytest.mark.timeout(1800)  # all packages are harvested before
def test_the_line_that_really_raised_comes_first(harvested: Harvested, tmp_path: Path) -> None:
    cases = programs()
    with ThreadPoolExecutor(2) as pool:
        folders = [tmp_path / str(number) for number in range(len(cases))]
        outputs = list(pool.map(printed_by, (case["program"] for case in cases), folders))

    wrong: list[str] = []
    for case, printed in zip(cases, outputs, strict=True):
        places = raised_at(case, printed)
        events = harvested.knowledge.match(printed).answer.events
        best = [
            match.record
            for event in events
            for match in event.matches
            if match.group == event.matches[0].group
        ]
        if not any(is_right(record, *place) for record in best for place in places):
            first = [f"{each.file_path}:{each.line_number} {each.error_message}" for each in best]
            wrong.append(f"{case['name']}: {places}\n{printed[-300:]}\n  {first}")

    assert len(cases) >= 60
    assert len(wrong) <= (1 - LEAST_RIGHT) * len(cases), "\n\n".join(wrong)
