"""The work on one paste, wherever it is done.

Nothing of a paste is put into an error. A fault is told by its kind and the line of our source.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from traceback import extract_tb
from typing import Protocol, TypeAlias, TypeVar

from errdex.knowledge import Knowledge, KnowledgeError
from errdex.matching.ranking import MatchLimits
from errdex.matching.timings import Stages, noted_stages
from errdex.store import StoreError
from errdex.web.match.body import Body, unpack


class Answered(Protocol):
    """What work on a paste gives."""

    @property
    def found(self) -> bool:
        """Whether a record matched."""


T = TypeVar("T", bound=Answered)
Work = Callable[[Knowledge, bytes | str, MatchLimits], T]
"""What is to be made of a paste: can be pickled, and so can what it gives."""
Done: TypeAlias = tuple[T, Stages]
"""What was made, and how long each step took."""


class MatchFault(Exception):
    """Matching failed for a reason of ours; told without a word of the paste."""


def unpack_and_do(
    knowledge: Knowledge, body: Body, max_bytes: int, limits: MatchLimits, work: Work[T]
) -> Done[T]:
    """Do the work on the paste in a body."""
    return do(knowledge, unpack(body, max_bytes), limits, work)


def do(knowledge: Knowledge, paste: bytes | str, limits: MatchLimits, work: Work[T]) -> Done[T]:
    """Do the work, and say how long each step of it took. Raises StoreError, KnowledgeError,
    and MatchFault for anything else."""
    try:
        with noted_stages() as stages:
            answer = work(knowledge, paste, limits)
        return answer, stages
    except (StoreError, KnowledgeError):
        raise
    except Exception as error:  # noqa: BLE001 (its text may hold a piece of the paste)
        raise MatchFault(_explain(error)) from None


def _explain(error: Exception) -> str:
    last = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name}, {Path(last.filename).name}:{last.lineno}"
