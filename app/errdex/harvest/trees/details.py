"""What a finder says of a place beside its message, and of a class that makes messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errdex.harvest.model import Kind
from errdex.harvest.trees.syntax import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What else a place says about its error."""

    kind: Kind
    error_class: str | None = None
    when: tuple[str, ...] = ()
    """Conditions beside those around the place (`assert(x)`: the opposite of `x`)."""
    error_code: str | None = None
    http_status: int | None = None
    severity: str | None = None
    line: int | None = None
    """Where it is raised, if not where the place begins."""
    is_printed: bool = False
    """Plainly printed to standard error: an error only if it says that something is wrong. Not
    so in C, which has nothing else to report errors with."""

    is_listed: bool = False
    """Listed as it is given to a format: `{0}` and `%s` in it are holes."""

    @classmethod
    def printed(cls, *, is_last: bool) -> Details:
        """Of what is printed to standard error; `is_last`: the program ends after it."""
        if is_last:
            return cls(kind="exit", severity="fatal")
        return cls(kind="log", severity="error", is_printed=True)


@dataclass(frozen=True, slots=True)
class Brought:
    """What an error class of the file makes of its constructor's arguments: the parameters
    with their defaults, and the message, among all that it hands to the class above."""

    parameters: list[tuple[str, Place | None]]
    message: Place | None
    given: Sequence[Place] = ()
