"""The filter for log pipelines: `errdex pipe`."""

from __future__ import annotations

import signal
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from errdex.cli.logs import STANDARD_INPUT, opened_log
from errdex.cli.matching import matcher
from errdex.cli.views.terminal import err, on_one_line, write_raw
from errdex.cli.wiring import Database, Server, address_of

if TYPE_CHECKING:
    from types import FrameType


def pipe(
    only_known: Annotated[
        bool, typer.Option("--only-known", help="Write only lines whose error has a record.")
    ] = False,
    keys: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="FIELD",
            help="A field that tells writers apart, such as kubernetes.pod_name; give it again for "
            "more. By default, those that log shippers have.",
        ),
    ] = None,
    pause: Annotated[
        float,
        typer.Option(
            min=0.1, max=60.0, help="Seconds after which what a writer wrote is taken to be whole."
        ),
    ] = 2.0,
    server: Server = None,
    database: Database = None,
) -> None:
    """Add what is known to the lines of a log pipeline: a filter from standard input to output.

    Lines are JSON records or text. The line with an error's message gets the field `errdex`, with
    the record's id, title, address, fix, cause and values; all else passes unchanged. Lines of one
    writer stay in order. Lines are neither stored nor logged.
    """
    from errdex.cli.record_pipe import RecordPipe, read_pieces

    stop = Event()

    def ask_to_stop(_: int, __: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask_to_stop)
    with matcher(server, database) as match, opened_log(STANDARD_INPUT) as source:
        RecordPipe(
            match,
            write_raw,
            lambda trouble: err().print(on_one_line(f"errdex: {trouble}")),
            pause=pause,
            keys=keys or (),
            site=None if server is None else address_of(server),
            only_known=only_known,
        ).run(read_pieces(source), stop)
