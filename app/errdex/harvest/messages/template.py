"""From a message's parts to what the record says: errorMessage, messagePattern, and whether
there is enough fixed text to be worth a record.

The holes go through the same rules as those of curated messages, so that both kinds
of record get the same groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from errdex import lazy_re as re
from errdex.harvest.model import Fixed, Part, SourceHole
from errdex.records.messages import holes
from errdex.records.messages.derived_pattern import pattern_of
from errdex.records.messages.holes import Syntax, parse_message

MAX_LENGTH = 4_000
"""Characters of a message that is recorded. What is longer is a usage text."""
LEAST_WORD = 3
"""Letters of the longest word in a message that has an error class beside it."""
LEAST_LETTERS = 8
"""Letters of a message that has none."""

_MAX_EXPRESSION = 150
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_TROUBLE = re.compile(
    r"\b(?:errors?|fatal|fail(?:ed|s|ure|ures)?|can(?:no|')t|can not|could not|couldn't|unable"
    r"|invalid|illegal|malformed|corrupt(?:ed)?|bad|wrong|missing|not|no such|isn't|doesn't|don't"
    r"|unknown|unexpected|unsupported|unrecogni[sz]ed|undefined|must|required|denied|refused"
    r"|abort(?:ed|ing)?|exceed(?:s|ed)?|too \w+|out of|conflicts?|mismatch|overflow|duplicate"
    r"|timed out|timeout|panic|exception|warning|deprecated|obsolete)\b",
    re.IGNORECASE,
)
_AN_ERROR = re.compile(r"[&*$@]?(?:e|err|ex|exc|error|exception)\b")
_WORD = re.compile(r"[^\W\d_]+")
_WIDE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Message:
    """A message as a record has it."""

    error_message: str
    pattern: str


def render(parts: Sequence[Part]) -> Message:
    """The errorMessage with its holes kept, and the pattern that finds it."""
    split = [_as_record_part(part) for part in normalized(parts)]
    sources = [part.source for part in split]
    if not _reads_back(split):
        sources = [
            _doubled(part) if isinstance(part, holes.LiteralText) else part.source for part in split
        ]
    return Message("".join(sources), pattern_of(split))


def normalized(parts: Iterable[Part]) -> list[Part]:
    """Without colours and blank ends; neighbouring texts joined; what no record may hold (other
    control characters) turned into holes."""
    joined: list[Part] = []
    for part in parts:
        for piece in _printable_pieces(part):
            last = joined[-1] if joined else None
            if isinstance(piece, Fixed) and isinstance(last, Fixed):
                joined[-1] = Fixed(last.text + piece.text)
            elif piece != Fixed("") and not (piece == SourceHole("") and piece == last):
                joined.append(piece)
    return _trimmed(joined)


def fixed_text(parts: Iterable[Part]) -> str:
    """The words that every such message has, a blank where each hole is."""
    return "".join(part.text if isinstance(part, Fixed) else " " for part in parts)


def is_telling(parts: Iterable[Part], error_class: str | None) -> bool:
    """Whether there is enough fixed text to know the message again. Beside an error class a
    word is enough; what is only logged or printed needs two."""
    words: list[str] = _WORD.findall(fixed_text(parts))
    if any(_WIDE.search(word) for word in words):
        return sum(map(len, words)) >= (2 if error_class else 4)
    if error_class:
        return any(len(word) >= LEAST_WORD for word in words)
    return sum(map(len, words)) >= LEAST_LETTERS and len(words) > 1


def tells_trouble(parts: Iterable[Part]) -> bool:
    """Whether what is plainly printed says that something is wrong, or shows an error: programs
    print their progress to standard error as well."""
    parts = list(parts)
    return _TROUBLE.search(fixed_text(parts)) is not None or any(
        isinstance(part, SourceHole) and _AN_ERROR.match(part.expression) for part in parts
    )


def _printable_pieces(part: Part) -> Iterable[Part]:
    if isinstance(part, SourceHole):
        yield part
        return
    text = part.text
    if not text.isprintable():
        text = _ANSI.sub("", text).replace("\r\n", "\n")
        pieces = _UNPRINTABLE.split(text)
        yield Fixed(pieces[0])
        for piece in pieces[1:]:
            yield SourceHole("")
            yield Fixed(piece)
        return
    yield Fixed(text)


def _trimmed(parts: list[Part]) -> list[Part]:
    if parts and isinstance(first := parts[0], Fixed):
        parts[0] = Fixed(first.text.lstrip())
    if parts and isinstance(last := parts[-1], Fixed):
        parts[-1] = Fixed(last.text.rstrip())
    return [part for part in parts if part != Fixed("")]


def _as_record_part(part: Part) -> holes.Part:
    if isinstance(part, Fixed):
        return holes.LiteralText(part.text, part.text)
    name = " ".join(part.expression.split())
    if name and len(name) <= _MAX_EXPRESSION:
        conversion = part.conversion if part.conversion.isprintable() else ""
        for source in (f"{{{name}{conversion}}}", f"{{{name}}}", f"${{{name}}}"):
            found = parse_message(source)
            if len(found) == 1 and isinstance(hole := found[0], holes.Hole) and hole.name == name:
                return holes.Hole(name, source, hole.syntax, digits=part.digits)
    return holes.Hole(None, "{}", Syntax.FORMAT, digits=part.digits)


def _reads_back(parts: Sequence[holes.Part]) -> bool:
    """Whether readers of the message find these holes in it, and no others."""
    found = parse_message("".join(part.source for part in parts))
    return [part.source for part in found if isinstance(part, holes.Hole)] == [
        part.source for part in parts if isinstance(part, holes.Hole)
    ]


def _doubled(text: holes.LiteralText) -> str:
    """As a format writes it, for a text that looks as if it had holes."""
    return text.text.replace("{", "{{").replace("}", "}}").replace("%", "%%")
