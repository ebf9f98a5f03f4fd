"""A value from a paste, written into code so that it stays one value there.

What a paste says may be an attacker's. A value is written into code only where the rules of
that code's language make it one word, one string or one identifier; in doubt it is refused, and
the reason is shown instead.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from errdex.records.languages import LanguageKind, names_of

MAX_VALUE = 200
"""Characters. A longer value makes a command that nobody reads before running it."""

_SHELL = names_of(LanguageKind.SHELL)
_POWERSHELL = names_of(LanguageKind.POWERSHELL)
_SQL = names_of(LanguageKind.SQL)
_DATA = names_of(LanguageKind.DATA)
_PROGRAMS = names_of(LanguageKind.PROGRAM)

_WORD = r"[A-Za-z0-9_./:@%+\-][A-Za-z0-9_./:@%+=,\-]*"
"""A word whose characters mean nothing to a shell. zsh looks up a word that begins with `=`."""
_WORDS = rf"{_WORD}(?: {_WORD})*"
_POWERSHELL_WORD = r"[A-Za-z0-9_./\\:\-]+"
_NAME = r"[A-Za-z_][A-Za-z0-9_$]*(?:\.[A-Za-z_][A-Za-z0-9_$]*)*"
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_YAML_WORDS = "|".join(
    "".join(f"[{each}{each.upper()}]" for each in word)
    for word in ("true", "false", "yes", "no", "on", "off", "null", "y", "n")
)
_YAML_TEXT = rf"(?!(?:{_YAML_WORDS})$)[A-Za-z_/][A-Za-z0-9_./\-]*"
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


@dataclass(frozen=True, slots=True)
class PlainValues:
    """The values that a place takes without escaping a character of them. The regular
    expressions mean the same in Python and in JavaScript, and hold for the whole value."""

    plain: str
    """The values that are written there as they are."""
    quote: str = ""
    """The quote that goes around other values; "" where there is none."""
    quotable: str = ""
    """The values that may be written between such quotes."""


_NONE = PlainValues("(?!)")
_ID = f"{_NAME}|{_NUMBER}"
_PLAIN: tuple[tuple[Collection[str], Mapping[str, PlainValues]], ...] = (
    (
        _SHELL,
        {
            "": PlainValues(_WORD, "'", r"[^']+"),
            "'": PlainValues(r"[^']*"),
            '"': PlainValues(r'[^\\"$`!]*'),
        },
    ),
    (
        _POWERSHELL,
        {
            "": PlainValues(_POWERSHELL_WORD, "'", r"[^'‘’‚‛]+"),
            "'": PlainValues(r"[^'‘’‚‛]*"),
            '"': PlainValues(r'[^`"“”„$]*'),
        },
    ),
    (
        _DATA,
        {
            "": PlainValues(f"{_YAML_TEXT}|{_NUMBER}", '"', r'[^"\\]+'),
            "'": PlainValues(r"[^']*"),
            '"': PlainValues(r'[^"\\]*'),
        },
    ),
    (
        _PROGRAMS,
        {
            "": PlainValues(_ID),
            "'": PlainValues(r"[^\\'$#{}%]*"),
            '"': PlainValues(r'[^\\"$#{}%]*'),
        },
    ),
)
"""By the open quote, for the languages whose rules depend on nothing else."""


def plain_values(place: CodePlace) -> PlainValues:
    """The values that need no escaping there. `quote_value` writes them in the same way."""
    quote, language = place.quote, place.language.lower()
    if quote and not place.whole:
        return PlainValues(_WORDS)
    if language in _SQL:
        bracket = quote or _BRACKETS.get(language, '"')
        inside = rf"[^\\{bracket}]"
        return PlainValues(f"{inside}*") if quote else PlainValues(_ID, bracket, f"{inside}+")
    if language == "json" and not quote:
        return PlainValues(_NUMBER, '"', r'[^"\\]+')
    rules = next((rules for names, rules in _PLAIN if language in names), {})
    return rules.get(quote, _NONE if rules else PlainValues(_WORD))


def quote_value(value: str, place: CodePlace) -> str:
    """The value as that place's language writes it. Raises ValueRefused."""
    check_value(value, command=True)
    rule = plain_values(place)
    if re.fullmatch(rule.plain, value):
        return value
    if place.quote and not place.whole:
        # Another language may be inside the quotes: `psql -c "…"`, `sh -c '…'`.
        raise ValueRefused("it has characters that mean something inside these quotes")
    language = place.language.lower()
    if language in _SHELL:
        return _quote_shell(value, place.quote)
    if language in _POWERSHELL:
        return _quote_powershell(value, place.quote)
    if language in _SQL:
        return _quote_sql(value, place.quote or rule.quote, around=not place.quote)
    if language in _DATA:
        return _quote_data(value, place.quote)
    if language in _PROGRAMS:
        return _quote_program(value, place.quote)
    raise ValueRefused("it has characters that may need quoting here")


def _quote_shell(value: str, quote: str) -> str:
    if quote == '"':
        if "!" in value:  # an interactive shell looks it up in its history, escaped or not
            raise ValueRefused("it has an exclamation mark inside double quotes")
        return re.sub(r'([\\"$`])', r"\\\1", value)
    if quote == "`":
        raise ValueRefused("it would be run as a command")
    inside = value.replace("'", "'\\''")
    return inside if quote else f"'{inside}'"


def _quote_powershell(value: str, quote: str) -> str:
    # PowerShell also begins and ends strings at typographic quotes.
    if quote == '"':
        return re.sub(r'([`"“”„$])', r"`\1", value)
    inside = re.sub(r"(['‘’‚‛])", r"\1\1", value)
    return inside if quote else f"'{inside}'"


def _quote_sql(value: str, quote: str, *, around: bool) -> str:
    if "\\" in value:
        raise ValueRefused("it has a backslash, which databases read differently")
    inside = value.replace(quote, quote * 2)
    return f"{quote}{inside}{quote}" if around else inside


def _quote_data(value: str, quote: str) -> str:
    if quote == "'":
        return value.replace("'", "''")
    quoted = json.dumps(value, ensure_ascii=False)
    if quote == '"':
        return quoted[1:-1]
    if quote:
        raise ValueRefused("it has characters that may need quoting here")
    return quoted


def _quote_program(value: str, quote: str) -> str:
    if not quote:
        raise ValueRefused("it is no name or number")
    if quote == "`" or re.search(r"[$#{}%]", value):  # some languages read these inside strings
        raise ValueRefused("it has characters that a string may read as code")
    return re.sub(rf"([\\{quote}])", r"\\\1", value)
