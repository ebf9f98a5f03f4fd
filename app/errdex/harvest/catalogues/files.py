"""Which JSON and properties files are catalogues of messages: their names say so.

A file of errors (`errors.json`, `ValidationMessages.properties`) holds nothing else; one of all
messages of a program (`messages.properties`, `locales/en.json`) holds errors among others.
Where there is one for each language, the default and the English one are read.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal

from errdex import lazy_re as re

Scope = Literal["errors", "messages"]
"""Whether a catalogue lists errors alone, or all that a program says."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ERRORS = frozenset({"error", "errors", "err", "errs", "exception", "exceptions"})
_MESSAGES = frozenset({"message", "messages", "msgs"})
_BESIDE = frozenset({"code", "codes", "string", "strings", "text", "texts"})
"""Words that a name of a file of errors may have beside: `error_codes.json`."""
_OF_PROPERTIES = frozenset({"localstrings"})
"""Other names that such files bear in Java."""
_LOCALE_FOLDERS = frozenset(
    "locale locales _locales i18n l10n lang langs language languages translations".split()  # noqa: SIM905
)
_LANGUAGES = frozenset(
    """
    af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fil fr ga gl gu he hi hr hu hy
    id is it ja ka kk km kn ko ku ky lb lo lt lv mk ml mn mr ms my nb ne nl nn no pa pl ps pt ro ru
    si sk sl sq sr sv sw ta te th tr uk ur uz vi zh
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_LOCALE = re.compile(r"([a-z]{2,3})(?:[-_](?:[A-Z][a-z]{3}|[A-Z]{2}|\d{3}|[a-z]{2}))*")
_LOCALE_AT_END = re.compile(r"[-_.]([a-z]{2,3}(?:[-_](?:[A-Z][a-z]{3}|[A-Z]{2}))*)$")


def scope_of(path: str) -> Scope | None:
    """What a file lists by its name and folder; None when it is no catalogue that is read."""
    file = PurePosixPath(path)
    kind, folders = file.suffix.lower(), file.parts[:-1]
    name = file.name[: len(file.name) - len(kind)]
    at_end = _LOCALE_AT_END.search(name)
    if at_end is not None and _is_language(at_end[1]):
        if not _is_english(at_end[1]):
            return None
        name = name[: at_end.start()]
    if kind == ".properties":
        return _scope_of_properties(name)
    in_locales = bool(_LOCALE_FOLDERS & {folder.lower() for folder in folders[-2:]})
    languages = [each for each in (name, *folders[-1:]) if _is_language(each)]
    if not all(map(_is_english, languages)):
        return None
    return _scope_of_json(name) or ("messages" if in_locales and languages else None)


def _scope_of_properties(name: str) -> Scope | None:
    words = _words(name)
    if set(words) & _ERRORS and words[-1] in _ERRORS | _MESSAGES | _BESIDE:
        return "errors"
    if set(words[-1:]) & _MESSAGES or name.lower() in _OF_PROPERTIES:
        return "errors" if "validation" in words else "messages"
    return None


def _scope_of_json(name: str) -> Scope | None:
    words = set(_words(name))
    if words & _ERRORS and words <= _ERRORS | _MESSAGES | _BESIDE | {"validation"}:
        return "errors"
    return "messages" if words and words <= _MESSAGES else None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _is_language(text: str) -> bool:
    found = _LOCALE.fullmatch(text)
    return found is not None and found[1] in _LANGUAGES


def _is_english(text: str) -> bool:
    return _is_language(text) and text.startswith("en")
