"""Which language reads which file. An extractor is imported when its first file comes.

To add a language: a module as described in `model`, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import PurePosixPath

from errdex.harvest.catalogues.files import scope_of
from errdex.harvest.model import Extraction

Extractor = Callable[[str, str], Extraction]


@dataclass(frozen=True, slots=True)
class Language:
    """A language, the endings of its files, and the module that reads them."""

    name: str
    """As a record's `language` has it."""
    suffixes: tuple[str, ...]
    module: str


class ExtractorMissing(Exception):
    """What a language needs is not installed. The text says what to install."""


_CPP = (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".cu", ".cuh")

LANGUAGES = (
    Language("python", (".py", ".pyw"), "errdex.harvest.languages.python.source"),
    Language(
        "javascript", (".js", ".mjs", ".cjs", ".jsx"), "errdex.harvest.languages.javascript.source"
    ),
    Language(
        "typescript", (".ts", ".mts", ".cts", ".tsx"), "errdex.harvest.languages.javascript.source"
    ),
    Language("java", (".java",), "errdex.harvest.languages.java.source"),
    Language("c", (".c", ".h"), "errdex.harvest.languages.c.source"),
    Language("cpp", _CPP, "errdex.harvest.languages.c.source"),
    Language("csharp", (".cs",), "errdex.harvest.languages.csharp.source"),
    Language("kotlin", (".kt", ".kts"), "errdex.harvest.languages.kotlin.source"),
    Language("ruby", (".rb", ".rake", ".gemspec"), "errdex.harvest.languages.ruby.source"),
    Language("php", (".php", ".phtml"), "errdex.harvest.languages.php.source"),
    Language("rust", (".rs",), "errdex.harvest.languages.rust.source"),
    Language("go", (".go",), "errdex.harvest.languages.go.source"),
    Language("json", (".json",), "errdex.harvest.catalogues.source"),
    Language("properties", (".properties",), "errdex.harvest.catalogues.source"),
)
_CATALOGUES = frozenset({"json", "properties"})

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def find_language(path: str) -> Language | None:
    """The language of a file by its ending, and by its name where most such files are data.
    None for any other file."""
    language = _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
    if language is not None and language.name in _CATALOGUES and scope_of(path) is None:
        return None
    return language


@lru_cache
def load_extractor(language: Language) -> Extractor:
    """The `extract` of a language's module. Raises ExtractorMissing."""
    try:
        module = import_module(language.module)
    except ModuleNotFoundError as error:
        raise ExtractorMissing(
            f"{language.name} files cannot be read, since {error.name} is not installed. "
            "Install errdex[harvest]."
        ) from error
    extractor: Extractor = module.extract
    return extractor
