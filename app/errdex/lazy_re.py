"""The `re` of Errdex's modules: a constant's regular expression is compiled when it is first used.

A start reads some 600 regular expressions and uses a tenth of them; compiling all takes longer than
matching a short log. Use it as `from errdex import lazy_re as re`.
"""

from __future__ import annotations

import re
import sys
from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    Match,
    Pattern,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from typing import Any, AnyStr, cast

__all__ = [
    "ASCII",
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "Match",
    "Pattern",
    "compile",
    "deferred",
    "escape",
    "findall",
    "finditer",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
]


class _Deferred:
    """Stands for a pattern until it is used. Then it puts the compiled one into the constants
    of its module, so that later uses cost nothing more."""

    def __init__(self, source: str | bytes, flags: int, constants: dict[str, Any]) -> None:
        self.pattern = source
        self._flags = flags
        self._constants = constants

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # copying and pickling ask for these
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for constant in [each for each, value in self._constants.items() if value is self]:
            self._constants[constant] = compiled
        self.__dict__[name] = value = getattr(compiled, name)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return re.compile, (self.pattern, self._flags)


def compile(pattern: AnyStr, flags: int = 0) -> Pattern[AnyStr]:  # noqa: A001
    """As `re.compile`, but at the top of a module only the first use compiles, and raises the
    error of a wrong pattern."""
    caller = sys._getframe(1)
    if caller.f_code.co_name != "<module>":
        return re.compile(pattern, flags)
    return cast("Pattern[AnyStr]", _Deferred(pattern, flags, caller.f_globals))


def deferred(pattern: AnyStr, flags: int = 0) -> Pattern[AnyStr]:
    """A pattern that is compiled when it is first used, wherever it is written."""
    return cast("Pattern[AnyStr]", _Deferred(pattern, flags, {}))
