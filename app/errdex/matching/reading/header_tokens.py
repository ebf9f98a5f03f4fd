"""The tokens that headers of log lines are made of, each by its kind.

A kind is a form that many loggers write: a time, a level, a number, a bracket, a pair, a name
or a place in source. Which order they come in is for `headers` to say. Each regex is anchored
where it is used, bounded, and possessive where it could backtrack.
"""

from __future__ import annotations

from functools import lru_cache

from errdex import lazy_re as re

LEVEL_NAMES = (
    "TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|ERR|FATAL|CRITICAL|CRIT|SEVERE|PANIC|EMERG"
    "|ALERT|SUCCESS|trace|debug|info|notice|warning|warn|error|err|fatal|critical|crit|severe"
    "|panic|emerg|alert|Information|Info|Warning|Error|Critical|Fatal|Debug"
)
SHORT_LEVELS = "VRB|DBG|INF|WRN|FTL|[VDIWEFC]"
"""Levels that only a bracket makes sure."""
_LEVELS = {
    "err": "error",
    "warn": "warning",
    "crit": "critical",
    "severe": "error",
    "information": "info",
    "wrn": "warning",
    "inf": "info",
    "dbg": "debug",
    "vrb": "trace",
    "ftl": "fatal",
    "debu": "debug",
    "erro": "error",
    "fata": "fatal",
    "pani": "panic",
    "c": "critical",
    "e": "error",
    "w": "warning",
    "i": "info",
    "f": "fatal",
    "d": "debug",
    "v": "trace",
    "#": "warning",
    "*": "notice",
    "-": "info",
    ".": "debug",
}
LOUD = frozenset({"error", "fatal", "critical", "panic", "emerg", "alert"})
"""Levels at which a record is an error."""

MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
CLOCK = r"\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?"
_HALF_DAY = r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})? ?[AP]M\b"
ZONE = (
    r"(?:Z| ?[+-]\d\d(?::?\d\d)?(?![\w:])"
    r"| (?:UTC|GMT|(?:[CEMPW]|AE|NZ|AK|H)[SD]T|[CEW]ES?T|[JKI]ST|BST|MSK)\b)?"
)
_DATE = (
    rf"(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.](?:\d{{1,2}}|{MONTH})[-/.]\d{{4}}"
    rf"|\d\d[-/.]\d\d[-/.]\d\d|\d\d[-/.]\d\d|\d{{8}}|\d{{6}}|\d{{1,2}} {MONTH}(?: \d{{4}})?)"
)
STAMP = (
    rf"(?:{_DATE}(?:[T:_-]|,? {{1,2}})(?:{_HALF_DAY}|{CLOCK}){ZONE}"
    r"|\d{8}-\d{1,2}:\d{1,2}:\d{1,2}:\d{1,3}"  # hours without a zero before them
    r"|\d{4}-\d\d-\d\d  \d:\d\d:\d\d(?:[.,]\d{1,9})?"  # with a blank in its place
    r"|\d{8}T\d{6}(?:[.,]\d{1,9})?(?:Z|[+-]\d{4})?|\d{6} \d{6}(?= \d{1,7} [A-Z])"
    rf"|{_HALF_DAY}|{CLOCK}{ZONE})"
)
"""A time, with or without its date."""
WRITTEN_STAMP = (
    rf"(?:{DAY},? )?{MONTH} {{1,2}}\d{{1,2}},?(?: \d{{4}})? {CLOCK}(?: [AP]M)?{ZONE}(?: \d{{4}}\b)?"
)
"""A time with the name of its month."""
ANY_STAMP = rf"(?:{STAMP}|{WRITTEN_STAMP})"

SQUARE = r"\[(?:[^\[\]\n]|\[(?:[^\[\]\n]|\[[^\[\]\n]{0,120}+\]){0,200}+\]){0,300}+\]"
"""A square bracket that may hold others."""
DATED = re.compile(
    rf"\[(?:(?P<before>{LEVEL_NAMES}|{SHORT_LEVELS}|[a-z]{{2,12}}) )?{ANY_STAMP}"
    rf"(?:(?P<behind>[ :,|][^\[\]\n]{{0,100}}+))?\]"
)
"""A bracket with a time in it, and what else a header may say there."""
LEVEL_INSIDE = re.compile(rf"(?<![\w.])(?:{LEVEL_NAMES}|{SHORT_LEVELS})(?![\w.])")

_ID = r"(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=[ \t|]))"
_BY_DIGIT = re.compile(
    rf"(?P<stamp>{STAMP}(?=[ \t|\],;:-]|$))|{_ID}"
    r"|(?P<work>\d{1,9}#\d{1,9}:(?: \*\d{1,9})?(?= ))|(?P<number>\d{1,10}+(?=[ \t|]|: ))"
)
_BY_LETTER = re.compile(
    rf"(?P<stamp>(?={DAY}|{MONTH}){WRITTEN_STAMP}(?=[ \t|\],;:-]|$))"
    rf"|(?P<level>(?:{LEVEL_NAMES})(?![\w.'’=])|\w{{1,20}}\.(?:{LEVEL_NAMES})(?=: )"
    rf"|[VDIWEF](?=[ /]))|{_ID}"
    r"|(?P<pair>[A-Za-z_][\w.-]{0,30}=(?:\"[^\"\n]{0,80}\"|[^\s\"]{0,80})(?=\s))"
    r"|(?P<name>[A-Za-z_$][\w.$/@<>-]{0,120}+"
    r"(?:\[[^\[\]\n]{0,60}+\]|\{[^{}\n]{0,80}+\}|\([^()\s]{0,60}+\))?"
    r"(?:::?[\w<>.$]{1,60}+){0,6}(?:[:@]\d{1,6}+)?)"
)
_FIELDS: dict[str, re.Pattern[str]] = {
    "[": re.compile(f"(?P<square>{SQUARE})"),
    "(": re.compile(r"(?P<round>\([^()\n]{0,60}+\))"),
    "{": re.compile(r"(?P<curly>\{[^{}\"'\n]{1,80}+\})"),
    "<": re.compile(rf"(?P<angle><(?:{LEVEL_NAMES}|[\w.:]{{1,60}})>)"),
    **dict.fromkeys("0123456789", _BY_DIGIT),
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$", _BY_LETTER),
}
GAP = re.compile(
    r"(?P<pad>[ \t]{0,60}+)(?:(?P<mark>\||->|=>|-{1,4}(?=\s|$)|[:,](?=[\s|]|$)|\])"
    r"(?P<more>[ \t]{0,60}+))?+"
)
"""What parts a token from the next: white space, and a mark with white space around it."""


@lru_cache(maxsize=512)
def level_name(word: str) -> str:
    """One name for a level, whatever a program calls it."""
    word = word.lower()
    return _LEVELS.get(word, word)


def match_field(raw: str, at: int) -> re.Match[str] | None:
    """The token of a header that begins at `at`, its kind as the match's last group."""
    regex = _FIELDS.get(raw[at : at + 1])
    return regex.match(raw, at) if regex else None
