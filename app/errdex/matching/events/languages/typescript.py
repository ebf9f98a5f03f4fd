"""TypeScript's compiler, bundlers and linters of JavaScript."""

from __future__ import annotations

import re

from errdex.matching.events.draft import Parsed, Stream
from errdex.matching.events.forms import form, parse_forms

TRIGGERS = (
    "error TS", "[ERROR] ", "ERROR in ", "Module not found", "Module build failed", "  error  ",
    "[!] ",
)  # fmt: skip

_FORMS = (
    form(
        "typescript",
        r"(?P<file>[^\s(][^(\n]{0,300})\((?P<line>\d{1,7}),\d{1,6}\): (?P<level>error"
        r"|warning) (?P<code>TS\d{3,6}): (?P<message>\S.*)$",
        more=re.compile(r" {2,}(?=\S)[^\n]*$"),
    ),
    form(
        "typescript",
        r"(?:ERROR in )?(?P<file>[^\s:][^:\n]{0,300}):(?P<line>\d{1,7}):\d{1,6} - "
        r"(?P<level>error|warning) (?P<code>TS\d{3,6}): (?P<message>\S.*)$",
        more=re.compile(r" {2,}(?=[A-Z'\"])[^\n]*$"),
        quoted=re.compile(r"\s*$|\d{1,7} .*|\s*[~^]+\s*$"),
    ),
    form("typescript", r"error (?P<code>TS\d{3,6}): (?P<message>\S.*)$"),
    form("node", r"(?:✘|X|x) \[ERROR\] (?P<message>\S.*)$", quoted=re.compile(r"\s*$|\s{4,}\S.*")),
    form("node", r"(?:Error: )?(?P<message>Module not found: .*)$"),
    form("node", r"(?P<message>Module build failed.*)$"),
    form(
        "node",
        r"\s+(?P<line>\d{1,6}):\d{1,5}\s+(?P<level>error)\s+(?P<message>\S[^\n]*?)(?:\s{2,}"
        r"(?P<code>[@\w/-]+))?\s*$",
    ),
    form("node", r"\[!\] (?:\([^)\n]*\) )?(?:(?P<class>\w*Error): )?(?P<message>\S.*)$"),
)


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse line `at`."""
    if stream.head(at).startswith("ERROR in ") and "error TS" not in stream.head(at):
        return Parsed([], at + 1)
    return parse_forms(_FORMS, stream, at)
