"""The command that matches a log: `errdex match`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from errdex.cli.views.terminal import NOTHING, USAGE, err, fail, said_of, write_raw
from errdex.cli.wiring import AsJson, Database, opened_knowledge, plain_errors, read_settings
from errdex.formats.options import WriteOptions
from errdex.formats.table import FORMATS, OutputFormat, UnknownFormat, get_format

if TYPE_CHECKING:
    from types import FrameType

    from errdex.formats.answer import PasteAnswer

Match = Callable[[bytes], "PasteAnswer"]


def match(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A log, .gz and .zst too; - is standard input.",
            readable=False,  # said as of any file that cannot be read
        ),
    ] = Path("-"),
    follow_it: Annotated[
        bool, typer.Option("--follow", help="Answer while the log is being written.")
    ] = False,
    server: Annotated[
        str | None,
        typer.Option("--server", metavar="URL", help="Ask that Errdex instead of a database."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="The most errors shown as text.")] = 10,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help=f"How the answer is written: {', '.join(FORMATS)}."
        ),
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Say which known errors are in a log: what each is, why, the fix, and where it stands.

    Such as `make 2>&1 | errdex match`. What is matched is neither stored nor logged.
    Exit codes: 0 a record matches, 1 none does, 2 wrong usage, 3 could not be done.
    """
    from errdex.cli.commands.follow import follow, read_lines

    form = _chosen_format(format_name, as_json)
    with opened_log(file) as source, matcher(server, database) as matched:
        if follow_it:
            parts = follow(read_lines(source), matched, _stopped_by_user())
            answers = ((answer, {"fromLine": line}) for line, answer in parts if answer.events)
        else:
            paste = read_log(source)
            if not paste.strip() and form.rows:
                fail("The log is empty: there is nothing to match.", NOTHING)
            answers = ((matched(paste), {}) for _ in range(1))
        found = False
        for answer, labels in answers:
            options = WriteOptions(
                site=None if server is None else server.rstrip("/"),
                limit=None if follow_it else limit,
                streamed=follow_it,
                indent=True,
                labels=labels,
            )
            _write(form, answer, options)
            found |= answer.found
    if not found:
        raise typer.Exit(NOTHING)


# Reading


@contextmanager
def opened_log(file: Path) -> Iterator[BinaryIO]:
    """The log. Standard input under a file object of its own: a thread that is still reading
    it when the command ends would be in Python's way."""
    with plain_errors():
        if str(file) != "-":
            with file.open("rb") as source:
                yield source
            return
        if sys.stdin.isatty():
            err().print("Paste the log, then press Ctrl-D on a line of its own.")
        yield os.fdopen(os.dup(0), "rb", closefd=False)


def read_log(source: BinaryIO) -> bytes:
    """All of it, as far as it can be read: the answer says when there is more."""
    import io

    from errdex.matching.reading import ReadingLimits
    from errdex.records.files.compression import GZIP_MAGIC, ZSTD_MAGIC, open_gzip, open_zstd
    from errdex.records.files.raw import InputDamaged

    most = ReadingLimits().characters + 1
    try:
        data = source.read(most)
    except OSError as error:
        fail(f"The log cannot be read: {said_of(error)}.")
    opener = {GZIP_MAGIC: open_gzip, ZSTD_MAGIC: open_zstd}
    for magic, opened in opener.items():
        if data.startswith(magic):
            try:
                return opened(io.BytesIO(data)).read(most)
            except InputDamaged as damage:
                fail(f"The log cannot be read: {damage}")
    return data


# Matching


@contextmanager
def matcher(server: str | None, database: str | None) -> Iterator[Match]:
    """Matches a log with a server, or with a database."""
    if server is not None:
        from errdex.cli.remote import Server, ServerTrouble

        with plain_errors():
            asked = Server(server)
        try:
            yield asked.match
        except ServerTrouble as trouble:
            fail(str(trouble))
        except (LookupError, TypeError, AttributeError, ValueError):
            fail(str(asked.stranger()))
        return
    from errdex.config import match_limits
    from errdex.formats.build import build_answer

    limits = match_limits(read_settings(database))
    with opened_knowledge(database) as knowledge:
        yield lambda paste: build_answer(knowledge.match(paste, limits))


def _stopped_by_user() -> Event:
    """Set when the user ends a command that follows: what came in is still answered. The
    second time it is ended at once."""
    stop = Event()

    def ask_to_stop(_: int, __: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, ask_to_stop)
    return stop


# Writing


def _chosen_format(name: str | None, as_json: bool) -> OutputFormat:
    """The format of the options; `--json` is short for `--format json`."""
    try:
        form = get_format(("json" if as_json else "text") if name is None else name)
    except UnknownFormat as error:
        fail(str(error), USAGE)
    if as_json and form.name != "json":
        fail(f"--json and --format {form.name} contradict each other: give one of them.", USAGE)
    return form


def _write(form: OutputFormat, answer: PasteAnswer, options: WriteOptions) -> None:
    if form.rows is None:
        write_raw([form.write(answer, options)])
        return
    from errdex.cli.views.match import print_rows

    print_rows(form.rows(answer, options))
