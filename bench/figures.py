"""What a benchmark measures: figures beside those of a peer, and curves of growth.

A figure's ratio is ours divided by the peer's, both measured in one run on one input.
Ratios are what is kept and compared: a slower machine slows both.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import subprocess
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

RESULTS_IN = "ERRDEX_BENCH_RESULTS"
"""The variable that names another folder for results: that of a small run."""
RESULTS = Path(os.environ.get(RESULTS_IN) or Path(__file__).parent / "results")
PACKAGES = (
    *("errdex", "google-re2", "ahocorasick-rs", "whoosh3", "fastapi", "uvicorn", "hyperscan"),
    *("drain3", "tantivy", "sqlite-utils", "datasette"),
)


@dataclass(frozen=True)
class Figure:
    """One thing measured, of us and of a peer."""

    what: str
    unit: str
    ours: float
    peer: str
    theirs: float
    more_is_better: bool = True
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs if self.theirs else float("inf")


@dataclass(frozen=True)
class Curve:
    """How something grows: (size, value) pairs."""

    what: str
    unit: str
    points: list[tuple[float, float]]
    by: str = "records"


@dataclass(frozen=True)
class Result:
    """Of one benchmark."""

    name: str
    title: str
    input: str
    figures: list[Figure] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)

    def save(self, folder: Path = RESULTS) -> None:
        """Write it as `folder`/`name`.json, with where and when it was measured."""
        folder.mkdir(parents=True, exist_ok=True)
        body = asdict(self)
        for figure, kept in zip(self.figures, body["figures"], strict=True):
            kept["ratio"] = round(figure.ratio, 4)
        text = json.dumps({**body, "machine": machine()}, indent=1)
        (folder / f"{self.name}.json").write_text(text + "\n")


def load(folder: Path = RESULTS) -> list[tuple[Result, dict[str, str]]]:
    """All results that are there, each with where and when it was measured."""
    found = []
    for path in sorted(folder.glob("*.json")):
        body = json.loads(path.read_text())
        figures = [
            Figure(**{k: v for k, v in each.items() if k != "ratio"}) for each in body["figures"]
        ]
        curves = [
            Curve(each["what"], each["unit"], [(x, y) for x, y in each["points"]], each["by"])
            for each in body["curves"]
        ]
        result = Result(body["name"], body["title"], body["input"], figures, curves)
        found.append((result, body["machine"]))
    return found


def machine() -> dict[str, str]:
    """Where and when, and with what."""
    told = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": str(psutil.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "load": f"{psutil.getloadavg()[0]:.1f} when it was saved",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "commit": _commit(),
    }
    for name in PACKAGES:
        try:
            told[name] = version(name)
        except PackageNotFoundError:
            continue
    return told


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _commit() -> str:
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() or "unknown"
