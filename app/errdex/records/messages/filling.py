"""A record's texts with what a paste said in place of their holes.

The texts of a fix name the holes of the record's message as `{{name}}`. Only names that are
holes of that record are looked at, so that the `{{ }}` of Helm, Jinja or GitHub Actions stays as
it is. In prose a value is shown as it is; in code it is quoted by the rules of the code's
language (quoting.py), or else its name stays, with the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from errdex import lazy_re as re
from errdex.records.messages.quoting import (
    CodePlace,
    PlainValues,
    ValueRefused,
    check_value,
    plain_values,
    quote_value,
)

_PLACEHOLDER = re.compile(r"\{\{([^{}\n]{1,200})\}\}")
_FENCE = re.compile(r"^ {0,12}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n`]*$", re.MULTILINE)
_TICKS = re.compile(r"`+")
_SQL_SPAN = re.compile(
    r"(?:SELECT|INSERT|UPDATE|DELETE|ALTER|CREATE|DROP|GRANT|REVOKE|SHOW|SET|USE|EXPLAIN|VACUUM"
    r"|ANALYZE|REINDEX|TRUNCATE|FLUSH|COMMENT|BEGIN|MERGE|WITH|CALL|REFRESH)\b[^a-z]*\s"
)
_POWERSHELL_SPAN = re.compile(r"(?:\$env:|[A-Z][a-z]+-[A-Z]\w+(?:\s|$))")
_STATEMENT = re.compile(
    r"(?:abstract|as|assert|async|await|begin|break|case|catch|class|const|continue|"
    r"declare|def|defer|del|do|elif|else|end|enum|except|extends|extern|final|finally|"
    r"fn|for|foreach|from|func|function|global|guard|if|impl|implements|import|in|"
    r"instanceof|int|interface|is|lambda|let|local|loop|match|mod|module|move|mut|my|"
    r"namespace|new|no|nonlocal|not|or|package|print|private|protected|public|raise|"
    r"require|require_relative|rescue|return|select|static|string|struct|super|switch|"
    r"then|throw|throws|trait|true|try|type|typeof|union|unless|until|use|using|val|"
    r"var|when|where|while|with|yield)(?!\S)"
)
"""The words that begin a statement in programming languages; no tool is named so."""
_PROGRAM_SIGNS = re.compile(r";\s*$|=>|=\(|:=|\?\?|\?:|\s==?\s|\s[!=<>]=\s|->|\{\s|:\s*$")
_COMMAND_SPAN = re.compile(r"(?:sudo\s+)?[a-z_][\w./+-]*(?:\s+[^\s=(]+|\s*$)")


class Segment(NamedTuple):
    """A piece of a filled text."""

    text: str
    """What is shown: text as it is, a value as it is written there, or a hole's name."""
    hole: str | None = None
    """The hole that it stands for; None for text of the record."""
    refused: str | None = None
    """Why the paste's value is not shown, as a phrase that follows the name; the `text` is
    then the hole's name. None also where the paste says nothing."""
    filled: bool = False
    """Whether the text is the paste's value."""
    takes: PlainValues | None = None
    """Which values may be written there later; None in prose, which takes any."""


def fill_prose(
    text: str, names: Collection[str], values: Mapping[str, str] | None
) -> list[Segment]:
    """Fill a text with code spans and fenced blocks in it. `names` are the record's holes,
    `values` what the paste has for some of them; None where values come later."""
    if "{{" not in text:
        return [Segment(text)]
    return list(_filled(text, names, values, code_ranges(text)))


def fill_code(
    code: str, language: str, names: Collection[str], values: Mapping[str, str] | None
) -> list[Segment]:
    """Fill a text that is code of one language, as a fence would name it."""
    if "{{" not in code:
        return [Segment(code)]
    whole = CodeRange(0, len(code), language, 0, len(code))
    return list(_filled(code, names, values, [whole]))


def joined(segments: list[Segment]) -> str:
    """The filled text as plain text; a hole that is not filled shows as a named blank."""
    return "".join(
        each.text if each.hole is None or each.filled else blank(each.text) for each in segments
    )


def code_of(text: str) -> list[tuple[str, str]]:
    """Each code span and fenced block of a text, with its language."""
    return [(text[code.start : code.end].strip(), code.language) for code in code_ranges(text)]


def is_command(code: str) -> bool:
    """Whether a code span or block is a whole command: it has arguments, and is neither a
    statement nor an expression of a program."""
    words = code.split()
    if len(words) < 2 or len(words[0]) < 2:
        return False
    if _STATEMENT.match(code.strip()) or _PROGRAM_SIGNS.search(code):
        return False
    return language_of_span(code) in ("sh", "powershell", "sql")


