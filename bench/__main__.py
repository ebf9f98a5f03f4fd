"""Everything that is measured, one benchmark after the other, each beside its peers.

python -m bench                 all of them
python -m bench.ingest          records getting in, beside SQLite FTS5
python -m bench.search          queries, beside SQLite FTS5
python -m bench.matching        patterns in a log, beside a naive loop and Hyperscan
python -m bench.harvest         source code into records, and those found again when raised
"""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = ("bench.ingest", "bench.search", "bench.pages", "bench.matching", "bench.harvest")


def main() -> int:
    """Run each in a process of its own, so that none pays for another's memory."""
    failed = 0
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        failed |= subprocess.run([sys.executable, "-m", name], check=False).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
