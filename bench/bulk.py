"""An archive of logs with Spark on two cores, beside two plain processes with half of it each:

    python -m bench.bulk [--gigabytes 0.1] [--save]

Both read the same files, 16 MB each: healthy lines with samples of the starter records between
them, 3 % of all lines. A process is timed from its start. Spark is timed from the call to the last
row written, and its own start is measured apart: it is the same for any input.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import Curve, Figure, Result
from bench.generate_log import Generator
from tests.data.starter_records import load_starter_records

FILE_BYTES = 16_000_000
SIZES = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Gigabytes that time is measured at, as far as they are asked for."""
ERRORS = 0.03
_BLOCKS, _BLOCK_LINES = 12, 10_000
PEER = """
import sys
from pathlib import Path
from errdex.knowledge.packed import PackedKnowledge
from errdex.spark.parts import answer_stream
knowledge, errors = PackedKnowledge(Path(sys.argv[1])), 0
for name in sys.argv[2:]:
    with open(name, "rb") as file:
        pieces = iter(lambda: file.read(1 << 20), b"")
        for _, answer in answer_stream(knowledge, pieces):
            errors += sum(1 + each.repeats for each in answer.answer.events if each.matches)
print(errors)
"""


def write_logs(folder: Path, size: int) -> list[Path]:
    """Files of so many bytes together, each another mixture of the same few blocks."""
    blocks = [_block(seed) for seed in range(_BLOCKS)]
    rng = random.Random(7)
    paths = []
    while size > 0:
        path = folder / f"{len(paths):05}.log"
        with path.open("wb") as file:
            while file.tell() < min(size, FILE_BYTES):
                file.write(rng.choice(blocks))
        size -= path.stat().st_size
        paths.append(path)
    return paths


def _block(seed: int) -> bytes:
    rng = random.Random(seed)
    samples = [sample for _, record in load_starter_records() for sample in record.samples or []]
    usual = rng.sample(samples, 40)
    lines = []
    for line in Generator(seed).log(["a"], _BLOCK_LINES, errors=0.0):
        lines.append(line)
        if rng.random() < ERRORS:
            lines.append(rng.choice(usual if rng.random() < 0.9 else samples).rstrip("\n"))
    return ("\n".join(lines) + "\n").encode()


def write_pack(path: Path) -> None:
    command = [sys.executable, "-c", "from errdex.cli import main; main()", "pack", "-o", str(path)]
    subprocess.run(command, check=True, capture_output=True)


def match_plainly(pack: Path, logs: list[Path]) -> tuple[float, int]:
    """Seconds of two processes, each with half of the logs, and the known errors."""
    begun = time.monotonic()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PEER, str(pack), *map(str, logs[half::2])],
            stdout=subprocess.PIPE,
        )
        for half in (0, 1)
    ]
    found = sum(int(process.communicate()[0]) for process in running)
    return time.monotonic() - begun, found


def match_with_spark(
    pack: Path, sizes: dict[float, list[Path]], out: Path
) -> dict[str, list[float]]:
    """In a process of its own: the seconds of each size, the known errors, and Spark's start."""
    words = [
        str(pack),
        str(out),
        json.dumps([[str(path) for path in logs] for logs in sizes.values()]),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "bench.bulk", "--spark"],
        input=json.dumps(words).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def spark_process() -> None:
    """What `match_with_spark` starts."""
    from errdex.spark.bulk import find_inputs, match_archive
    from errdex.spark.matching import count_hits
    from errdex.spark.session import opened_spark

    pack, out, sizes = json.load(sys.stdin)
    begun = time.monotonic()
    seconds, found = [], []
    with opened_spark("local[2]", {}) as session:
        session.range(1).collect()
        started = time.monotonic() - begun
        for number, logs in enumerate(json.loads(sizes)):
            begun = time.monotonic()
            rows = match_archive(session, find_inputs(logs), pack)
            rows.write.parquet(f"{out}/{number}")
            seconds.append(time.monotonic() - begun)
            hits = count_hits(
                session.read.parquet(f"{out}/{number}").dropDuplicates(
                    ["stream", "line", "fingerprint"]
                )
            )
            found.append(sum(row["hits"] for row in hits.collect()))
    json.dump({"seconds": seconds, "found": found, "start": [started]}, sys.stdout)


def measure(gigabytes: float) -> Result:
    """At all sizes up to the one that is asked for."""
    wanted = sorted({size for size in SIZES if size < gigabytes} | {gigabytes})
    with tempfile.TemporaryDirectory(prefix="errdex-bulk-", dir=os.environ.get("TMPDIR")) as name:
        folder = Path(name)
        (folder / "logs").mkdir()
        write_pack(folder / "starter.pack")
        logs = write_logs(folder / "logs", round(gigabytes * 1e9))
        sizes = {size: logs[: max(2, round(len(logs) * size / gigabytes))] for size in wanted}
        total = [sum(path.stat().st_size for path in each) / 1e6 for each in sizes.values()]
        theirs, peer_found = match_plainly(folder / "starter.pack", logs)
        ours = match_with_spark(folder / "starter.pack", sizes, folder / "out")
    rates = [size / seconds for size, seconds in zip(total, ours["seconds"], strict=True)]
    found, start = ours["found"][-1], ours["start"][0]
    note = f"it found {peer_found:,}, we {found:,.0f}; without Spark's start of {start:.1f} s"
    figures = [
        Figure("logs answered with Spark, local[2]", "MB/s", rates[-1], "two plain processes",
               total[-1] / theirs, note=note),
    ]  # fmt: skip
    if len(wanted) > 1:
        figures.append(
            Figure(f"logs answered, of {gigabytes:g} GB", "MB/s", rates[-1], f"of {wanted[0]:g} GB",
                   rates[0], note="1.0: the time is proportional to the input")
        )  # fmt: skip
    points = [(size, seconds) for size, seconds in zip(total, ours["seconds"], strict=True)]
    told = f"{total[-1]:,.0f} MB in {len(logs)} logs, {ERRORS:.0%} of the lines errors, two cores"
    return Result("bulk", "An archive with Spark", told, figures,
                  [Curve("Time with Spark", "s", points, by="MB")])  # fmt: skip


def main() -> None:
    """Measure and print; with --save, keep the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=0.1)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--spark", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.spark:
        spark_process()
        return
    result = measure(asked.gigabytes)
    for each in result.figures:
        print(f"{each.what}: {each.ours:.2f} {each.unit}, {each.peer}: {each.theirs:.2f}, "
              f"ratio {each.ratio:.2f} ({each.note})")  # fmt: skip
    for curve in result.curves:
        print(
            curve.what,
            ", ".join(f"{size:,.0f} {curve.by}: {value:.1f} s" for size, value in curve.points),
        )
    if asked.save:
        result.save()


if __name__ == "__main__":
    main()
