"""A process of its own for a measurement, and the memory that it and its children take."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import psutil

_SAMPLE_SECONDS = 0.05


def watched(*arguments: str) -> tuple[Any, int]:
    """Run a module of Python (`bench.ingest --run …`). Gives what it printed as JSON, and the
    most bytes that were resident at once. Raises RuntimeError when it fails."""
    command = [sys.executable, "-m", *arguments]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    process = psutil.Process(child.pid)
    peak = 0
    while child.poll() is None:
        peak = max(peak, _resident(process))
        time.sleep(_SAMPLE_SECONDS)
    assert child.stdout is not None
    said = child.stdout.read()
    child.stdout.close()
    if child.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {child.returncode}")
    return json.loads(said), peak


def _resident(process: psutil.Process) -> int:
    total = 0
    try:
        for each in (process, *process.children(recursive=True)):
            total += each.memory_info().rss
    except psutil.Error:
        pass  # it ended in between
    return total
