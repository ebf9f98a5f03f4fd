"""Parts that exceed a bound of an answer are halved, and nothing is lost."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

ERROR = b"Traceback (most recent call last):\n" + b'  File "a.py", line 1, in f\n' * 2_000
LOGS = {
    "lines": b"2026-01-02 INFO all is well\n" * 5_000,
    "one line": b"x" * 100_000,
    "one error": ERROR + b"ValueError: bad\n",
}


class Bounded:
    """Answers what has so many bytes at most, and a part of what has more."""

    def __init__(self, most: int) -> None:
        self.most = most

    def match(self, data: bytes, limits: Any) -> Any:
        complete = len(data) <= self.most
        return SimpleNamespace(answer=SimpleNamespace(complete=complete), data=data)


@pytest.mark.parametrize("most", [0, 20_000, 10**9])
@pytest.mark.parametrize("kind", LOGS)
def test_all_of_a_log_is_answered_once_and_in_order(
    needs_pyspark: None, kind: str, most: int
) -> None:
    from errdex.spark.parts import answer_stream

    log = LOGS[kind]
    answers = list(answer_stream(Bounded(most), [log], first_line=11))
    assert b"".join(answer.data for _, answer in answers) == log
    line = 11
    for first_line, answer in answers:
        assert first_line == line
        line += answer.data.count(b"\n")
    assert len(answers) == 1 if most > len(log) else len(answers) > 1 or kind == "one error"
