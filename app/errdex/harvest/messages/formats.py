"""The format languages of the C family, Go, Java, .NET, Rust and their loggers, with their
arguments put in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from errdex import lazy_re as re
from errdex.harvest.messages.wording import MAX_WORDINGS, Wording, combined
from errdex.harvest.model import Fixed, Part
from errdex.harvest.model import SourceHole as _Hole

Arguments = Sequence[list[Wording]]
"""What each argument reads like."""

_PRINTF = re.compile(
    r"%(?:(?P<number>\d+)\$|\[(?P<index>\d+)\]|\((?P<key>\w+)\)|<(?P<field>[^<>]*)>)?"
    r"(?P<flags>[-+ #0,']*)(?P<width>\*|\d+)?"
    r"(?:\.(?P<precision>\*|-?\d*))?(?:hh|h|ll|l|L|q(?=[dioxXu])|j|z|t|I64|I32|I)?(?P<verb>[A-Za-z%@])"
)
_MARK = "\ufdd0"
"""Stands for a hole of the format; no source may hold it."""
_WHOLE = frozenset("diu")
_TEXTS = frozenset("sSv@w")
_BRACES = re.compile(r"\{\{|\}\}|\{(?P<key>[^{}:,!]*)(?P<rest>[,:!][^{}]*(?:\{[^{}]*\}[^{}]*)*)?\}")


def printf(
    text: str, arguments: Arguments | None, *, java: bool = False, go: bool = False
) -> list[Wording]:
    """A text with `%s` and the like. Without arguments (None) the holes have no names. Java's
    `%n` ends a line; Go's `%q` puts quotes around its value."""
    ways: list[list[Wording]] = []
    position = used = 0
    for verb in _PRINTF.finditer(text):
        ways.append(_fixed(text[position : verb.start()]))
        position = verb.end()
        letter = verb["verb"]
        if letter == "%":
            ways.append(_fixed("%"))
            continue
        if java and letter == "n":
            ways.append(_fixed("\n"))
            continue
        used += [verb["width"], verb["precision"]].count("*")
        number = verb["number"] or verb["index"]
        at = int(number) - 1 if number else used
        used = used + 1 if number is None else (at + 1 if verb["index"] else used)
        whole = letter in _WHOLE and verb["precision"] is None and "," not in verb["flags"]
        padded = bool(verb["width"]) and "0" not in verb["flags"]
        name = verb["key"] or verb["field"]
        given = [Wording((_Hole(name),))] if name else _argument(arguments, at)
        plain = letter in _TEXTS and not verb["width"] and verb["precision"] is None
        if go and letter == "q":
            plain = "#" not in verb["flags"]
            given = combined([_fixed('"'), given, _fixed('"')]) if plain else given
        ways.append(given if plain else _as_holes(given, digits=whole and not padded))
    ways.append(_fixed(text[position:]))
    return combined(ways)


def listed(way: Wording) -> Wording:
    """A printf format as it is listed, with holes for its values."""
    text = "".join(part.text for part in way.parts if isinstance(part, Fixed))
    return formatted([way], printf, None)[0] if has_verbs(text) or "%%" in text else way


def formatted(
    formats: Sequence[Wording],
    fill: Callable[[str, Arguments | None], list[Wording]],
    arguments: Arguments | None,
) -> list[Wording]:
    """What each way in which a format reads gives when it is filled. Holes that the format
    itself has stay what they are."""
    ways: list[Wording] = []
    for way in formats:
        holes = [part for part in way.parts if isinstance(part, _Hole)]
        text = "".join(part.text if isinstance(part, Fixed) else _MARK for part in way.parts)
        for filled in fill(text, arguments):
            rest = iter(holes)
            parts: list[Part] = []
            for part in filled.parts:
                if isinstance(part, Fixed) and _MARK in part.text:
                    pieces = part.text.split(_MARK)
                    parts.append(Fixed(pieces[0]))
                    for piece in pieces[1:]:
                        parts += [next(rest, _Hole("")), Fixed(piece)]
                else:
                    parts.append(part)
            ways.append(Wording(tuple(parts), (*way.when, *filled.when)))
    return ways[:MAX_WORDINGS]


def braces(
    text: str,
    arguments: Arguments | None,
    names: Mapping[str, list[Wording]] | None = None,
) -> list[Wording]:
    """A text with `{}` or `{0}` and, where `names` is given, `{name}` for what it holds or,
    failing that, for an expression. `{{` and `}}` print one brace."""
    ways: list[list[Wording]] = []
    position = used = 0
    for field in _BRACES.finditer(text):
        key, rest = (field["key"] or "").strip(), field["rest"] or ""
        if field.group() in {"{{", "}}"}:
            ways.append(_fixed(text[position : field.start()] + field.group()[0]))
            position = field.end()
            continue
        if key and not key.isdecimal() and names is None:
            continue
        ways.append(_fixed(text[position : field.start()]))
        position = field.end()
        if key and not key.isdecimal():
            given = (names or {}).get(key) or [Wording((_Hole(key),))]
        else:
            given = _argument(arguments, int(key) if key else used)
            used += not key
        ways.append(_as_holes(given) if rest else given)
    ways.append(_fixed(text[position:]))
    return combined(ways)


def slots(text: str, arguments: Arguments | None) -> list[Wording]:
    """A text of SLF4J and its kin, where each `{}` is one argument and nothing else is."""
    pieces = text.split("{}")
    ways: list[list[Wording]] = [_fixed(pieces[0])]
    for at, piece in enumerate(pieces[1:]):
        ways += [_argument(arguments, at), _fixed(piece)]
    return combined(ways)


def has_verbs(text: str) -> bool:
    """Whether a text has places of the printf kind."""
    return any(found["verb"] != "%" for found in _PRINTF.finditer(text))


def count_verbs(text: str) -> int:
    """How many values a text of the printf kind has places for."""
    return sum(
        1 + [found["width"], found["precision"]].count("*")
        for found in _PRINTF.finditer(text)
        if found["verb"] != "%"
    )


def _fixed(text: str) -> list[Wording]:
    return [Wording((Fixed(text),) if text else ())]


def _argument(arguments: Arguments | None, at: int) -> list[Wording]:
    if arguments is None or not 0 <= at < len(arguments):
        return [Wording((_Hole(""),))]
    return list(arguments[at])


def _as_holes(given: list[Wording], *, digits: bool = False) -> list[Wording]:
    """An argument that is not printed as it is."""
    if len(given) == 1 and len(given[0].parts) == 1:
        part: Part = given[0].parts[0]
        if isinstance(part, _Hole):
            return [Wording((_Hole(part.expression, digits=digits),))]
        if digits and isinstance(part, Fixed) and part.text.isdecimal():
            return given
    return [Wording((_Hole("", digits=digits),))]
