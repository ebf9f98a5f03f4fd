"""Which language reads which file. An extractor is imported when its first file comes.

To add a language: a module as described in `model`, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import PurePosixPath

from app.harvest.catalogue_files import scope_of
from app.harvest.model import Extraction

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
    Language("python", (".py", ".pyw"), "app.harvest.python_source"),
    Language("javascript", (".js", ".mjs", ".cjs", ".jsx"), "app.harvest.javascript_source"),
    Language("typescript", (".ts", ".mts", ".cts", ".tsx"), "app.harvest.javascript_source"),
    Language("java", (".java",), "app.harvest.java_source"),
    Language("c", (".c", ".h"), "app.harvest.c_source"),
    Language("cpp", _CPP, "app.harvest.c_source"),
    Language("csharp", (".cs",), "app.harvest.csharp_source"),
    Language("kotlin", (".kt", ".kts"), "app.harvest.kotlin_source"),
    Language("ruby", (".rb", ".rake", ".gemspec"), "app.harvest.ruby_source"),
    Language("php", (".php", ".phtml"), "app.harvest.php_source"),
    Language("rust", (".rs",), "app.harvest.rust_source"),
    Language("go", (".go",), "app.harvest.go_source"),
    Language("json", (".json",), "app.harvest.catalogue_source"),
    Language("properties", (".properties",), "app.harvest.catalogue_source"),
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
