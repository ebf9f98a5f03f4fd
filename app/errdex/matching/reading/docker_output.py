"""What docker build puts before each line when it repeats the output of a failed step: seconds, in
older versions the step's number before them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from errdex import lazy_re as re
from errdex.matching.reading.prefixes import Prefix, strip_prefix

SUMMARY = re.compile(r" ?> \[(?:[\w.-]{1,80} ){0,4}(?:internal|\d{1,4}/\d{1,4})\] .*: *$")
"""Begins what is repeated: which step it was."""
SUMMARY_END = re.compile(r"-{6}\s*$")
_SECONDS = re.compile(r"\d{1,6}\.\d{1,4}(?: |$)")
_STEP = re.compile(r"(?:^| )\d{1,4}$")


def holds_summary(text: str) -> bool:
    """Whether a text may have such lines."""
    return "> [" in text


def find_summary_prefixes(
    lines: Sequence[str], start_of: Callable[[int], int], composed: frozenset[str]
) -> dict[int, Prefix]:
    """Index of each repeated line → its prefix, without the step as its writer, as the lines
    around it have none. `start_of`: where a line begins behind a quote's mark."""
    prefixes: dict[int, Prefix] = {}
    repeating = False
    for index, line in enumerate(lines):
        if not repeating and "> [" not in line:
            continue
        start = start_of(index)
        outer = strip_prefix(line, composed, start)
        end = outer.end or start
        if not repeating:
            repeating = SUMMARY.match(line, end) is not None
            continue
        repeating = not SUMMARY_END.match(line, end)
        found = _SECONDS.match(line, end)
        if found:
            inner = strip_prefix(line, composed, found.end())
            prefixes[index] = Prefix(
                inner.end or found.end(),
                max(inner.kind, outer.kind),
                f"{outer.writer} {inner.writer}".strip(),
                inner.level or outer.level,
            )
        elif outer.writer:
            prefixes[index] = outer._replace(writer=_STEP.sub("", outer.writer))
    return prefixes
