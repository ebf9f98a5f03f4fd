"""Looks for inputs that break a promise, led by coverage.

    python -m bench.fuzz [paste|traces|query|records] [--seconds 60] [--corpus FOLDER]

Needs atheris, of the bench extra. What it finds is written to tests/cases/hostile/, where
the tests try it ever after; mend the fault, and leave the case.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from bench.figures import Figure, Result

CASES = Path(__file__).parent.parent / "tests" / "cases"
INSTRUMENTED = ["errdex.matching", "errdex.records", "errdex.search.query"]


def seeds(target: str, folder: Path) -> None:
    """What coverage sets out from: the cases of other tests."""
    sources = {"paste": "events", "records": "records", "traces": "events", "query": "records"}
    for path in (CASES / sources[target]).rglob("*"):
        if path.is_file() and path.stat().st_size < 200_000:
            data = path.read_bytes()
            for at in range(0, len(data), 2000):
                piece = data[at : at + 2000]
                (folder / hashlib.sha256(piece).hexdigest()[:16]).write_bytes(piece)


def fuzz(target: str, seconds: int, corpus: Path) -> None:
    """Runs until a find or the end of the time; libFuzzer ends the process itself."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.hostile.targets import TARGETS

    check = TARGETS[target]

    def once(data: bytes) -> None:
        try:
            check(data)
        except Exception:
            found = CASES / "hostile" / target / hashlib.sha256(data).hexdigest()[:12]
            found.parent.mkdir(parents=True, exist_ok=True)
            found.write_bytes(data)
            print(f"FOUND {found}", flush=True)
            traceback.print_exc()
            raise

    options = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=20", "-rss_limit_mb=3000"]
    artifacts = f"-artifact_prefix={corpus}-"
    atheris.Setup([sys.argv[0], *options, artifacts, "-verbosity=0", str(corpus)], once)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    names = ["paste", "traces", "query", "records"]
    parser.add_argument("targets", nargs="*", default=names)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--corpus", type=Path, help="kept between runs; by default thrown away")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--save", action="store_true", help="for BENCHMARKS.md")
    wanted = parser.parse_args()
    if wanted.one:
        fuzz(wanted.targets[0], wanted.seconds, wanted.corpus)
        return 0
    finds: dict[str, int] = {}
    notes: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="errdex-fuzz-") as name:
        for target in wanted.targets:
            corpus = (wanted.corpus or Path(name)) / target
            corpus.mkdir(parents=True, exist_ok=True)
            seeds(target, corpus)
            command = [sys.executable, "-m", "bench.fuzz", target, "--one", "--corpus", str(corpus)]
            done = subprocess.run([*command, "--seconds", str(wanted.seconds)], check=False)
            finds[target] = int(done.returncode != 0)
            notes[target] = f"{len(list(corpus.iterdir())):,} inputs kept for their coverage"
            said = "found something" if finds[target] else "found nothing"
            print(f"{target}: {said}, {notes[target]}", flush=True)
    if wanted.save:
        figures = [
            Figure(
                f"{target}: broken promises", "found", number, "allowed", 1, False, notes[target]
            )
            for target, number in finds.items()
        ]
        told = (
            f"{wanted.seconds} seconds for each target, led by coverage, from the tests' cases on"
        )
        Result("fuzz", "Fuzzing", told, figures).save()
    return 1 if any(finds.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
