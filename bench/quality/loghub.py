"""The labelled lines of the loghub collection, scored by the script that comes with them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

_ROW = re.compile(
    r"all +(?P<lines>\d+)(?P<figures>(?: +\d+){8}) +(?P<right>[\d.]+) +(?P<fair>[\d.]+)"
)


def score_loghub(cases: Path, *, misses: bool = False) -> list[str]:
    """The figures of each way of sending the lines, as lines of a table. Raises RuntimeError when
    the script fails."""
    command = Path(sys.executable).with_name("errdex")
    arguments = ["loghub.py", "loghub", "--mode", "both", "--errdex", str(command)]
    ran = subprocess.run(
        [sys.executable, *arguments, *(["--misses"] if misses else [])],
        cwd=cases,
        capture_output=True,
        text=True,
        check=False,
    )
    found = list(_ROW.finditer(ran.stdout))
    if len(found) != 2:
        raise RuntimeError(f"loghub.py ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    lines = [f"{'loghub':<22}{'lines':>7}{'right %':>9}{'fair %':>9}"]
    for name, row in zip(("line by line", "whole files"), found, strict=True):
        lines.append(f"{name:<22}{row['lines']:>7}{row['right']:>9}{row['fair']:>9}")
    return [*lines, *(ran.stdout.splitlines() if misses else [])]
