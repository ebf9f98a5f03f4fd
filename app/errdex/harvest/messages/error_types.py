"""The type of an error, where its class tells: the words are those of the curated records."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from errdex import lazy_re as re
from errdex.harvest.model import Fixed, RaiseSite
from errdex.records.error_types import ASSERTION, USAGE

_OF_CLASS = {
    "ValueError": "validation",
    "TypeError": "type",
    "KeyError": "lookup",
    "IndexError": "lookup",
    "LookupError": "lookup",
    "AttributeError": "lookup",
    "NameError": "name",
    "UnboundLocalError": "name",
    "ImportError": "import",
    "ModuleNotFoundError": "import",
    "SyntaxError": "syntax",
    "MemoryError": "memory",
    "OutOfMemoryError": "memory",
    "TimeoutError": "timeout",
    "PermissionError": "permission",
    "ConnectionError": "network",
    "UnicodeError": "encoding",
    "RuntimeError": "runtime",
    "RuntimeException": "runtime",
    "FileNotFoundError": "resource",
    "FileExistsError": "resource",
    "OSError": "resource",
    "IOException": "resource",
    "IllegalArgumentException": "validation",
    "IllegalStateException": "state",
    "ArgumentException": "validation",
    "ArgumentError": "validation",
    "InvalidArgumentException": "validation",
    "InvalidOperationException": "state",
    "RangeError": "validation",
    "ReferenceError": "name",
    "NullPointerException": "type",
    "ClassCastException": "type",
}
_OF_WORD = (
    (re.compile(r"time_?d?_?out", re.IGNORECASE), "timeout"),
    (re.compile(r"validat|invalid", re.IGNORECASE), "validation"),
    (re.compile(r"config|settings|improperly", re.IGNORECASE), "configuration"),
    (re.compile(r"unauthori|authenti|credential|login", re.IGNORECASE), "authentication"),
    (re.compile(r"permission|forbidden|access_?denied", re.IGNORECASE), "permission"),
    (re.compile(r"connect|network|socket|dns", re.IGNORECASE), "network"),
    (re.compile(r"syntax|parse|parsing", re.IGNORECASE), "syntax"),
    (re.compile(r"encod|decod|unicode", re.IGNORECASE), "encoding"),
    (re.compile(r"not_?found|does_?not_?exist|no_?such", re.IGNORECASE), "lookup"),
)


_USAGE = re.compile(r"\s*usage:", re.IGNORECASE)


def error_type_of_site(site: RaiseSite) -> str | None:
    """What a site says the error is about. Assertions and usage lines are kept apart from errors:
    a program's own doubts about itself, and help."""
    if site.kind == "assert":
        return ASSERTION
    first = site.parts[0] if site.parts else None
    if isinstance(first, Fixed) and _USAGE.match(first.text):
        return USAGE
    return error_type_of(site.error_class, site.base_classes)


def error_type_of(error_class: str | None, bases: Iterable[str] = ()) -> str | None:
    """What the class, or the nearest of its bases that tells, says the error is about."""
    if error_class is None:
        return None
    return next((found for name in (error_class, *bases) if (found := _type_of(name))), None)


@lru_cache(maxsize=4096)
def _type_of(name: str) -> str | None:
    last = re.split(r"::|[.\\]", name)[-1]
    known = _OF_CLASS.get(last)
    return known or next((kind for word, kind in _OF_WORD if word.search(last)), None)
