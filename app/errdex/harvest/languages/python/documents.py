"""What docstrings and comments say of an error, in their own words."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence

from errdex import lazy_re as re

MAX_WORDS = 2_000
"""Characters that are taken over."""

_SPHINX = re.compile(
    r"^[ \t]*:(?:raises?|exceptions?|except)[ \t]+(?P<names>[\w., |`~:]+?)[ \t]*:(?P<text>.*"
    r"(?:\n[ \t]+(?!:).*|\n[ \t]*(?=\n[ \t]+[^:\s]))*)",
    re.MULTILINE,
)
_SECTION = re.compile(
    r"^(?P<indent>[ \t]*)Raises:?[ \t]*\n(?P<rule>[ \t]*-{3,}[ \t]*\n)?", re.MULTILINE
)
_GOOGLE_ENTRY = re.compile(
    r"(?P<names>[\w., |`~:]*?\w`?)[ \t]*(?::(?:[ \t]+|$)|[ \t]+--?[ \t]+)(?P<text>.*)"
)
_NUMPY_ENTRY = re.compile(r"[\w., |`~:]+")
_NAME = re.compile(r"[\w.]+")
_MARKS = re.compile(
    r"#[ \t]*(?:noqa|pragma|type:|pylint|mypy|ruff|fmt|nosec|isort|pyright|pytype|flake8|coding|!)|"
    r"#\W*$",
    re.IGNORECASE,
)


def raises_entries(docstring: str | None) -> dict[str, tuple[str, ...]]:
    """The entries on each class of error that a docstring says the function raises, in the
    styles of Sphinx, Google and NumPy."""
    if not docstring or ("aise" not in docstring and ":exc" not in docstring):
        return {}
    text = inspect.cleandoc(docstring)
    entries: dict[str, list[str]] = {}
    for found in _SPHINX.finditer(text):
        _note(entries, found["names"], found["text"])
    for section in _SECTION.finditer(text):
        lines = _lines_of_section(text[section.end() :], section)
        _read_section(entries, lines, numpy=section["rule"] is not None)
    return {name: tuple(text[:MAX_WORDS] for text in texts) for name, texts in entries.items()}


def _lines_of_section(rest: str, section: re.Match[str]) -> list[str]:
    """Up to the next section, which for Google's style is the first line less indented."""
    base = len(section["indent"])
    lines: list[str] = []
    numpy = section["rule"] is not None
    for line in rest.split("\n"):
        indent = len(line) - len(line.lstrip())
        if line.strip() and (indent < base or (indent == base and not numpy)):
            break
        if numpy and set(line.strip()) == {"-"}:
            del lines[-1:]
            break
        lines.append(line)
    return lines


def _read_section(entries: dict[str, list[str]], lines: Sequence[str], *, numpy: bool) -> None:
    written = [line for line in lines if line.strip()]
    if not written:
        return
    outer = min(len(line) - len(line.lstrip()) for line in written)
    names, words = "", ""
    for line in written:
        is_head = len(line) - len(line.lstrip()) == outer
        entry = line.strip()
        found = _GOOGLE_ENTRY.fullmatch(entry) if is_head else None
        if found:
            _note(entries, names, words)
            names, words = found["names"], found["text"]
        elif is_head and numpy and _NUMPY_ENTRY.fullmatch(entry):
            _note(entries, names, words)
            names, words = entry, ""
        else:
            words = f"{words} {entry}"
    _note(entries, names, words)


def _note(entries: dict[str, list[str]], names: str, text: str) -> None:
    words = " ".join(text.split())
    if not words:
        return
    for name in _NAME.findall(names):
        last = name.rpartition(".")[2]
        if last not in {"or", "and", "exc", "class", "py"} and words not in entries.get(last, ()):
            entries.setdefault(last, []).append(words)


def first_paragraph(docstring: str | None) -> str | None:
    """What a class's docstring says first."""
    if not docstring:
        return None
    return " ".join(inspect.cleandoc(docstring).partition("\n\n")[0].split())[:MAX_WORDS] or None


def docstring_of(node: ast.AST) -> str | None:
    """The docstring of a module, class or function, as it is written."""
    body = getattr(node, "body", None)
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        value = first.value.value
        return value if isinstance(value, str) else None
    return None


def comment_above(lines: Sequence[str], line: int) -> str | None:
    """The comment that ends right above a line (counted from 1), without its marks."""
    found: list[str] = []
    place = line - 2
    while place >= 0 and (text := lines[place].strip()).startswith("#"):
        if not _MARKS.match(text):
            found.append(text.lstrip("#").strip())
        place -= 1
    return "\n".join(reversed(found))[:MAX_WORDS] or None
