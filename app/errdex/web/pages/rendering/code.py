"""Code as HTML, highlighted by language, line by line.

A line is a list of runs, each a piece of text and what it is; runs come from Pygments
and are written with one-letter classes, since a record's page must stay small. Code is
data that anyone may have written: it is bounded, read for a bounded time in a process of its
own, and escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise
from pathlib import PurePosixPath

from markupsafe import Markup
from pygments.lexers import find_lexer_class_for_filename

from errdex.records.languages import find_language
from errdex.web.pages.rendering.lexing import Line, Run, lex

Span = tuple[int, int]

MAX_HIGHLIGHTED = 30_000
"""Characters; longer code is shown plain, and so is what takes too long: see lexing.py."""
MAX_LINE = 2_000
"""Characters of the longest line that a lexer is given."""

_DOCSTRINGS = ('"""', "'''")
_TEXT = frozenset("cs")
"""The classes of comments and strings."""


def highlight(code: str, language: str | None) -> list[Line]:
    """The code's lines; their texts, joined, are the code. An unknown language, code over the
    bounds, and code that takes too long to read give plain ones."""
    if not language or not code or not _is_bounded(code):
        return plain(code)
    return lex(code, _lexer_names(language)) or plain(code)


def highlight_excerpt(code: str, language: str | None, raising: int) -> list[Line]:
    """The lines of a piece of a file, of which the one at the index `raising` is a statement;
    a negative index for none known. A piece may begin within a comment or a docstring, whose
    end a lexer takes for the beginning of one, and so all that follows for a part of it."""
    end, start = code.find("*/"), code.find("/*")
    if end >= 0 and not 0 <= start < end:
        lines = highlight(f"/*\n{code}", language)
        return lines[1:] if _is_text(lines[0]) else highlight(code, language)
    if not 0 <= raising <= code.count("\n"):
        return highlight(code, language)
    above = "\n".join(code.split("\n")[:raising])
    quotes = [each for each in _DOCSTRINGS if each in code]
    likely = [each for each in quotes if above.count(each) % 2]
    unopened: list[Line] = []
    for opener in (*likely, "", *(each for each in quotes if each not in likely)):
        lines = highlight(f"{opener}\n{code}" if opener else code, language)
        if opener:
            del lines[0]
        else:
            unopened = lines
        if not _is_text(lines[raising][:1]):
            return lines
    return unopened


def _is_text(line: Sequence[Run]) -> bool:
    """Whether a line is text of a comment or a string and nothing else."""
    return bool(line) and all(kind in _TEXT for kind, _ in line)


def plain(code: str) -> list[Line]:
    """The code's lines without anything marked."""
    return [[("", line)] if line else [] for line in code.split("\n")]


def to_html(line: Iterable[Run], marked: Sequence[Span] = ()) -> Markup:
    """One line, with the character spans in `marked` inside <mark>."""
    if not marked:
        return Markup("".join(_run(kind, text) for kind, text in line))  # noqa: S704 (escaped)
    parts = (
        f"<mark>{_run(kind, text)}</mark>" if inside else _run(kind, text)
        for inside, kind, text in _split(line, marked)
    )
    return Markup("".join(parts))  # noqa: S704 (each run is escaped)


def block(code: str, language: str | None) -> Markup:
    """A whole block's lines, joined by line breaks."""
    return Markup("\n").join(to_html(line) for line in highlight(code, language))


def language_of_path(path: str | None) -> str | None:
    """The language of a file by its name, as Pygments names it."""
    file = PurePosixPath(path or "")
    # Only by the suffix, of which there are few: a search through all patterns takes 2 ms.
    named_whole = file.suffix in {"", ".txt"} or file.name.startswith(".")
    return _language_of_name(file.name if named_whole else f"x{file.suffix}")


def dedent(code: str) -> str:
    """The code without the indentation that all its lines share; tabs become four spaces."""
    lines = [line.expandtabs(4) for line in code.split("\n")]
    depths = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    depth = min(depths, default=0)
    return "\n".join(line[depth:] if line.strip() else "" for line in lines)


def _run(kind: str, text: str) -> str:
    text = escape(text, quote=False)
    return f'<span class="{kind}">{text}</span>' if kind else text


@lru_cache(maxsize=256)
def _lexer_names(language: str) -> tuple[str, ...]:
    """What Pygments may call the language, the likeliest first."""
    name = language.strip().lower()
    known = find_language(name)
    names = [known.lexer, name, known.name] if known else [name]
    return tuple(filter(None, names))


def _is_bounded(code: str) -> bool:
    return len(code) <= MAX_HIGHLIGHTED and all(len(line) <= MAX_LINE for line in code.split("\n"))


@lru_cache(maxsize=256)
def _language_of_name(name: str) -> str | None:
    found = find_lexer_class_for_filename(name)
    return found.aliases[0] if found and found.aliases else None


def _split(line: Iterable[Run], marked: Sequence[Span]) -> Iterator[tuple[bool, str, str]]:
    """The runs, cut where a marked span begins or ends."""
    edges = sorted({edge for span in marked for edge in span})
    place = 0
    for kind, text in line:
        end = place + len(text)
        cuts = [place, *(edge for edge in edges if place < edge < end), end]
        for start, stop in pairwise(cuts):
            inside = any(first <= start < last for first, last in marked)
            yield inside, kind, text[start - place : stop - place]
        place = end
