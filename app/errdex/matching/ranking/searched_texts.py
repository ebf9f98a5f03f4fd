"""Which texts of a paste are matched against patterns, and what a match in one is a match of.

Two lots: the texts of events (an event's whole message, the line it begins on with the class,
what unescaping or joining wrapped lines makes of it), and quiet lines, which no parser took for
an error. In a quiet line only patterns with telling text are looked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from errdex import lazy_re as re
from errdex.matching.events import Found, Units, is_symptom, marks_end
from errdex.matching.model import Event, Piece, Role
from errdex.matching.patterns.pattern import PatternMatch
from errdex.matching.ranking.answer import PastePlace
from errdex.matching.ranking.evidence import Fit
from errdex.matching.reading import Paste
from errdex.matching.reading.headers import is_header

_DECORATION_BEFORE = re.compile(
    r"(?:\s*(?:\([\w.:]{1,120}\)|\[[^\]\n]{1,80}\]|\*{3}|[Ww]arning:|[Nn]ote:|remote:"
    r"|SQLSTATE\[\w{5}\](?: \[\d{1,5}\]|:(?: [A-Za-z ]{3,60}:)?(?: \d{1,5})?)|\(\d{4,5}, [\"']"
    r"|(?:[\w.$]+(?:Error|Exception)|(?:\w+\.)+[A-Z]\w*|(?:runtime )?[Ee]rror|ERROR"
    r"|FATAL|PANIC|fatal|panic):))*\s*"
)
"""Around the text of the raise site: "(sqlite3.IntegrityError) …", "[Errno 2] …", "error: …",
"SQLSTATE[23000]: Integrity constraint violation: 1048 …", "(1060, \"…"."""
_DECORATION_BEHIND = re.compile(
    r"[\s.!;,:\"')\]]*(?:\n\[(?:SQL|parameters)|\n?\(Background on this error|\n\s*\^|\n\s*at |$)"
)
_CLAUSE_BEGINS = re.compile(r"(?:[:>=(\[{|;,] ?|[.!?] |--? |[\"'`‘“]|\A\s*|\n\s*|\s{2})\Z")
_CLAUSE_ENDS = re.compile(r"\s*(?:[:;,.)\]}|!?\"'`’”(\[{]|-- |$)", re.MULTILINE)
_STACK_ENTRY = re.compile(
    r"\s*(?:at (?:async )?(?:[\w.$/@<>~-]+\(|[\w.$<> \[\]]{1,200} \(\S+:\d+|\S+:\d+:\d+\)?$"
    r"|[\w.`<>+\[\], ]{1,300}\(.{0,300}\) in )|File \"[^\"\n]*\", line \d)"
)
_TRACED = re.compile(r"\s*\+{1,9} (?:command )?(?:echo|printf|logger|log|die|fail|warn|err)\b")
_REPORTED = re.compile(
    r"\b(?:sa(?:ys?|id)|shows?|prints?|reports?|got|gets?|gives?|throws?"
    r"|(?:fails?|stops?|ends?) with"
    r"|errors?|messages?|see|complain\w*)[,:]? [\"'`]\Z"
)
"""Words with which a person quotes what a program said."""
_LEVEL_WORDS = (
    "error: ", "fatal: ", "ERROR: ", "Error: ", "E: ", "fatal error: ", "panic: ", "remote: ",
)  # fmt: skip
"""What tools print before a message, and people leave out when they copy it."""
_FEW = 20
"""Lines of a paste in which a message may have lost its level word."""
_LOOK = 40
_NO_WORD = re.compile(r"(?:\\[ntr]|\[[\d;]*m)\Z")
_NAME = 3
"""Characters that are no name of a class yet."""
_NEARLY_ALL = 0.9
_PREFIX = 400
"""Characters of a prefix at most."""
_NORMAL = re.compile(r"\s*(?:\S+\s+)?Normal\s+[A-Z]\w+\s")
"""An event of Kubernetes that is no warning."""
CALM = frozenset({"trace", "debug", "info", "notice"})
"""Levels of log lines that report no error."""


class PlacedText(NamedTuple):
    """A text to look for patterns in. `pieces`: where its parts stand in the paste. `start`:
    where the message itself begins in it. `joined`: made of lines that a width may
    have broken."""

    text: str
    pieces: tuple[Piece, ...]
    start: int = 0
    joined: bool = False
    raw: bool = False
    """With what was taken for a prefix."""
    level: int = 0
    """Characters of a level word that was put in front of a line without one."""

    @property
    def line(self) -> PlacedText:
        """The line itself, without such a word."""
        if not self.level:
            return self
        return PlacedText(self.text[self.level :], (self.pieces[-1]._replace(start=0),))


def event_texts(found: Found, units: Units) -> list[tuple[int, PlacedText]]:
    """The texts of events with the events' indexes, of each the one that says most first."""
    texts: list[tuple[int, PlacedText]] = []
    for index, event in enumerate(found.events):
        if not event.pieces:
            continue
        first = event.pieces[0]
        line = units.paste.texts[first.line]
        if event.message:
            texts.append((index, PlacedText(event.message, event.pieces)))
            texts += ((index, text) for text in _with_names(event, line))
        if line != event.message:
            start = min(first.column, len(line))
            texts.append((index, PlacedText(line, (Piece(0, first.line, 0),), start)))
        raw = undecorated(units.paste, first.line)
        if raw:
            start = first.column - raw.pieces[0].column
            texts.append((index, PlacedText(raw.text, raw.pieces, start, raw=True)))
    for extra in units.extras:
        if extra.kind == "message":
            continue
        owner = _event_at(units, extra.pieces) if extra.event is None else extra.event
        if owner is not None:
            start = _message_start(found, owner, extra.text) if extra.event is None else 0
            joined = extra.event is None and extra.kind == "wrapped"
            texts.append((owner, PlacedText(extra.text, extra.pieces, start, joined)))
    return texts


