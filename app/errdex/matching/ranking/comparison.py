"""Comparing what an event shows with what a record says: classes, codes, files, languages."""

from __future__ import annotations

import builtins
from functools import lru_cache

from errdex import lazy_re as re
from errdex.records.languages import LanguageKind, family_of, find_by_suffix

_BASES = frozenset(
    """
    Error Exception BaseException RuntimeError RuntimeException StandardError Throwable
    SystemException ApplicationException
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""Classes that any other one of their language may derive from."""
_RUNTIMES = frozenset({"builtins", "java", "javax", "kotlin", "scala", "System", "std"})
"""What the names of classes begin with that come with a language."""
SEPARATOR = re.compile(r"::|->|[.$\\/#]")
"""Between the parts of a qualified name, in any language."""
_INSTALLED_IN = frozenset({"node_modules", "site-packages", "dist-packages", "gems", "vendor"})
"""Folders that hold packages: what stands before them in a path is where somebody put them."""
_INSTALLED_AS = re.compile(
    r"(?:site-packages|dist-packages|node_modules)/(?:@[\w.-]{1,80}/)?(?P<plain>[\w-][\w.-]{0,80})/"
    r"|/registry/src/[^/]{1,80}/(?P<crate>\w[\w-]{0,80}?)-\d[^/]{0,40}/"
    r"|/(?:pkg/mod|vendor)/[\w-]{1,80}\.[\w.-]{1,80}/[\w.!-]{1,80}/"
    r"(?P<module>[\w.-]{1,80}?)(?:@[^/]{0,80})?/"
    r"|/gems/(?P<gem>\w[\w.-]{0,80}?)-\d[\w.]{0,40}/"
    r"|/vendor/[\w-]{1,80}/(?P<composed>[\w.-]{1,80})/"
    r"|/hosted/[^/]{1,80}/(?P<hosted>\w{1,80})-\d[^/]{0,40}/|^package:(?P<dart>\w{1,80})/"
)
_PLAIN_NAMES = frozenset(
    """
    __init__ __main__ index main mod lib utils util errors exceptions base core common helpers
    types models app server client config
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""Names of files that many projects have."""
_FROZEN = re.compile(r"<frozen ([\w.]{1,200})>")


def last_part(name: str) -> str:
    """The class itself of a qualified name."""
    return SEPARATOR.split(name)[-1] or name


def same_class(one: str, other: str) -> bool:
    """Whether two names, qualified or not, can be of one class."""
    if one == other:
        return True
    return last_part(one) == last_part(other)


@lru_cache(maxsize=4096)
def is_base(general: str, special: str) -> bool:
    """Whether `special` derives, or may well derive, from `general`."""
    general, special = last_part(general), last_part(special)
    if general in _BASES and general != special:
        return True
    above, below = getattr(builtins, general, None), getattr(builtins, special, None)
    return isinstance(above, type) and isinstance(below, type) and issubclass(below, above)


def is_of_runtime(name: str) -> bool:
    """Whether a class comes with a language, as far as its name shows."""
    first = SEPARATOR.split(name)[0]
    return name in _BASES or hasattr(builtins, last_part(name)) or first in _RUNTIMES


def contains_word(text: str, word: str) -> bool:
    """Whether a word stands in a text by itself, or as the last part of a qualified name."""
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not _is_word(before) and not _is_word(after):
            return True
        at = text.find(word, at + 1)
    return False


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


@lru_cache(maxsize=8192)
def path_parts(path: str) -> tuple[str, ...]:
    """The names of a path, last first, whatever the system it is of."""
    frozen = _FROZEN.fullmatch(path)
    if frozen is not None:  # of Python's own library, named as a module
        path = frozen[1].replace(".", "/") + ".py"
    path = path.removeprefix("file://").replace("\\", "/")
    return tuple(part for part in reversed(path.split("/")) if part not in ("", "."))


def names_in(path: str) -> set[str]:
    """The names in lower case that a path has within the folder that packages are installed in,
    or all of its names; the file's own up to its first dot."""
    names: set[str] = set()
    for part in path_parts(path):
        if part in _INSTALLED_IN:
            break
        names.add(part.split(".")[0].lower())
    return names


def is_installed(path: str) -> bool:
    """Whether a path goes through a folder that packages are installed in."""
    return not _INSTALLED_IN.isdisjoint(path_parts(path))


@lru_cache(maxsize=8192)
def installed_name(path: str) -> str | None:
    """The name of the package that a file is installed with, in lower case, without its version:
    as Python, Node.js, Cargo, Go, RubyGems, Composer and Dart lay them out."""
    found = list(_INSTALLED_AS.finditer(path.replace("\\", "/")))
    # The last one: a package may bring others along.
    return found[-1][found[-1].lastgroup or 0].lower() if found else None


def common_tail(one: str, other: str) -> int:
    """How many names two paths have in common at their end: those of a run
    (`site-packages/pkg/a.py`) and of a repository (`src/pkg/a.py`) differ at their start."""
    count = 0
    for left, right in zip(path_parts(one), path_parts(other), strict=False):
        if left != right:
            break
        count += 1
    return count


def is_telling_name(path: str) -> bool:
    """Whether a file's name alone says which file it is."""
    parts = path_parts(path)
    stem = parts[0].split(".")[0] if parts else ""
    return len(stem) > 3 and stem.lower() not in _PLAIN_NAMES


def family(language: str | None) -> str | None:
    """The language, or the one that its errors are written like; None for tools."""
    if not language or ":" in language:
        return None
    return family_of(language)


def language_of_file(path: str | None) -> str | None:
    """What a file's ending says."""
    if not path or "." not in path:
        return None
    language = find_by_suffix(path[path.rindex(".") :])
    return family_of(language.name) if language and language.kind is LanguageKind.PROGRAM else None
