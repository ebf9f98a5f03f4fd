"""The `errdex` command: wires the parts for a terminal."""

from __future__ import annotations

import os
import sys

import typer

from app.cli import reading, serving, writing
from app.cli.terminal import EXIT_CODES, FOUND

app = typer.Typer(
    name="errdex",
    help="A searchable knowledge base of errors.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    writing.ingest,
    writing.check,
    serving.serve,
    reading.search,
    reading.show,
    writing.reindex,
    reading.export,
    reading.stats,
    reading.version,
):
    app.command()(command)


def main() -> None:
    """Run the command that the command line names. A reader that goes away early, such as
    `head`, ends it without a word."""
    try:
        app()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FOUND)
