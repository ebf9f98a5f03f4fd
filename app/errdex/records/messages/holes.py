"""The holes of an error message: the places that a program fills in.

    FORMAT     `{}` `{0}` `{name}` `{expr!r:>10}`   Python, Rust, {fmt}, loggers
    TEMPLATE   `${expr}`                            JavaScript and its kin
    PERCENT    `%s` `%5.2f` `%(name)s` `%+v` `%1$s`  Python, C, Go, Java, PHP
    WILDCARD   `<*>`                                log templates

`{{`, `}}` and `%%` print one character where the message is a format, and two
where it is not; the derived pattern takes both. What is a hole and what is prose
is decided in `expressions` for braces and in `_percent_hole` for `%`. The rule
for doubt is the same: a hole, because a hole also matches the literal text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from errdex import lazy_re as re
from errdex.records.messages.hole_expressions import find_braced, parse_field


class Syntax(StrEnum):
    """How a hole is written."""

    FORMAT = "format"
    TEMPLATE = "template"
    PERCENT = "percent"
    WILDCARD = "wildcard"


ALL_SYNTAXES = frozenset(Syntax)


@dataclass(frozen=True, slots=True)
class LiteralText:
    """Text that is printed as it stands. `source` is how the message writes it: other
    than `text` only for a doubled `{{`, `}}` or `%%`."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Hole:
    """A place that is filled in. `name` is the expression or name in it, None when it
    has none (`%s`, `{}`, `<*>`). `lead` is printed before the value: `x=` for `{x=}`.
    `digits` is true when only a whole number can stand there."""

    name: str | None
    source: str
    syntax: Syntax
    lead: str = ""
    digits: bool = False


Part = LiteralText | Hole

MAX_PROSE_BRACES = 200
"""After so many braces that are not holes, a message is taken to have none at all
behind them: it quotes data, and looking at each would take a hostile one too long."""

_MARK = re.compile(r"\{\{|\}\}|\$\{|\{|%|<\*>")
_VERB = re.compile(
    r"%(?:\((?P<name>[^()\n]{1,100})\))?(?:\d{1,2}\$)?(?:\[\d{1,2}\])?"
    r"(?P<flags>[-+#0]*)(?P<width>\d{1,3}|\*)?(?P<precision>\.(?:\d{1,3}|\*)?)?"
    r"(?:hh|h|ll|l|L|q|j|z|t)?(?P<verb>[diouxXeEfFgGcrsapvTtbqUwO])"
)
_URL_ESCAPE = re.compile(r"%[0-9][A-F]")
_DATE_CODE = r"%[-#]?[aAbBcdDfFGHIjmMpSTuUVwWxXyYzZ]"
_DATE_FORMAT = re.compile(rf"{_DATE_CODE}(?:\W{{0,3}}?{_DATE_CODE})+")
_DATE_ONLY = re.compile(r"%[-#]?[BHIMSYZjmy]")


def parse_message(message: str, syntaxes: Collection[Syntax] = ALL_SYNTAXES) -> list[Part]:
    """Split a message into text and holes. The parts' sources, joined, are the message."""
    parts = list(_join_text(_scan(message, syntaxes)))
    return _without_stray_indexes(parts)


def literal_text(message: str) -> str:
    """The words of the message; a blank stands where each hole is."""
    return "".join(
        part.text if isinstance(part, LiteralText) else f"{part.lead} "
        for part in parse_message(message)
    )


def hole_names(message: str) -> list[str]:
    """The name of each hole, in the order of the groups of the derived pattern.

    A hole without a name is called `arg1`, `arg2`, … by its place among all holes.
    The same name comes twice when the message prints the same thing twice.
    """
    holes = [part for part in parse_message(message) if isinstance(part, Hole)]
    return [hole.name or f"arg{place}" for place, hole in enumerate(holes, start=1)]


