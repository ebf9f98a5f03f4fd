"""Reads JSON strictly: reports what the standard library accepts silently.

That is a repeated key, `NaN`, `Infinity` and numbers that would become infinite. Whole numbers
of any size keep their value.
"""

from __future__ import annotations

import json
import math
from typing import Any

from errdex.records.problems import Problem, printable, shown


class JsonBroken(Exception):
    """The text at this place is not JSON. `cut` is true when it lacks its end."""

    def __init__(self, reason: str, position: int, *, cut: bool = False) -> None:
        self.reason = reason
        self.position = position
        self.cut = cut
        super().__init__(reason)


class JsonReader:
    """Reads one value after the other. Not for several threads at once."""

    def __init__(self) -> None:
        self._problem: Problem | None = None
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=self._constant, parse_float=self._float
        )

    def read(self, text: str, position: int = 0) -> tuple[object, int, Problem | None]:
        """The value at `position`, where it ends, and what is wrong with it, if anything.

        No blank may stand at `position`. Raises JsonBroken.
        """
        self._problem = None
        try:
            value, end = self._decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            cut = error.pos >= len(text) or error.msg.startswith("Unterminated string")
            raise JsonBroken(error.msg, error.pos, cut=cut) from None
        except RecursionError:
            raise JsonBroken("is nested too deeply", position) from None
        except ValueError:  # Python's bound on the digits of a number
            raise JsonBroken("holds a number of too many digits", position) from None
        return value, end, self._problem

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs) and self._problem is None:
            self._problem = twice(first_repeated([key for key, _ in pairs]))
        return value

    def _constant(self, name: str) -> None:
        self._problem = self._problem or not_finite(name)

    def _float(self, digits: str) -> float:
        number = float(digits)
        if math.isinf(number):
            self._problem = self._problem or not_finite(digits)
        return number


def first_repeated(keys: list[str]) -> str:
    """The first of the keys that came before. Raises ValueError when there is none."""
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            return key
        seen.add(key)
    raise ValueError("no key comes twice")


def twice(key: str) -> Problem:
    """A key that comes twice in one object."""
    return Problem(printable(key[:60]), "comes twice in the same object", "keep one of the two")


def not_finite(number: str) -> Problem:
    """A number that JSON has no form for."""
    remedy = "write a finite number, null or a string"
    return Problem("", f"holds the number {shown(number)}, which is not finite", remedy)
