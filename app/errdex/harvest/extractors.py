"""Which language reads which file. An extractor is imported when its first file comes.

To add a language: a module as described in `model`, a line here, and one in the table of
languages (`errdex.records.languages`) if it is not there yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import PurePosixPath

from errdex.harvest.catalogues.files import scope_of
from errdex.harvest.model import Extraction
from errdex.records.languages import Language, find_by_suffix

Extractor = Callable[..., Extraction]
"""Takes the source and its path. One whose extractions say what is passed on takes as well, as
`known`, the functions of the whole tree that report what they are given."""


class ExtractorMissing(Exception):
    """What a language needs is not installed. The text says what to install."""


_LANGUAGES = "errdex.harvest.languages"
_CATALOGUE = "errdex.harvest.catalogues.source"
MODULES: Mapping[str, str] = {
    "python": f"{_LANGUAGES}.python.source",
    "javascript": f"{_LANGUAGES}.javascript.source",
    "typescript": f"{_LANGUAGES}.javascript.source",
    "java": f"{_LANGUAGES}.java.source",
    "c": f"{_LANGUAGES}.c.source",
    "cpp": f"{_LANGUAGES}.c.source",
    "csharp": f"{_LANGUAGES}.csharp.source",
    "kotlin": f"{_LANGUAGES}.kotlin.source",
    "ruby": f"{_LANGUAGES}.ruby.source",
    "php": f"{_LANGUAGES}.php.source",
    "rust": f"{_LANGUAGES}.rust.source",
    "go": f"{_LANGUAGES}.go.source",
    "json": _CATALOGUE,
    "properties": _CATALOGUE,
}
"""The module that reads each language's files, by the language's name."""
_WITHOUT_RAISES = frozenset({".pyi"})


def find_language(path: str) -> Language | None:
    """The language of a file by its ending, and by its name where most such files are data.
    None for any other file."""
    suffix = PurePosixPath(path).suffix.lower()
    language = find_by_suffix(suffix)
    if language is None or language.name not in MODULES or suffix in _WITHOUT_RAISES:
        return None
    if MODULES[language.name] == _CATALOGUE and scope_of(path) is None:
        return None
    return language


@lru_cache
def load_extractor(language: Language) -> Extractor:
    """The `extract` of a language's module. Raises ExtractorMissing."""
    try:
        module = import_module(MODULES[language.name])
    except ModuleNotFoundError as error:
        raise ExtractorMissing(
            f"{language.name} files cannot be read, since {error.name} is not installed. "
            "Install errdex[harvest]."
        ) from error
    extractor: Extractor = module.extract
    return extractor
