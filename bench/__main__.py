"""Everything that is measured, one benchmark after the other, each beside its peers.

    python -m bench [SHARE]            all of them; with a share below 1 a first look at smaller
                                       sizes, which is only shown
    python -m bench.measures NAME      one of matching, search, ingestion, serving,
                                       pages, starting, harvest
    python -m bench.load               many clients at once while datasets change
    python -m bench.crash              killed hundreds of times, no room, damaged files
    python -m bench.hostile            pastes and patterns meant to take long, beside their bounds
    python -m bench.fuzz               inputs that break a promise, looked for by coverage
    python -m bench.bulk               an archive with Spark (after make spark), not among all
    python -m bench.report             BENCHMARKS.md and the curves, from bench/results
    python -m bench.guard [--keep]     compares the ratios with the kept ones

`python -m bench.pages`, `bench.search`, `bench.matching` and `bench.ingest` tell more
about one thing, on the terminal.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import guard, report
from bench.figures import RESULTS_IN
from bench.measures import MEASURES
from bench.prepared import KEPT

FULL_LOAD_SECONDS, FULL_KILLS = 60, 300
FULL_HOSTILE_CHARACTERS, FULL_FUZZ_SECONDS = 1_000_000, 8


def main() -> int:
    """Run each in a process of its own, so that none pays for another's memory."""
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    commands = [["bench.measures", name, str(share)] for name in MEASURES]
    commands.append(
        ["bench.load", "--seconds", str(max(round(FULL_LOAD_SECONDS * share), 5)),
         "--records", str(max(round(100_000 * share), 500)),
         "--swaps", str(max(round(100 * share), 20))]
    )  # fmt: skip
    commands.append(["bench.crash", "--kills", str(max(round(FULL_KILLS * share), 10))])
    characters = max(round(FULL_HOSTILE_CHARACTERS * share), 50_000)
    commands.append(["bench.hostile", "--save", "--characters", str(characters)])
    seconds = max(round(FULL_FUZZ_SECONDS * share), 2)
    commands.append(["bench.fuzz", "--save", "--seconds", str(seconds)])
    with tempfile.TemporaryDirectory(prefix="errdex-bench-") as name:
        kept = Path(name)
        environment = {**os.environ, KEPT: name}
        if share == 1.0:
            failed = run(commands, environment)
            report.write()
            return failed | guard.main()
        # Other sizes have other figures, which are not to stand in the place of the kept ones.
        failed = run(commands, {**environment, RESULTS_IN: str(kept / "results")})
        report.write(kept, kept / "results")
        print((kept / "BENCHMARKS.md").read_text())
        return failed


def run(commands: list[list[str]], environment: dict[str, str]) -> int:
    """Run one after the other; 0 when none failed."""
    failed = 0
    for command in commands:
        begun = time.monotonic()
        print(f"== {' '.join(command)}", flush=True)
        ran = subprocess.run([sys.executable, "-m", *command], env=environment, check=False)
        failed |= ran.returncode
        print(f"   {time.monotonic() - begun:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
