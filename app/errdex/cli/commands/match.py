"""The command that matches a log: `errdex match`."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from errdex.cli.logs import STANDARD_INPUT, opened_log, read_log, read_logs
from errdex.cli.matching import Baseline, FailOn, Match, Tally, matcher
from errdex.cli.views.terminal import NOTHING, USAGE, counted, fail, on_one_line, say, write_raw
from errdex.cli.wiring import AsJson, Database, Server, address_of
from errdex.formats.options import WriteOptions
from errdex.formats.table import FORMATS, OutputFormat, UnknownFormat, get_format

if TYPE_CHECKING:
    from types import FrameType

    from errdex.formats.answer import PasteAnswer
    from errdex.formats.layout import Row


def match(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="Logs, .gz and .zst too, and folders of them; - is standard input, the default.",
            readable=False,  # said as of any file that cannot be read
        ),
    ] = None,
    follow_it: Annotated[
        bool, typer.Option("--follow", help="Answer while the log is still being written.")
    ] = False,
    server: Server = None,
    limit: Annotated[
        int, typer.Option(min=1, help="Show at most this many errors of a log as text.")
    ] = 10,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help=f"The format of the answer: {', '.join(FORMATS)}."
        ),
    ] = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            help="Exit with 4 if there are such errors, else with 0. Lines that only report a "
            "failure are not unknown errors."
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="LOG",
            help="Leave out the errors that this earlier log, or folder of logs, has too.",
        ),
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Find the known errors in logs: what each one means, why it happens, and how to fix it.

    For example, `make 2>&1 | errdex match` or `errdex match logs/ build.log`. Logs are neither
    stored nor logged.

    Exit codes: 0 a record matches, 1 none does, 2 wrong usage, 3 failure; with --fail-on 0 or 4.
    """
    form = _chosen_format(format_name, as_json)
    paths = files or [STANDARD_INPUT]
    site = None if server is None else address_of(server)
    options = WriteOptions(site=site, limit=limit, indent=True)
    several = len(paths) > 1 or paths[0].is_dir()
    if several and (follow_it or not form.streams):
        what = "--follow" if follow_it else f"The format {form.name}"
        fail(f"{what} is for one log: name one file.", USAGE)
    tally = Tally()
    with matcher(server, database) as matched:
        before = Baseline(baseline, matched) if baseline else None
        each = before or matched
        if several:
            _match_several(paths, each, form, options, tally)
        elif follow_it:
            _follow(paths[0], each, form, options, tally)
        else:
            _match_one(paths[0], each, form, options, tally)
        if before:
            before.say_left_out()
    if code := tally.exit_code(fail_on):
        raise typer.Exit(code)


def _match_one(
    file: Path, matched: Match, form: OutputFormat, options: WriteOptions, tally: Tally
) -> None:
    """Answer one log."""
    with opened_log(file) as source:
        paste = read_log(source)
    if not paste.strip() and form.rows:
        say("The log is empty: there is nothing to match.")
        return
    answer = matched(paste)
    tally.add(answer)
    _write(form, answer, options)


def _follow(
    file: Path, matched: Match, form: OutputFormat, options: WriteOptions, tally: Tally
) -> None:
    """Answer one log while it is written."""
    from errdex.cli.commands.follow import follow, read_lines

    streamed = replace(options, limit=None, streamed=True)
    with opened_log(file) as source:
        for line, answer in follow(read_lines(source), matched, _stopped_by_user()):
            if answer.events:
                tally.add(answer)
                _write(form, answer, replace(streamed, labels={"fromLine": line}))


def _match_several(
    paths: Sequence[Path], matched: Match, form: OutputFormat, options: WriteOptions, tally: Tally
) -> None:
    """Answer several logs, each below its name."""
    from errdex.formats.layout import Row, Tone

    for file, paste in read_logs(paths, tally.failed):
        answer = matched(paste)
        tally.add(answer)
        if form.rows is None:
            _write(form, answer, replace(options, streamed=True, labels={"file": str(file)}))
        elif answer.events:
            rows = form.rows(answer, options)
            _print([Row(0, ((on_one_line(str(file)), Tone.HEADING),)), *rows, Row(0, ())])
    if not tally.logs and not tally.failed:
        fail("No logs: the folders hold no text files.", NOTHING)
    if form.rows is not None:
        errors, logs = counted(tally.errors, "error"), counted(tally.logs, "log")
        total = f"{errors} found in {logs}, {tally.known:,} known."
        _print([Row(0, ((total, Tone.HEADING),))])


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
    _print(form.rows(answer, options))


def _print(rows: Iterable[Row]) -> None:
    from errdex.cli.views.rows import print_rows

    print_rows(rows)
