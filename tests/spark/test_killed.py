"""A Python worker and an executor that are killed at work cost a second try and no result."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.spark.archive import write_logs

import errdex

pytestmark = pytest.mark.tools("java")
LOGS = 20
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("master", "victim"), [("local[2]", "worker"), ("local-cluster[2,1,1024]", "executor")]
)
def test_what_is_killed_costs_no_result(
    needs_pyspark: None, tmp_path: Path, pack: Path, master: str, victim: str
) -> None:
    from errdex.spark.bulk import find_inputs
    from errdex.spark.files import read_log

    folder, marks = tmp_path / "logs", tmp_path / "marks"
    write_logs(folder, LOGS, seed=2)
    marks.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.killing", master, victim, folder, pack, marks],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    assert len(list(marks.iterdir())) == 1, "nothing was killed"
    opened = errdex.open_pack(pack)
    expected = sorted(
        [file.name, event.message_line, match.record.id]
        for file in find_inputs([str(folder)]).logs
        for event in opened.match(b"".join(read_log(file)[1])).events
        for match in event.matches
    )
    assert sorted(each[:3] for each in json.loads(done.stdout)) == expected
