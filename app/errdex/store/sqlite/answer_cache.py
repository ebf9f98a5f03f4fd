"""Answers that are computed once for each version of the data."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

_KEPT_ANSWERS = 512
T = TypeVar("T")


class AnswerCache:
    """Answers to counting questions. A version's data never changes, so neither do they."""

    def __init__(self) -> None:
        self._answers: dict[tuple[object, ...], Any] = {}
        self._lock = Lock()

    def get(self, question: tuple[object, ...], compute: Callable[[], T]) -> T:
        """The kept answer, or the computed one, which is kept."""
        with self._lock:
            if question in self._answers:
                kept: T = self._answers[question]
                return kept
        answer = compute()
        with self._lock:
            while len(self._answers) >= _KEPT_ANSWERS:
                del self._answers[next(iter(self._answers))]
            self._answers[question] = answer
        return answer
