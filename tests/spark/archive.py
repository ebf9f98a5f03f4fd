"""Logs for the tests, and what `errdex match` says of them."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson
import zstandard
from tests.data.starter_records import load_starter_records

ERRDEX = (sys.executable, "-c", "from errdex.cli import main; main()")
Found = tuple[Any, ...]
"""A match, as `rows_as_found` and `match_by_command` give it."""


def write_logs(folder: Path, count: int, seed: int = 1) -> None:
    """Logs with samples of the starter records between healthy lines: text, JSON lines, gzip and
    Zstandard."""
    rng = random.Random(seed)
    samples = [sample for _, record in load_starter_records() for sample in record.samples or []]
    for number in range(count):
        parts = []
        for sample in rng.sample(samples, rng.randint(1, 4)):
            parts += [f"2026-01-02 03:04:05 INFO served {rng.randrange(10**6)}\n" for _ in range(3)]
            parts.append(sample.rstrip("\n") + "\n")
        text = "".join(parts)
        place = folder / f"host{number % 7}"
        place.mkdir(parents=True, exist_ok=True)
        _write(place / f"{number:04}", text, number)


def _write(path: Path, text: str, number: int) -> None:
    match number % 5:
        case 0:
            path.with_suffix(".log.gz").write_bytes(gzip.compress(text.encode()))
        case 1:
            data = zstandard.ZstdCompressor().compress(text.encode())
            path.with_suffix(".log.zst").write_bytes(data)
        case 2:
            lines = [orjson.dumps({"message": line}) for line in text.splitlines()]
            path.with_suffix(".jsonl").write_bytes(b"\n".join(lines))
        case _:
            path.with_suffix(".log").write_text(text, encoding="utf-8")


def match_by_command(folder: Path, pack: Path) -> set[Found]:
    """What `errdex match` finds in each log of a folder."""
    done = subprocess.run(
        [*ERRDEX, "match", "--json", "--pack", str(pack), str(folder)],
        capture_output=True,
        timeout=600,
        env={**os.environ, "ERRDEX_DATABASE_URL": "sqlite:///:memory:"},
    )
    assert done.returncode == 0, done.stderr
    return {found for answer in read_answers(done.stdout) for found in _of_answer(answer)}


def read_answers(output: bytes) -> Iterable[Mapping[str, Any]]:
    decoder, text, at = json.JSONDecoder(), output.decode(), 0
    while at < len(text):
        answer, end = decoder.raw_decode(text, at)
        yield answer
        at = end + len(text[end:]) - len(text[end:].lstrip())


def _of_answer(answer: Mapping[str, Any]) -> Iterable[Found]:
    for event in answer["events"]:
        for match in event["matches"]:
            yield (
                answer["file"],
                event["messageLine"],
                match["record"]["id"],
                event["message"],
                tuple((each["name"], each["text"]) for each in match["captures"]),
                event["fingerprint"],
                tuple((each["kind"], each["points"], each["words"]) for each in match["evidence"]),
                match["group"],
                event["repeats"],
            )


def rows_as_found(rows: Iterable[Any]) -> list[Found]:
    """Rows of a result in the form of `match_by_command`."""
    return [
        (
            row["stream"],
            row["line"],
            row["record"],
            row["message"],
            tuple((each["name"], each["text"]) for each in row["captures"]),
            row["fingerprint"],
            tuple((each["kind"], each["points"], each["words"]) for each in row["evidence"]),
            row["rank"],
            row["repeats"],
        )
        for row in rows
    ]
