"""The table of languages: what each is called, which files are written in it, what it is like.

A record's `language`, an event's language, the fence of a piece of code and the ending of a file
are all looked up here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class LanguageKind(StrEnum):
    """What a language is for, which decides how a value is quoted in it."""

    PROGRAM = "program"
    SHELL = "shell"
    POWERSHELL = "powershell"
    SQL = "sql"
    DATA = "data"
    TOOL = "tool"
    """The input of a tool: a build file, a configuration."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language."""

    name: str
    """As a record's `language` has it."""
    other_names: tuple[str, ...] = ()
    """What people, parsers and fences call it besides, and the platforms it runs on."""
    suffixes: tuple[str, ...] = ()
    """The endings of its files, in lower case."""
    kind: LanguageKind = LanguageKind.PROGRAM
    family: str = ""
    """The language whose errors its errors cannot be distinguished from; "" for itself."""
    lexer: str = ""
    """What Pygments calls it; "" where it knows the name."""
    own_errors: bool = False
    """Whether the form of its errors shows that a program is written in it. C's does not:
    programs in any language show messages of libraries that are written in C."""


_CPP = (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".cu", ".cuh")
_JS = (".js", ".mjs", ".cjs", ".jsx")
_TS = (".ts", ".mts", ".cts", ".tsx")
_NODE = ("js", "jsx", "node", "node.js", "nodejs", "browser")

LANGUAGES: tuple[Language, ...] = (
    Language("python", ("py",), (".py", ".pyw", ".pyi"), own_errors=True),
    Language("cython", (), (".pyx", ".pxd"), family="python"),
    Language("javascript", _NODE, _JS, own_errors=True),
    Language("typescript", ("ts", "tsx"), _TS, family="javascript"),
    Language("java", ("jvm",), (".java",), own_errors=True),
    Language("kotlin", ("kt",), (".kt", ".kts"), family="java"),
    Language("scala", (), (".scala",), family="java"),
    Language("groovy", (), (".groovy",), family="java"),
    Language("c", (), (".c", ".h")),
    Language("cpp", ("c++",), _CPP, family="c"),
    Language("csharp", ("cs", "c#", "dotnet", ".net"), (".cs",), own_errors=True),
    Language("fsharp", ("f#",), (".fs", ".fsx"), family="csharp"),
    Language("go", ("golang",), (".go",), own_errors=True),
    Language("rust", ("rs",), (".rs",), own_errors=True),
    Language("ruby", ("rb",), (".rb", ".rake", ".gemspec"), own_errors=True),
    Language("php", (), (".php", ".phtml"), own_errors=True),
    Language("perl", (), (".pl", ".pm"), own_errors=True),
    Language("elixir", (), (".ex", ".exs"), own_errors=True),
    Language("swift", (), (".swift",)),
    Language("lua", (), (".lua",)),
    Language("r", (), (".r",)),
    Language(
        "shell", ("sh", "bash", "zsh", "console", "fish"), (), LanguageKind.SHELL, lexer="bash"
    ),
    Language("powershell", ("pwsh", "ps1"), (), LanguageKind.POWERSHELL),
    Language(
        "sql",
        ("postgresql", "plpgsql", "sqlite", "mysql", "mariadb", "tsql", "plsql"),
        (),
        LanguageKind.SQL,
    ),
    Language("json", (), (".json",), LanguageKind.DATA),
    Language("yaml", ("yml",), (), LanguageKind.DATA),
    Language("properties", (), (".properties",), LanguageKind.TOOL),
    Language("hcl", (), (), LanguageKind.TOOL, lexer="terraform"),
    Language("dockerfile", (), (), LanguageKind.TOOL, lexer="docker"),
    Language("redis", (), (), LanguageKind.TOOL, lexer="text"),
    Language("cmake", (), (), LanguageKind.TOOL),
)

_BY_NAME: Mapping[str, Language] = {
    name: language for language in LANGUAGES for name in (language.name, *language.other_names)
}
_BY_SUFFIX: Mapping[str, Language] = {
    suffix: language for language in LANGUAGES for suffix in language.suffixes
}


def find_language(name: str | None) -> Language | None:
    """The language of that name or other name, in any case of letters."""
    return _BY_NAME.get(name.lower()) if name else None


def find_by_suffix(suffix: str) -> Language | None:
    """The language of files with that ending, which begins with a dot."""
    return _BY_SUFFIX.get(suffix.lower())


def family_of(name: str | None) -> str | None:
    """The name under which languages with the same errors are compared; an unknown language is
    its own family."""
    language = find_language(name)
    if language is None:
        return name.lower() if name else None
    return language.family or language.name


def names_of(kind: LanguageKind) -> frozenset[str]:
    """Every name of the languages of a kind."""
    return frozenset(name for name, language in _BY_NAME.items() if language.kind is kind)