def _with_names(event: Event, line: str) -> Iterator[PlacedText]:
    """The message behind the code and behind the class, where the paste shows these elsewhere:
    patterns are written for the form in which a tool prints them (`TS1005: …`)."""
    for name in (event.code, event.error_class):
        if name and f"{name}:" not in line:
            prefix = f"{name}: "
            first, *others = event.pieces
            moved = [Piece(piece.start + len(prefix), *piece[1:]) for piece in others]
            pieces = (first, Piece(len(prefix), *first[1:]), *moved)
            yield PlacedText(prefix + event.message, pieces, len(prefix))


class QuietTexts:
    """Lines and other texts of no event; a long log has little else, so that only those in
    which something is found are made into objects. Lines whose header may have ended earlier
    are there with and without its end."""

    def __init__(self, units: Units) -> None:
        owned = units.event_lines
        self._lines = [
            line for line, text in enumerate(units.paste.texts) if text and line not in owned
        ]
        texts = units.texts
        self._others: list[PlacedText] = []
        doubted = (line for line in units.paste.doubts if line not in owned and texts[line])
        whole = (_with_doubt(units.paste, line) for line in doubted)
        self._others += [text for text in whole if text is not None]
        if len(units.paste) <= _FEW:
            self._others += [
                PlacedText(
                    word + texts[line],
                    (Piece(0, line, 0), Piece(len(word), line, 0)),
                    level=len(word),
                )
                for line in self._lines
                for word in _LEVEL_WORDS
                if texts[line] and not units.paste.kinds[line] and not texts[line][0].isspace()
            ]
        self._others += [
            PlacedText(extra.text, extra.pieces, joined=extra.kind == "wrapped")
            for extra in units.extras
            if extra.event is None and _event_at(units, extra.pieces) is None
        ]
        self.texts = [texts[line] for line in self._lines]
        self.texts += [text.text for text in self._others]

    def at(self, index: int) -> PlacedText:
        """The text at an index of `texts`, with its place."""
        if index < len(self._lines):
            return PlacedText(self.texts[index], (Piece(0, self._lines[index], 0),))
        return self._others[index - len(self._lines)]


