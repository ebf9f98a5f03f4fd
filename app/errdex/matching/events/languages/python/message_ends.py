"""Whether a Python error's message surely ends with its first line.

Nothing marks the end of a message, and what stands below may be the next line of the log. But
many messages cannot have more than a line: those of the interpreter, and those that the quoted
`raise` spells out. What follows one in the same traceback are notes (`add_note`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from errdex import lazy_re as re
from errdex.matching.events.draft import Stream

_ONE_LINE_CLASSES = frozenset(
    """
    AttributeError BrokenPipeError ChildProcessError ConnectionAbortedError
    ConnectionRefusedError ConnectionResetError EOFError FileExistsError FileNotFoundError
    IndexError InterruptedError IsADirectoryError KeyboardInterrupt ModuleNotFoundError NameError
    NotADirectoryError OverflowError PermissionError ProcessLookupError RecursionError
    StopIteration UnboundLocalError UnicodeDecodeError UnicodeEncodeError ZeroDivisionError
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""Raised by the interpreter itself, whose messages are a line and end without a full stop."""
_GOES_ON = ".:,;([{\\-"
_KEY = re.compile(r"(?P<quote>['\"]).*(?P=quote)|[\w.+-]+|[(\[].*[)\]]|<.*>")
_SYSTEM = re.compile(r"\[(?:Errno|WinError) -?\d+\] ")
_GROUP = re.compile(r".*\(\d+ sub-exceptions?\)$")
_RAISE = re.compile(r"raise\s")
_MARKS = re.compile(r"\s*[~^]+[~^ ]*$")
_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")
_DIGITS = re.compile(r"\d+")
_PREFIX_LIKE = re.compile(r"[\]|>=\d]|^\[|^[a-z][\w.-]{1,30}:$")
_ABOVE, _BEGINNING, _SOURCE = 10, 80, 2_000


def ends_with_line(name: str, said: str, source: str) -> bool:
    """Whether `said`, the first line of a message of class `name`, is all of it. `source`: what
    the traceback quotes of the raising frame."""
    said = said.rstrip()
    own_name = name.rpartition(".")[2]
    if own_name == "KeyError":
        return _KEY.fullmatch(said) is not None
    if _GROUP.match(said):
        return True
    if own_name in _ONE_LINE_CLASSES or _SYSTEM.match(said):
        return bool(said) and said[-1] not in _GOES_ON and _is_closed(said)
    return _spells_out(source, said)


def voices_above(stream: Stream, at: int) -> frozenset[str]:
    """How the lines above a traceback begin, where that looks like a program's own prefix."""
    voices = {voice(stream.head(position)) for position in range(max(0, at - _ABOVE), at)}
    return frozenset(voices - {""})


def voice(head: str) -> str:
    """What a line begins with, numbers made equal, when words of a sentence hardly begin so:
    `[web]`, `step=12`, `wandb:`, `Epoch 3`; else empty."""
    words = head[:_BEGINNING].split(None, 2)[:2]
    if not words:
        return ""
    first = _DIGITS.sub("0", words[0])
    if len(first) > 1 and _PREFIX_LIKE.search(first):
        return first
    second = _DIGITS.sub("0", words[1]) if words[1:] else ""
    return f"{first} {second}" if second.startswith("0") else ""


def _is_closed(said: str) -> bool:
    """Whether quotes and brackets are closed, as they are not in a line that was wrapped."""
    quotes = len(_QUOTE.findall(said))
    return quotes % 2 == 0 and said.count('"') % 2 == 0 and said.count("(") == said.count(")")


def source_above(stream: Stream, at: int, quoted: Sequence[int]) -> str:
    """The source that the last frame above position `at` quotes, without its marks."""
    lines: list[str] = []
    expected = at - 1
    for position in reversed(quoted):
        if position != expected:
            break
        line = stream.head(position).strip(" \t|")
        if not _MARKS.match(line):
            lines.insert(0, line)
        expected = position - 1
    return "\n".join(lines)


def _spells_out(source: str, said: str) -> bool:
    """Whether a `raise` gives just this text, in a literal whose end is not filled in."""
    found = _RAISE.search(source[:_SOURCE])
    if found is None or not said:
        return False
    try:
        tree = ast.parse(source[found.start() :].replace("\n", " "))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    raised = tree.body[0] if tree.body else None
    if not isinstance(raised, ast.Raise) or not isinstance(raised.exc, ast.Call):
        return False
    arguments = raised.exc.args
    pattern = _pattern(arguments[0]) if len(arguments) == 1 else None
    return pattern is not None and re.fullmatch(pattern, said) is not None


def _pattern(argument: ast.expr) -> str | None:
    """A regex for what a literal prints; None where it has line breaks. A value at its end has
    none either when it is a single word."""
    parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
    pattern = ""
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            if "\n" in part.value:
                return None
            pattern += re.escape(part.value)
        elif isinstance(part, ast.FormattedValue):
            pattern += ".*" if part is not parts[-1] else r"[^\s()\[\]{}]*[^\s()\[\]{}:,.]"
        else:
            return None
    return pattern
