"""Writes untrusted text to a terminal.

Everything from a record or a paste that a command prints passes through `printable`.
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
"""Nothing found, or some records refused."""
USAGE = 2
FAILED = 3
"""The command failed because of the database, a file or the network."""
ERRORS_FOUND = 4
"""Errors of the kind that --fail-on names were found."""
READER_GONE = 128 + 13
"""The code that a shell reports for SIGPIPE, so that a truncated output differs from others."""

EXIT_CODES = (
    "Exit codes: 0 success or found, 1 nothing found or some records refused, "
    "2 wrong usage, 3 failure."
)


def counted(number: int, noun: str) -> str:
    """The number with its noun: “1 record”, “2,000 records”."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def out() -> Console:
    """Standard output: coloured and wrapped on a terminal, plain lines otherwise."""
    from errdex.cli.views.console import BareConsole

    console = BareConsole()
    if not console.is_terminal:
        console.soft_wrap = True
    return console


def err() -> Console:
    """Standard error, for progress and problems."""
    from errdex.cli.views.console import BareConsole

    return BareConsole(stderr=True, soft_wrap=True)


def fail(message: str, code: int = FAILED) -> NoReturn:
    """End the command with one clear line on standard error."""
    say(message)
    raise typer.Exit(code)


def say(message: str) -> None:
    """One clear line on standard error."""
    from rich.text import Text

    err().print(Text.assemble(("errdex: ", "bold red"), on_one_line(message)))


@contextmanager
def plain_output_errors() -> Iterator[None]:
    """End the command cleanly when its output cannot be written: silently when the reader closed
    the pipe, such as `head`, and with one clear line when the disk is full."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError as error:
        _drop_output(1, 2)
        raise typer.Exit(READER_GONE) from error
    except typer.Exit:
        try:
            sys.stdout.flush()
        except OSError:  # the command has already failed
            _drop_output(1)
        raise
    except OSError as error:
        say_unwritable(error)
        raise typer.Exit(FAILED) from error


def say_unwritable(error: OSError) -> None:
    """Report why the output could not be written, and drop the rest of it."""
    _drop_output(1)
    say(f"The output could not be written: {said_of(error)}.")


def _drop_output(*descriptors: int) -> None:
    """Redirect the streams, since buffered output would fail again when Python exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor)


def said_of(error: OSError) -> str:
    """The system's message, with the file's name."""
    said = error.strerror or str(error)
    return said if error.filename is None else f"{error.filename}: {said}"


def open_closed_streams() -> None:
    """Open the null device for each standard stream that the caller closed (`<&-`): a file opened
    later would get its number and be used as that stream."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            setattr(sys, name, os.fdopen(descriptor, "w" if descriptor else "r", encoding="utf-8"))


_PLAIN = {"–": "-", "—": "-", "·": "-", "…": "...", "←": "<-", "→": "->", "“": '"', "”": '"'}
"""Replacements for common characters that an encoding lacks."""


def say_what_can_be_shown() -> None:
    """Replace characters that the encoding of the terminal lacks, instead of raising an error."""
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


def write_json(document: object) -> None:
    """A document for another program, indented, to standard output, in which nothing steers a
    terminal."""
    import orjson

    from errdex.formats.ci.build_commands import disarm_json

    write_raw([disarm_json(orjson.dumps(document, option=orjson.OPT_INDENT_2)), b"\n"])


def write_raw(chunks: Iterable[bytes]) -> None:
    """Bytes for another program, unchanged, to standard output."""
    for chunk in chunks:
        sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()
