"""Harvesting beside what only parses the same files, and its bounds: a part of `make bench`.

The packages are fetched by pip into a folder that is removed again.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.figures import Figure, Result
from bench.harvest import list_trees, measure_harvest
from bench.watching import watched

PACKAGES = (
    *("ansible-core==2.19.14", "apache-airflow-core==3.3.2", "botocore==1.44.8"),
    *("celery==5.7.0", "dask==2026.8.0", "diffusers==0.42.1", "Django==5.2.19"),
    *("homeassistant==2024.3.3", "jax==0.10.2", "matplotlib==3.11.2", "mlflow==3.18.0"),
    *("networkx==3.6.1", "pandas==3.1.1", "scikit-learn==1.9.1", "scipy==1.17.1"),
    *("statsmodels==0.15.0", "sympy==1.14.0", "transformers==5.24.0", "Twisted==26.10.0"),
    "xarray==2026.9.0",
)
MOST_MEGABYTES = 1000
RIGHT_WITH_FRAMES, RIGHT_WITHOUT = 0.99, 0.9


def measure(share: float) -> Result:
    """Files a second, memory, and how many of the errors that were raised again are found."""
    packages = PACKAGES[: max(round(len(PACKAGES) * share), 1)]
    with tempfile.TemporaryDirectory(prefix="errdex-bench-") as name:
        folder = Path(name)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
        subprocess.run([*command, "--target", name, *packages], check=True)
        found = measure_harvest(folder)
        parsed, _ = watched("bench.harvesting", name)
    figures = [
        Figure("Python files read", "files/s", found["files_per_s"], "ast.parse alone",
               parsed["files_per_s"], note=f"{found['records']:,} records; both on two cores"),
        Figure("memory", "MB", found["peak_mb"], "the bound", MOST_MEGABYTES, False),
        Figure("raised again, found first", "", found["right_with_frames"], "the bound",
               RIGHT_WITH_FRAMES, note="in a traceback with the frame that raised it"),
        Figure("raised again, found first", "", found["right_without_frames"], "the bound",
               RIGHT_WITHOUT, note="the last line alone"),
    ]  # fmt: skip
    told = (
        f"{found['files']:,} files: the standard library, what is installed beside Errdex and "
        f"{len(packages)} packages; "
        f"{found['ingest_ingested']:,} records ingested in {found['ingest_seconds']:.0f} s"
    )
    return Result("harvest", "Harvesting", told, figures)


def parse(path: Path) -> None:
    """Read and parse a file, whatever comes of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError, OSError):
            return


def main() -> None:
    """Parse the files that are harvested, and say how many a second."""
    trees = list_trees(Path(sys.argv[1]))
    paths = [Path(file.place) for tree in trees for file in tree.files]
    begun = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        for _ in pool.map(parse, paths, chunksize=50):
            pass
    print(json.dumps({"files_per_s": round(len(paths) / (time.perf_counter() - begun))}))


if __name__ == "__main__":
    main()
