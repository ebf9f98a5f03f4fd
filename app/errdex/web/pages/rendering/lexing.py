"""Pygments, in a process of its own and for a bounded time.

Which of its lexers reads a piece of code, and the code, are a record's to say. The lexers are
regular expressions that backtrack: of code that was written for that, 30,000 characters took one
of them 45 s, and nobody has proved of hundreds of them that none takes longer. So code is read by
a companion, whose time of the processor is measured: a page has SECONDS of it for all of its
code, which is some fifty times what the longest of them need. What is not read by then is plain
text. As time of the processor is counted, a page comes out the same on a busy machine.
"""

from __future__ import annotations

import atexit
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from types import FrameType

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import (
    Comment,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    String,
    _TokenType,
)
from pygments.util import ClassNotFound

from errdex.workers.companion import Companion, CompanionEnded, CompanionTimeout

Run = tuple[str, str]
"""A class ("" for none) and a piece of text without line breaks."""
Line = list[Run]

_CLASSES: Sequence[tuple[_TokenType, str]] = (
    (Comment.Preproc, "k"),
    (Comment.PreprocFile, "s"),
    (Comment, "c"),
    (Keyword.Constant, "n"),
    (Keyword.Type, "t"),
    (Keyword, "k"),
    (String.Doc, "c"),
    (String.Interpol, "i"),
    (String.Escape, "i"),
    (String, "s"),
    (Number, "n"),
    (Literal, "n"),
    (Operator.Word, "k"),
    (Name.Function, "f"),
    (Name.Class, "t"),
    (Name.Exception, "t"),
    (Name.Decorator, "d"),
    (Name.Tag, "k"),
    (Name.Attribute, "d"),
    (Name.Builtin, "b"),
    (Name.Constant, "n"),
)

SECONDS = 2.0
"""Of the processor, for all of the code of a page."""
_PATIENCE = 30.0
"""Seconds of the clock beyond that, after which the process is ended: it has to start as well,
and there are passes that do not hear of the end of their time."""


@dataclass(slots=True)
class _Budget:
    seconds: float = field(default_factory=lambda: SECONDS)


_budget: ContextVar[_Budget | None] = ContextVar("lexing_budget", default=None)


@contextmanager
def page_time() -> Iterator[None]:
    """What is read within shares SECONDS. Decorates what makes a page, too."""
    token = _budget.set(_Budget())
    try:
        yield
    finally:
        _budget.reset(token)


def lex(code: str, names: tuple[str, ...]) -> list[Line] | None:
    """The lines of some code as the first of these lexers of Pygments that there is sees them;
    their texts, joined, are the code. None when there is none, or no time left."""
    budget = _budget.get() or _Budget()
    if budget.seconds <= 0:
        return None
    lines, spent = _reader.read(code, names, budget.seconds)
    budget.seconds -= spent
    return lines


def make_ready() -> None:
    """Start the process ahead of the first page."""
    lex("", ("text",))


class _Reader:
    """The companion that reads code, started when it is first needed. One reads at a time, as
    one page is made at a time."""

    def __init__(self) -> None:
        self._companion: Companion | None = None
        self._lock = Lock()

    def read(
        self, code: str, names: tuple[str, ...], seconds: float
    ) -> tuple[list[Line] | None, float]:
        with self._lock:
            try:
                if self._companion is None or not self._companion.is_alive:
                    self.close()
                    self._companion = Companion()
                return self._companion.call(
                    lex_there, code, names, seconds, seconds=seconds + _PATIENCE
                )
            except (CompanionEnded, CompanionTimeout, OSError):
                self.close()
                return None, seconds

    def close(self) -> None:
        if self._companion is not None:
            self._companion.close()
            self._companion = None


_reader = _Reader()


atexit.register(_reader.close)


class _OutOfTime(BaseException):
    """The time of the processor is over. Not an Exception: Pygments takes each of those for a
    broken lexer where it compiles one's patterns."""


def _stop(_: int, __: FrameType | None) -> None:
    raise _OutOfTime


def lex_there(code: str, names: tuple[str, ...], seconds: float) -> tuple[list[Line] | None, float]:
    """In the companion: the lines, and the seconds that they took. Python's regular expressions
    look for signals while they search."""
    begun = time.process_time()
    timed = hasattr(signal, "setitimer")
    try:
        if timed:
            signal.signal(signal.SIGVTALRM, _stop)
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            lines = _tokenise(code, names)
        finally:
            if timed:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _OutOfTime:
        return None, seconds
    return lines, time.process_time() - begun


def _tokenise(code: str, names: tuple[str, ...]) -> list[Line] | None:
    lexer = _find_lexer(names)
    if lexer is None:
        return None
    lines: list[Line] = [[]]
    for _, token, text in lexer.get_tokens_unprocessed(code):
        kind = _class_of(token)
        for number, piece in enumerate(text.split("\n")):
            if number:
                lines.append([])
            if piece:
                _append(lines[-1], kind, piece)
    # A lexer of what a console shows loses a last line that does not end.
    whole = "\n".join("".join(text for _, text in line) for line in lines) == code
    return lines if whole else None


@lru_cache(maxsize=128)
def _find_lexer(names: tuple[str, ...]) -> Lexer | None:
    for each in names:
        with suppress(ClassNotFound):
            return get_lexer_by_name(each)
    return None


@lru_cache(maxsize=512)
def _class_of(token: _TokenType) -> str:
    return next((kind for group, kind in _CLASSES if token in group), "")


def _append(line: Line, kind: str, text: str) -> None:
    """Join neighbours of one kind; space needs no kind of its own."""
    if line and (line[-1][0] == kind or text.isspace()):
        line[-1] = (line[-1][0], line[-1][1] + text)
    else:
        line.append((kind, text))