def undecorated(paste: Paste, line: int) -> PlacedText | None:
    """A line with the prefix that reading took off, when it did: what looks like one may be a
    part of the message."""
    if not paste.kinds[line]:
        return None
    if line in paste.runs or line in paste.field_texts or line in paste.flat:
        whole, offset = paste.text, paste.locate(line).offset
    else:
        whole, offset = paste.stripped, paste.offsets[line]
    start = whole.rfind("\n", max(0, offset - _PREFIX), offset) + 1
    if not start and offset > _PREFIX:
        return None
    prefix = whole[start:offset]
    if not prefix or "\x1b" in prefix or "\r" in prefix:
        return None
    return PlacedText(prefix + paste.texts[line], (Piece(0, line, -len(prefix)),), len(prefix))


def _with_doubt(paste: Paste, line: int) -> PlacedText | None:
    """A line with the end of its header that may belong to the message."""
    whole = undecorated(paste, line)
    doubt = paste.doubts[line]
    if whole is None or doubt > whole.start:
        return None
    cut = whole.start - doubt
    return PlacedText(whole.text[cut:], (Piece(0, line, -doubt),), raw=True)


def fit_in(text: str, start: int, place: PatternMatch, fixed: int) -> Fit:
    """How a match lies in a message that begins at `start` of a text. `fixed`: characters that
    the pattern spells out, white space not counted."""
    span = place.span
    message_end = len(text.rstrip())
    inside_word = text[max(0, span[0] - 1) : span[0] + 1].isidentifier() and span[0] > 0
    cuts_word = span[1] < message_end and text[span[1] - 1 : span[1] + 1].isidentifier()
    before = not inside_word and (
        span[0] <= start
        or _covers(_DECORATION_BEFORE, text, start, span[0])
        or is_header(text, start, span[0])
    )
    behind = span[1] >= message_end or _DECORATION_BEHIND.match(text, span[1]) is not None
    line_start = max(min(start, span[0]), text.rfind("\n", 0, span[0]) + 1)
    line_end = text.find("\n", span[1])
    line_end = message_end if line_end < 0 else line_end
    begins = before or _covers(_DECORATION_BEFORE, text, line_start, span[0])
    ends = behind or not text[span[1] : line_end].strip(" \t.!;,")
    length = max(1, line_end - line_start)
    share = min(1.0, (span[1] - span[0]) / length)
    return Fit(
        whole=before and behind,
        line=(begins and ends) or share >= _NEARLY_ALL,
        clause=(begins or _begins_clause(text, span[0])) and (ends or _ends_clause(text, span[1])),
        begins=begins,
        torn=inside_word and _is_torn(text, span[0]),
        names_class=not (inside_word or cuts_word) and _spells(text, place, start),
        over_class=not inside_word and _takes_name(text, span[0], start),
        last=span[1] >= message_end and text[start : span[0]].endswith(": "),
        share=share,
        fixed=min(1.0, fixed / length),
    )


def _is_torn(text: str, start: int) -> bool:
    """Whether a place is within a word of ASCII letters; what is left of an escaped line break
    (`\\nError`) or of a colour (`[31mError`) is no word."""
    before = text[max(0, start - _LOOK) : start]
    return before[-1:].isascii() and _NO_WORD.search(before) is None


def _spells(text: str, place: PatternMatch, end: int) -> bool:
    """Whether the pattern itself spells out the name that ends before `end`."""
    last = len(text[:end].rstrip(" :"))
    first = max((stop for _, stop in filter(None, place.groups) if stop <= last), default=0)
    in_hole = any(start < last <= stop for start, stop in filter(None, place.groups))
    return not in_hole and last - max(first, place.span[0]) > _NAME


