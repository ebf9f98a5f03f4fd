"""Writing to a terminal what others wrote.

A record's text may hold escape sequences that would move the cursor, change the
title or hide a line. `printable` makes every control character visible; all
that a command prints of a record goes through it.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable
from typing import NoReturn

import typer
from rich.console import Console
from rich.text import Text

FOUND = 0
NOTHING = 1
"""Nothing was found, or some records were refused."""
USAGE = 2
FAILED = 3
"""It could not be done: the database, a file or the network stood in the way."""

EXIT_CODES = (
    "Exit codes: 0 done or found, 1 nothing found or some records refused, "
    "2 wrong usage, 3 could not be done."
)

_KEPT = {"\n", "\t"}


def printable(text: str) -> str:
    """The text with every character that could steer a terminal shown as its escape.

    Line breaks and tabs are kept; C0 and C1 controls, bidirectional overrides,
    other format characters, private-use and lone surrogate characters are not.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c in _KEPT or unicodedata.category(c)[0] != "C" else _escape(c) for c in text
    )


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def on_one_line(text: str) -> str:
    """The printable text with its line breaks and tabs folded into single spaces."""
    return " ".join(printable(text).split())


def out() -> Console:
    """Standard output: coloured and wrapped on a terminal, bare lines otherwise."""
    console = Console(highlight=False, emoji=False, markup=False)
    if not console.is_terminal:
        console.soft_wrap = True
    return console


def err() -> Console:
    """Standard error, for progress and for what went wrong."""
    return Console(stderr=True, highlight=False, emoji=False, markup=False, soft_wrap=True)


def fail(message: str, code: int = FAILED) -> NoReturn:
    """End the command with one clear line on standard error."""
    err().print(Text.assemble(("errdex: ", "bold red"), on_one_line(message)))
    raise typer.Exit(code)


def write_raw(chunks: Iterable[bytes]) -> None:
    """Bytes for another program, unchanged, to standard output."""
    for chunk in chunks:
        sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()