def _scan(message: str, syntaxes: Collection[Syntax]) -> Iterator[Part]:
    position = text_start = 0
    prose_braces = 0
    while mark := _MARK.search(message, position):
        start = mark.start()
        part = _part_at(message, start, mark.group(), syntaxes)
        if part is None:
            position = start + 1
            if mark.group() != "%" and (prose_braces := prose_braces + 1) > MAX_PROSE_BRACES:
                break
            continue
        if start > text_start:
            yield _plain(message[text_start:start])
        yield part
        position = text_start = start + len(part.source)
    if text_start < len(message):
        yield _plain(message[text_start:])


def _part_at(message: str, start: int, mark: str, syntaxes: Collection[Syntax]) -> Part | None:
    if mark == "%":
        return _percent_part(message, start) if Syntax.PERCENT in syntaxes else None
    if mark == "<*>":
        return Hole(None, mark, Syntax.WILDCARD) if Syntax.WILDCARD in syntaxes else None
    if mark == "${":
        return _template_hole(message, start) if Syntax.TEMPLATE in syntaxes else None
    if Syntax.FORMAT not in syntaxes:
        return None
    return _format_hole(message, start) if mark == "{" else LiteralText(mark[0], mark)


def _format_hole(message: str, start: int) -> Hole | None:
    braced = find_braced(message, start)
    if braced is None:
        return None
    field = parse_field(message, start, braced)
    if field is None:
        return None
    source = message[start : braced.end]
    return Hole(_one_line(field.expression), source, Syntax.FORMAT, lead=field.lead)


def _template_hole(message: str, start: int) -> Hole | None:
    braced = find_braced(message, start + 1)
    if braced is None:
        return None
    expression = message[start + 2 : braced.end - 1].strip()
    if not expression:
        return None
    return Hole(_one_line(expression), message[start : braced.end], Syntax.TEMPLATE)


def _percent_part(message: str, start: int) -> Part | None:
    if message.startswith("%%", start):
        return LiteralText("%", "%%")
    dates = _DATE_FORMAT.match(message, start)
    if dates and _DATE_ONLY.search(dates.group()):
        return _plain(dates.group())
    return _percent_hole(message, start)


def _percent_hole(message: str, start: int) -> Hole | None:
    """A conversion, unless it reads as `50% done`, `%TEMP%`, `%2F` or `%E2`."""
    verb = _VERB.match(message, start)
    if verb is None or _URL_ESCAPE.match(message, start):
        return None
    if verb["verb"].isupper() and message[verb.end() : verb.end() + 1].isalnum():
        return None
    padded = verb["width"] is not None and "0" not in verb["flags"]
    digits = verb["verb"] in "diu" and not padded and verb["precision"] is None
    return Hole(verb["name"], verb.group(), Syntax.PERCENT, digits=digits)


def _without_stray_indexes(parts: list[Part]) -> list[Part]:
    """Take `{4}` for text where no `{0}`…`{3}` stand beside it: it is a regex's count."""
    indexes = {index for part in parts if (index := _index(part)) is not None}
    if indexes == set(range(len(indexes))):
        return parts
    return list(_join_text(part if _index(part) is None else _plain(part.source) for part in parts))


def _index(part: Part) -> int | None:
    if isinstance(part, Hole) and part.syntax is Syntax.FORMAT and part.name:
        return int(part.name) if part.name.isdecimal() else None
    return None


def _join_text(parts: Iterator[Part]) -> Iterator[Part]:
    """Make one part of plain text that follows plain text."""
    waiting: list[str] = []
    for part in parts:
        if isinstance(part, LiteralText) and part.text == part.source:
            waiting.append(part.text)
            continue
        if waiting:
            yield _plain("".join(waiting))
            waiting.clear()
        yield part
    if waiting:
        yield _plain("".join(waiting))


def _plain(text: str) -> LiteralText:
    return LiteralText(text, text)


def _one_line(expression: str) -> str | None:
    return " ".join(expression.split()) or None
