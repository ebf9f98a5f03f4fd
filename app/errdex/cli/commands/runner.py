"""The command that runs another one and explains its failure: `errdex run`."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from errdex.cli.commands.match import FormatName, Root, chosen_format, write_options
from errdex.cli.matching import matcher
from errdex.cli.output_file import check_output, opened_output
from errdex.cli.views.terminal import USAGE, counted, fail, said_of, say
from errdex.cli.wiring import Database, Server, plain_errors

if TYPE_CHECKING:
    from errdex.cli.running.kept_output import KeptOutput
    from errdex.formats.answer import PasteAnswer
    from errdex.formats.options import WriteOptions
    from errdex.formats.table import OutputFormat

_NOT_FOUND, _NOT_RUN = 127, 126
"""What shells report of a command that does not exist, and of one that cannot be run."""
_ENDED_BY = {"SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE"}
"""Signals of a command that was ended: nothing is explained, and this one ends by it too."""


def run(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND", help="The command with its arguments.")
    ],
    server: Server = None,
    limit: Annotated[int, typer.Option(min=1, help="Show at most this many errors.")] = 3,
    format_name: FormatName = None,
    root: Root = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the answer to this file instead, unknown errors too.",
        ),
    ] = None,
    database: Database = None,
) -> None:
    """Run a command; if it fails, show the known errors of its output below it.

    For example, `errdex run -- make -j8`. Its output, colours, keys, signals and exit code are
    passed through. What is known goes to standard error. Nothing is shown or written when the
    command ends with 0, or when you end it.
    """
    if sys.platform == "win32":
        fail("`errdex run` needs Linux or macOS. Use `COMMAND 2>&1 | errdex match` here.", USAGE)
    from errdex.cli.running.kept_output import KeptOutput

    form = chosen_format(format_name, as_json=False)
    options = write_options(server, limit, root)
    check_output(output)
    kept = KeptOutput()
    status = _run(command, kept)
    if status > 0 or (status < 0 and signal.Signals(-status).name not in _ENDED_BY):
        with suppress(typer.Exit):  # which is reported; the command's own status counts
            with matcher(server, database) as matched:
                answer = matched(kept.data())
            _write(answer, form, options, output)
    _end(status)


def _run(command: list[str], kept: KeptOutput) -> int:
    try:
        if os.isatty(1):
            from errdex.cli.running.terminal import run_in_terminal

            return run_in_terminal(command, kept)
        from errdex.cli.running.piped import run_piped

        return run_piped(command, kept)
    except FileNotFoundError as error:
        fail(f"{said_of(error)}.", _NOT_FOUND)
    except OSError as error:
        fail(f"{said_of(error)}.", _NOT_RUN)


def _write(
    answer: PasteAnswer, form: OutputFormat, options: WriteOptions, output: Path | None
) -> None:
    if output is not None:
        with plain_errors(), opened_output(output) as file:
            file.write(form.write(answer, options))
    elif form.rows is None:
        sys.stderr.buffer.write(form.write(answer, options))
        sys.stderr.buffer.flush()
    elif not answer.found:
        if answer.events:
            say(f"{counted(len(answer.events), 'error')} found, no match yet.")
    else:
        _print_known(answer, form, options)


def _print_known(answer: PasteAnswer, form: OutputFormat, options: WriteOptions) -> None:
    from dataclasses import replace

    from errdex.cli.views.rows import print_rows
    from errdex.cli.views.terminal import err
    from errdex.formats.layout import Row, Tone
    from errdex.formats.selection import keep_events

    known = keep_events(answer, [n for n, event in enumerate(answer.events) if event.known])
    said = f"errdex: {len(known.events):,} of {counted(len(answer.events), 'error')} known"
    assert form.rows is not None  # noqa: S101 (the caller looked)
    rows = form.rows(known, replace(options, streamed=True))
    print_rows([Row(0, ()), Row(0, ((said, Tone.HEADING),)), *rows], err())


def _end(status: int) -> None:
    """End as the command ended."""
    if status < 0:
        number = signal.Signals(-status)
        sys.stdout.flush()
        sys.stderr.flush()
        if number.name in _ENDED_BY:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        raise typer.Exit(128 + number)
    raise typer.Exit(status)
