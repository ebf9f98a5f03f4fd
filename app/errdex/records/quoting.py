"""A value from a paste, written into code so that it stays one value there.

What a paste says may be an attacker's. A value is written into code only where the rules of
that code's language make it one word, one string or one identifier; in doubt it is refused, and
the reason is shown instead.
"""

from __future__ import annotations

import json
import re
import shlex
import unicodedata
from dataclasses import dataclass

from errdex.records.languages import LanguageKind, names_of

MAX_VALUE = 200
"""Characters. A longer value makes a command that nobody reads before running it."""

_SHELL = names_of(LanguageKind.SHELL)
_POWERSHELL = names_of(LanguageKind.POWERSHELL)
_SQL = names_of(LanguageKind.SQL)
_DATA = names_of(LanguageKind.DATA)
_PROGRAMS = names_of(LanguageKind.PROGRAM)

_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+\-][A-Za-z0-9_./:@%+=,\-]*")
"""A word whose characters mean nothing to a shell. zsh looks up a word that begins with `=`."""
_POWERSHELL_PLAIN = re.compile(r"[A-Za-z0-9_./\\:\-]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*(?:\.[A-Za-z_][A-Za-z0-9_$]*)*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_YAML_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./\-]*")
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_BRACKETS = {"mysql": "`", "mariadb": "`"}


class ValueRefused(ValueError):
    """The value cannot be written there; the text is the reason, as a short phrase."""


@dataclass(frozen=True, slots=True)
class CodePlace:
    """Where in a piece of code a value is to be written."""

    language: str
    """As a fence names it; "" where nothing is known."""
    quote: str = ""
    """The quote that is open there: `'`, `"`, a backtick, or none."""
    whole: bool = False
    """Whether the quotes hold this one word and nothing else that a language may read."""


def check_value(value: str, *, command: bool) -> None:
    """Raises ValueRefused for a value that is not shown in place of a hole. `command` says
    that it would be a part of code to run."""
    if not value:
        raise ValueRefused("it is empty")
    if len(value) > MAX_VALUE:
        raise ValueRefused(f"it is longer than {MAX_VALUE} characters")
    if any(unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp") for each in value):
        raise ValueRefused("it has a control character")
    if not command:
        return
    if value.startswith("-"):
        raise ValueRefused("it begins with a dash")
    if ".." in re.split(r"[/\\]", value):
        raise ValueRefused("its path has a .. part")


def quote_value(value: str, place: CodePlace) -> str:
    """The value as that place's language writes it. Raises ValueRefused."""
    check_value(value, command=True)
    if place.quote and not place.whole:
        # Another language may be inside the quotes: `psql -c "…"`, `sh -c '…'`.
        if all(_PLAIN.fullmatch(word) for word in value.split(" ") if word):
            return value
        raise ValueRefused("it has characters that mean something inside these quotes")
    language = place.language.lower()
    if language in _SHELL:
        return _quote_shell(value, place.quote)
    if language in _POWERSHELL:
        return _quote_powershell(value, place.quote)
    if language in _SQL:
        return _quote_sql(value, place.quote, _BRACKETS.get(language, '"'))
    if language in _DATA:
        return _quote_data(value, place.quote, language)
    if language in _PROGRAMS:
        return _quote_program(value, place.quote)
    if _PLAIN.fullmatch(value):
        return value
    raise ValueRefused("it has characters that may need quoting here")


def _quote_shell(value: str, quote: str) -> str:
    if quote == "'":
        return value.replace("'", "'\\''")
    if quote == '"':
        if "!" in value:  # an interactive shell looks it up in its history, escaped or not
            raise ValueRefused("it has an exclamation mark inside double quotes")
        return re.sub(r'([\\"$`])', r"\\\1", value)
    if quote:
        raise ValueRefused("it would be run as a command")
    return shlex.quote(value) if not _PLAIN.fullmatch(value) else value


def _quote_powershell(value: str, quote: str) -> str:
    if quote == '"':
        return re.sub(r'([`"$])', r"`\1", value)
    if quote == "'" or not _POWERSHELL_PLAIN.fullmatch(value):
        # PowerShell also ends a string at typographic quotes.
        inside = re.sub(r"(['‘’‚‛])", r"\1\1", value)
        return inside if quote else f"'{inside}'"
    return value


def _quote_sql(value: str, quote: str, bracket: str) -> str:
    if "\\" in value:
        raise ValueRefused("it has a backslash, which databases read differently")
    if quote:
        return value.replace(quote, quote * 2)
    if _IDENTIFIER.fullmatch(value) or _NUMBER.fullmatch(value):
        return value
    return f"{bracket}{value.replace(bracket, bracket * 2)}{bracket}"


def _quote_data(value: str, quote: str, language: str) -> str:
    if quote == "'":
        return value.replace("'", "''")
    quoted = json.dumps(value, ensure_ascii=False)
    if quote == '"':
        return quoted[1:-1]
    if quote:
        raise ValueRefused("it has characters that may need quoting here")
    if _NUMBER.fullmatch(value):
        return value
    plain = _YAML_PLAIN.fullmatch(value) and value.lower() not in _YAML_WORDS
    return value if plain and language != "json" else quoted


def _quote_program(value: str, quote: str) -> str:
    if not quote:
        if _IDENTIFIER.fullmatch(value) or _NUMBER.fullmatch(value):
            return value
        raise ValueRefused("it is no name or number")
    if quote == "`" or re.search(r"[$#{}%]", value):  # some languages read these inside strings
        raise ValueRefused("it has characters that a string may read as code")
    return re.sub(rf"([\\{quote}])", r"\\\1", value)
