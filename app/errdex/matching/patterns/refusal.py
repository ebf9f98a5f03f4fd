"""Why a pattern was not taken."""

from __future__ import annotations


class PatternRefused(ValueError):
    """A pattern that cannot be used: the `construct` in it, the `reason`, and the
    `remedy`, what to write instead. Each is a sentence or phrase for the author of a record."""

    def __init__(self, construct: str, reason: str, remedy: str) -> None:
        super().__init__(f"{construct}: {reason}; {remedy}")
        self.construct = construct
        self.reason = reason
        self.remedy = remedy
