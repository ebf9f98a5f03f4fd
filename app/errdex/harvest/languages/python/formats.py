"""Python's two format languages, `%` and `str.format`, split into text and slots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from string import Formatter

from errdex import lazy_re as re
from errdex.harvest.model import Fixed, Part, SourceHole

_PERCENT = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[-+ #0]*)(?P<width>\*|\d*)"
    r"(?:\.(?P<precision>\*|\d*))?[hlL]?(?P<verb>[diouxXeEfFgGcrsa%])"
)
_FIELD = re.compile(r"(?P<first>[^.\[]*)(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a format: the value with this number or name, seen through `access`."""

    key: int | str
    access: str = ""
    """Attributes and items: `.name`, `[0]`."""
    conversion: str = ""
    digits: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether a text comes through as it is."""
        return not (self.access or self.conversion or self.digits)

    def as_hole(self) -> SourceHole:
        """The slot of a format whose values are not known."""
        name = self.key + self.access if isinstance(self.key, str) and self.key else ""
        return SourceHole(name, self.conversion, self.digits)


Template = list[Fixed | Slot]
Parser = Callable[[str], Template]


class NotAFormat(Exception):
    """The text is no format of this kind."""


def parse_percent(text: str) -> Template:
    """Split the left side of `%`. Raises NotAFormat."""
    template: Template = []
    position = number = 0
    while (start := text.find("%", position)) >= 0:
        verb = _PERCENT.match(text, start)
        if verb is None:
            raise NotAFormat
        template.append(Fixed(text[position:start]))
        position = verb.end()
        if verb["verb"] == "%":
            template.append(Fixed("%"))
            continue
        number += [verb["width"], verb["precision"]].count("*")
        key: int | str = number if verb["key"] is None else verb["key"]
        template.append(_percent_slot(verb, key))
        number += verb["key"] is None
    template.append(Fixed(text[position:]))
    return template


def _percent_slot(verb: re.Match[str], key: int | str) -> Slot:
    kind, width, precision = verb["verb"], verb["width"], verb["precision"]
    digits = kind in "diu" and precision is None and (not width or "0" in verb["flags"])
    size = ("" if width == "*" else width) + (f".{precision}" if precision else "")
    if kind in "ra":
        return Slot(key, conversion=f"!{kind}" + (f":{size}" if size else ""))
    spec = size + ("" if kind in "sdiu" else kind)
    return Slot(key, conversion=f":{spec}" if spec and not digits else "", digits=digits)


def parse_format(text: str) -> Template:
    """Split what `.format` is called on. Raises NotAFormat."""
    template: Template = []
    automatic = 0
    try:
        for literal, field, spec, conversion in Formatter().parse(text):
            if literal:
                template.append(Fixed(literal))
            if field is None:
                continue
            found = _FIELD.fullmatch(field)
            first, rest = (found["first"], found["rest"]) if found else (field, "")
            key: int | str = int(first) if first.isdecimal() else first
            if not first:
                key, automatic = automatic, automatic + 1
            template.append(Slot(key, rest, *spec_parts(conversion, spec or "")))
    except ValueError as error:
        raise NotAFormat from error
    return template


_PERCENT_FIELD = re.compile(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[sdrifxX]\b")
_BRACE_FIELD = re.compile(r"\{(?:[A-Za-z_][\w.\[\]]*|\d{1,2})?(?:![rsa])?(?::[^{}]*)?\}")
_NAMED_FIELD = re.compile(r"%\(\w+\)[sdrif]")


def with_fields(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts of a text that is kept to be filled in later, its fields made holes."""
    return _with_holes(parts, _parser_for)


def with_named_fields(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The same for fields like `%(name)s` alone, which no text has by chance."""
    return _with_holes(parts, lambda text: parse_percent if _NAMED_FIELD.search(text) else None)


def _parser_for(text: str) -> Parser | None:
    if _PERCENT_FIELD.search(text):
        return parse_percent
    return parse_format if _BRACE_FIELD.search(text) else None


def _with_holes(parts: Iterable[Part], choose: Callable[[str], Parser | None]) -> tuple[Part, ...]:
    found: list[Part] = []
    for part in parts:
        parse = choose(part.text) if isinstance(part, Fixed) else None
        try:
            pieces: Sequence[Part | Slot] = (
                parse(part.text) if parse and isinstance(part, Fixed) else [part]
            )
        except NotAFormat:
            pieces = [part]
        found += [piece.as_hole() if isinstance(piece, Slot) else piece for piece in pieces]
    return tuple(found)


def spec_parts(conversion: str | None, spec: str) -> tuple[str, bool]:
    """The conversion of a hole and whether it holds digits only."""
    written = (f"!{conversion}" if conversion and conversion != "s" else "") + (
        f":{spec}" if spec else ""
    )
    return ("", True) if written == ":d" else (written, False)