def _takes_name(text: str, begin: int, end: int) -> bool:
    """Whether a match that begins there takes the name that ends before `end`."""
    last = len(text[:end].rstrip(" :"))
    return begin < last and not text[begin - 1 : begin].strip()


def _begins_clause(text: str, start: int) -> bool:
    if text[start : start + 1] in ("(", "[", "{", "<"):
        return True
    return _CLAUSE_BEGINS.search(text[max(0, start - _LOOK) : start]) is not None


def _ends_clause(text: str, end: int) -> bool:
    """Whether a clause ends there: before a sign, or behind one that the match took."""
    if text[end - 1 : end] in (".", "!", "?", ";") and text[end : end + 1].isspace():
        return True
    return _CLAUSE_ENDS.match(text, end) is not None


def is_quoted(text: str, span: tuple[int, int]) -> bool:
    """Whether a match stands in quotes, as a message does in source or prose. A match that
    reaches over the closing quote takes it as its own text, unless that ends its line."""
    quote = text[: span[0]].rstrip()[-1:]
    if not quote or quote not in "\"'`":
        return False
    inside, *others = text[span[0] : span[1]].split("\n")
    if others:
        return quote in inside
    return quote not in inside[:-1] and quote in text[span[1] - 1 : span[1] + 2]


def is_reported(text: str, span: tuple[int, int]) -> bool:
    """Whether a sentence quotes a match, as people write what a program said."""
    return _REPORTED.search(text[max(0, span[0] - _LOOK) : span[0]]) is not None


def is_traced(text: str) -> bool:
    """Whether a line is a shell's trace (`set -x`) of a command that says something."""
    return _TRACED.match(text) is not None


def is_stack_entry(text: str) -> bool:
    """Whether a line names a place in a stack, where names of functions say nothing."""
    return _STACK_ENTRY.match(text) is not None


def place_in(paste: Paste, pieces: Sequence[Piece], span: tuple[int, int]) -> PastePlace:
    """Where a span of a text stands in the paste."""
    start, end = span
    first = _locate(paste, pieces, start)
    last = _locate(paste, pieces, max(start, end - 1))
    return PastePlace(first[0], first[1], last[0], last[1] + (1 if end > start else 0))


def quiet_event(paste: Paste, text: PlacedText) -> Event:
    """A quiet text as an event of its own."""
    line = text.pieces[0].line
    begin = marks_end(text.text) if len(text.pieces) == 1 else 0
    pieces = text.pieces
    if begin:
        pieces = (Piece(0, line, pieces[0].column + begin),)
    place = place_in(paste, pieces, (0, len(text.text) - begin))
    return Event(
        language="",
        error_class=None,
        message=text.text[begin:],
        first_line=place.line,
        last_line=place.end_line,
        message_line=place.line,
        message_offset=place.start,
        writer=paste.writers.get(line, ""),
        severity="warning" if paste.level(line) == "warning" else "error",
        role=Role.SYMPTOM if is_symptom(None, text.text[begin:]) else Role.ALONE,
        handled=paste.level(line) in CALM or _NORMAL.match(text.text) is not None,
        pieces=pieces,
    )


def _covers(regex: re.Pattern[str], text: str, start: int, end: int) -> bool:
    found = regex.match(text, start)
    return found is not None and found.end() >= end


def _event_at(units: Units, pieces: Sequence[Piece]) -> int | None:
    for piece in pieces[:50]:
        event = units.event_of(piece.line) if piece.line < units.lines else None
        if event is not None:
            return event
    return None


def _message_start(found: Found, event: int, text: str) -> int:
    """Where an event's message begins in another form of its lines."""
    head = found.events[event].message[:20]
    return max(0, text.find(head)) if head else 0


def _locate(paste: Paste, pieces: Sequence[Piece], offset: int) -> tuple[int, int]:
    at = bisect_right(pieces, offset, key=lambda item: item.start) if len(pieces) > 1 else 1
    piece = pieces[max(0, at - 1)]
    return paste.locate(piece.line, piece.column + offset - piece.start)
