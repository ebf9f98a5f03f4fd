"""The commands of `errdex`, each in its module."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

from errdex.cli.commands import (
    agents,
    bulk,
    draft,
    editors,
    harvest,
    match,
    pages,
    pipe,
    read,
    runner,
    serve,
    shell_hook,
    show,
    write,
)
from errdex.cli.views.terminal import (
    EXIT_CODES,
    FAILED,
    open_closed_streams,
    plain_output_errors,
    say_unwritable,
    say_what_can_be_shown,
)


def _say_version(asked: bool) -> None:
    if asked:
        read.version()
        raise typer.Exit


app = typer.Typer(
    name="errdex",
    help="A searchable knowledge base of errors. Begin with `make 2>&1 | errdex match`.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_ANY_DASHES = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""For a command whose arguments may be a pasted command line: `cannot find -lssl`."""
_REST_IS_A_COMMAND = {"allow_interspersed_args": False}
"""For a command that runs what follows: options behind its name are its own."""

_PANELS: Mapping[str, Sequence[Callable[..., None]]] = {
    "Find a fix": (
        match.match,
        runner.run,
        read.search,
        show.show,
        show.explain,
        draft.draft,
    ),
    "Records": (write.ingest, write.check, harvest.harvest, write.remove, read.export, read.pack),
    "Website and API": (serve.serve, pages.pages),
    "Integrations": (agents.mcp, pipe.pipe, bulk.bulk, editors.lsp, shell_hook.shell_hook),
    "Database": (read.stats, read.verify, write.reindex, write.copy, read.version),
}
"""The commands under the headings of the help."""


def _settings_of(command: Callable[..., None]) -> dict[str, Any]:
    if command is runner.run:
        return _REST_IS_A_COMMAND
    return _ANY_DASHES if command in (read.search, show.show, show.explain) else {}


for heading, commands in _PANELS.items():
    for command in commands:
        app.command(context_settings=_settings_of(command), rich_help_panel=heading)(
            plain_output_errors()(command)
        )


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_say_version, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


def run() -> None:
    """Run the command that the command line names."""
    open_closed_streams()
    say_what_can_be_shown()
    try:
        app()
    except OSError as error:  # of what typer says itself, such as --help on a full disk
        say_unwritable(error)
        sys.exit(FAILED)
