"""Matches logs while a process that does the work is killed.

    python -m tests.spark.killing MASTER worker|executor FOLDER PACK MARKS

prints what was found as JSON. A process of its own, since it may end its Spark.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
from tests.spark.archive import rows_as_found

SMALL = 2_000
"""Bytes of logs that a task takes, so that there are many tasks."""


class KillsOnce:
    """Does what a task does. In the first try of one task it kills a process when a part of the
    result is already sent."""

    def __init__(self, work: Any, marks: str, victim: str) -> None:
        self.work, self.marks, self.victim = work, marks, victim

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        for result in self.work(batches):
            yield result
            if context.partitionId() == 2 and not list(Path(self.marks).iterdir()):
                killed = psutil.Process()
                if self.victim == "executor":
                    killed = killed.parent().parent()
                    assert "CoarseGrainedExecutorBackend" in " ".join(killed.cmdline())
                Path(self.marks, str(killed.pid)).touch()
                os.kill(killed.pid, signal.SIGKILL)


def main(master: str, victim: str, folder: str, pack: str, marks: str) -> None:
    from errdex.spark import bulk
    from errdex.spark.session import opened_spark

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    work = bulk._MatchFiles
    bulk._MatchFiles = lambda *words: KillsOnce(work(*words), marks, victim)
    settings = {"spark.ui.enabled": "false", "spark.executor.memory": "1g"}
    with opened_spark(master, settings) as session:
        inputs = bulk.find_inputs([folder])
        rows = bulk.match_archive(session, inputs, pack, segment=SMALL).collect()
    sys.stdout.write(json.dumps(rows_as_found(rows)))


if __name__ == "__main__":
    main(*sys.argv[1:])
