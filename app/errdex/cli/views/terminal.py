"""Writing to a terminal what others wrote.

All that a command prints of a record or a paste goes through `printable`.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn

import typer

from errdex.records.printable import on_one_line as on_one_line
from errdex.records.printable import printable as printable

if TYPE_CHECKING:
    from rich.console import Console

FOUND = 0
NOTHING = 1
"""Nothing was found, or some records were refused."""
USAGE = 2
FAILED = 3
"""It could not be done: the database, a file or the network stood in the way."""
READER_GONE = 128 + 13
"""What a shell says of a program that SIGPIPE ended, so that a cut answer is no other one."""

EXIT_CODES = (
    "Exit codes: 0 done or found, 1 nothing found or some records refused, "
    "2 wrong usage, 3 could not be done."
)


def counted(number: int, noun: str) -> str:
    """Such as “1 record” and “2,000 records”."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def out() -> Console:
    """Standard output: coloured and wrapped on a terminal, bare lines otherwise."""
    from errdex.cli.views.console import BareConsole

    console = BareConsole()
    if not console.is_terminal:
        console.soft_wrap = True
    return console


def err() -> Console:
    """Standard error, for progress and for what went wrong."""
    from errdex.cli.views.console import BareConsole

    return BareConsole(stderr=True, soft_wrap=True)


def fail(message: str, code: int = FAILED) -> NoReturn:
    """End the command with one clear line on standard error."""
    _say(message)
    raise typer.Exit(code)


def _say(message: str) -> None:
    from rich.text import Text

    err().print(Text.assemble(("errdex: ", "bold red"), on_one_line(message)))


@contextmanager
def output_told_plainly() -> Iterator[None]:
    """End the command in order when what it says cannot be written: in silence when the
    reader went away early, such as `head`, and with one clear line when the disk is full."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError as error:
        _drop_output(1, 2)
        raise typer.Exit(READER_GONE) from error
    except typer.Exit:
        try:
            sys.stdout.flush()
        except OSError:  # and the command has said so
            _drop_output(1)
        raise
    except OSError as error:
        say_unwritable(error)
        raise typer.Exit(FAILED) from error


def say_unwritable(error: OSError) -> None:
    """Say what kept the answer from being written, and let go of the rest of it."""
    _drop_output(1)
    _say(f"The answer could not be written: {said_of(error)}.")


def _drop_output(*descriptors: int) -> None:
    """What is still in the buffers would fail once more when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor)


def said_of(error: OSError) -> str:
    """What the system says went wrong, and with which file."""
    said = error.strerror or str(error)
    return said if error.filename is None else f"{error.filename}: {said}"


def open_closed_streams() -> None:
    """Put the null device where the caller closed a standard stream (`<&-`): a file opened
    later would take its number and be read or written as that stream."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            setattr(sys, name, os.fdopen(descriptor, "w" if descriptor else "r", encoding="utf-8"))


_PLAIN = {"–": "-", "—": "-", "·": "-", "…": "...", "←": "<-", "→": "->", "“": '"', "”": '"'}
"""What stands for our own signs and the commonest of records where they cannot be shown."""


def say_what_can_be_shown() -> None:
    """Let a terminal of another encoding than UTF-8 be told what it cannot show in characters
    that it can, for which Python would end the command."""
    codecs.register_error("errdex", _in_plain_characters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="errdex")


def _in_plain_characters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    shown = (_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking)
    return "".join(shown), error.end


def write_raw(chunks: Iterable[bytes]) -> None:
    """Bytes for another program, unchanged, to standard output."""
    for chunk in chunks:
        sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()