def blank(name: str) -> str:
    """A hole that has no value. The quotes mean nothing to a shell, unlike `<` and `>`."""
    return f"‹{name}›"


def placeholders(text: str, names: Collection[str]) -> list[str]:
    """The holes that a text names, in its order."""
    return [name for each in _PLACEHOLDER.finditer(text) if (name := each[1].strip()) in names]


def _filled(
    text: str,
    names: Collection[str],
    values: Mapping[str, str] | None,
    code: list[CodeRange],
) -> Iterator[Segment]:
    position = 0
    for match in _PLACEHOLDER.finditer(text):
        name = match[1].strip()
        if name not in names:
            continue
        if match.start() > position:
            yield Segment(text[position : match.start()])
        position = match.end()
        inside = next((each for each in code if each.start <= match.start() < each.end), None)
        if values is None:
            takes = plain_values(_place(text, match, inside)) if inside else None
            yield Segment(name, name, takes=takes)
        else:
            yield _segment(text, match, name, values.get(name), inside)
    if position < len(text):
        yield Segment(text[position:])


def _segment(
    text: str,
    match: re.Match[str],
    name: str,
    value: str | None,
    inside: CodeRange | None,
) -> Segment:
    if value is None:
        return Segment(name, name)
    try:
        if inside is None:
            check_value(value, command=False)
            return Segment(value, name, filled=True)
        place = _place(text, match, inside)
        return Segment(quote_value(value, place), name, filled=True)
    except ValueRefused as refusal:
        return Segment(name, name, refused=str(refusal))


def _place(text: str, match: re.Match[str], inside: CodeRange) -> CodePlace:
    """The quotes around a placeholder: looked for in its own line, since commands and strings
    seldom go over lines, and one that does is refused by what stands beside it."""
    start, end, language = inside.start, inside.end, inside.language
    line_start = max(start, text.rfind("\n", start, match.start()) + 1)
    line_end = text.find("\n", match.end(), end)
    line_end = end if line_end < 0 else line_end
    quote, opened = _open_quote(text, line_start, match.start())
    if not quote:
        return CodePlace(language)
    closing = text.find(quote, match.end(), line_end)
    around = text[opened + 1 : match.start()] + text[match.end() : max(closing, match.end())]
    whole = closing >= 0 and not re.search(r"[\s'\"`$\\;|&<>()]", around)
    return CodePlace(language, quote, whole)


def _open_quote(text: str, start: int, end: int) -> tuple[str, int]:
    quote, opened = "", start
    position = start
    while position < end:
        character = text[position]
        if character == "\\" and quote != "'":
            position += 1
        elif quote:
            if character == quote:
                quote = ""
        elif character in "'\"`":
            quote, opened = character, position
        position += 1
    return quote, opened


class CodeRange(NamedTuple):
    """Code in a text: where it is, without and with what marks it as code."""

    start: int
    end: int
    language: str
    outer_start: int
    outer_end: int
    fenced: bool = False


def code_ranges(text: str) -> list[CodeRange]:
    """The code in fenced blocks and code spans of a text, in its order."""
    ranges: list[CodeRange] = []
    position = 0
    fences = iter(_FENCE.finditer(text))
    for opening in fences:
        closing = next(
            (each for each in fences if each[1].startswith(opening[1]) and not each[2]), None
        )
        ranges += _spans(text, position, opening.start())
        end = closing.start() if closing else len(text)
        position = closing.end() if closing else end
        language = opening[2] or "sh"
        ranges.append(
            CodeRange(opening.end(), end, language, opening.start(), position, fenced=True)
        )
    return ranges + list(_spans(text, position, len(text)))


def _spans(text: str, start: int, end: int) -> Iterator[CodeRange]:
    ticks = list(_TICKS.finditer(text, start, end))
    by_length: dict[int, list[int]] = {}
    for index, each in enumerate(ticks):
        by_length.setdefault(len(each[0]), []).append(index)
    later = {length: iter(indexes) for length, indexes in by_length.items()}
    index = 0
    while index < len(ticks):
        opening = ticks[index]
        closing = next((each for each in later[len(opening[0])] if each > index), None)
        if closing is None:
            index += 1
            continue
        begin, stop = opening.end(), ticks[closing].start()
        language = language_of_span(text[begin:stop])
        yield CodeRange(begin, stop, language, opening.start(), ticks[closing].end())
        index = closing + 1


def language_of_span(code: str) -> str:
    """The language of a code span, by its beginning; "" where it may be anything."""
    code = code.strip()
    if _SQL_SPAN.match(code):
        return "sql"
    if _POWERSHELL_SPAN.match(code):
        return "powershell"
    return "sh" if _COMMAND_SPAN.match(code) else ""
