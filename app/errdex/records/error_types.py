"""The values of `errorType` that mean something to Errdex itself."""

from __future__ import annotations

ASSERTION, USAGE = "assertion", "usage"
APART = frozenset({ASSERTION, USAGE})
"""No errors by themselves: what a program doubts of itself, and help. Records with them that were
only harvested are no answers by their text."""
