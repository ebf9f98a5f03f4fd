"""The command for an archive of logs: `errdex bulk`."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from errdex.cli.extras import needs_extra
from errdex.cli.views.terminal import FAILED, FOUND, NOTHING, USAGE, counted, fail, on_one_line, say
from errdex.cli.wiring import Database, opened_knowledge, plain_errors

if TYPE_CHECKING:
    from errdex.spark.totals import Totals

_MOST_SAID = 5
"""Records, and logs that could not be read, that are named."""


def bulk(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Logs, .gz and .zst too, folders of them, and .parquet files or folders; also "
            "addresses that Spark reads, such as s3a://logs/2026-01-02.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="The folder of Parquet files to write."
        ),
    ],
    master: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Where Spark runs: local[2] for two cores of this machine, local[*] for all, or a "
            "cluster such as spark://host:7077.",
        ),
    ] = "local[*]",
    pack: Annotated[
        Path | None,
        typer.Option(
            "--pack", metavar="FILE", help="Match with what `errdex pack` wrote, not a database."
        ),
    ] = None,
    unknown: Annotated[
        bool, typer.Option("--unknown", help="Write the errors that no record matches, too.")
    ] = False,
    text: Annotated[
        str, typer.Option(metavar="COLUMN", help="Of Parquet: the column with the lines.")
    ] = "value",
    group: Annotated[
        str, typer.Option(metavar="COLUMN", help="Of Parquet: the column that names their stream.")
    ] = "stream",
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Of Parquet: the column that the lines of a stream are sorted by; give it again "
            "for more. By default ts; '' makes each row a log of its own.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output if it exists.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark; repeatable."),
    ] = None,
    database: Database = None,
) -> None:
    """Find the known errors in an archive of logs with Apache Spark, and write them as Parquet.

    For example, `errdex bulk /var/log/archive -o errors.parquet`. Each log is answered as `errdex
    match` answers it, whatever its length. Parquet files have a line in each row, in the columns
    value, stream and ts, or others that you name. Of the logs, the output has the errors' messages
    and values; nothing else is stored or logged. docs/scale.md describes it.

    Exit codes: 0 a record matches, 1 none does, 2 wrong usage, 3 failure.
    """
    conf = _settings(settings or [])
    _check_output(output, paths, overwrite=overwrite)
    with needs_extra("spark", "bulk"):
        import_module("pyspark")
        archive = import_module("errdex.spark.bulk")
        session = import_module("errdex.spark.session")
        totals = import_module("errdex.spark.totals")
    with plain_errors(), _pack_of(pack, database) as packed:
        inputs = archive.find_inputs(paths)
        columns = archive.Columns(text, group or None, [each for each in order or ["ts"] if each])
        with session.opened_spark(master, conf) as spark:
            found = archive.match_archive(spark, inputs, packed, columns, unknown=unknown)
            place = output if "://" in output else str(Path(output).absolute())
            found.write.mode("overwrite" if overwrite else "error").parquet(place)
            total = totals.add_up(spark, place, packed, _MOST_SAID)
    raise typer.Exit(_say(total, output))


def _check_output(output: str, paths: Sequence[str], *, overwrite: bool) -> None:
    """Whatever is in the folder is deleted: nothing but an earlier result may be."""
    folder = Path(output)
    if "://" in output or not folder.exists():
        return
    if not overwrite:
        fail(f"{output} exists: name another output, or replace it with --overwrite.", USAGE)
    if any(folder.resolve() in (path := Path(each).resolve(), *path.parents) for each in paths):
        fail(f"{output} is an input: name another output.", USAGE)
    if not folder.is_dir() or any(not _of_spark(each.name) for each in folder.iterdir()):
        fail(f"{output} is no output of this command: name another one.", USAGE)


def _of_spark(name: str) -> bool:
    return name.startswith(("part-", ".part-", "_", "._"))


@contextmanager
def _pack_of(pack: Path | None, database: str | None) -> Iterator[Path]:
    """The pack that is named, or one of the database for as long as the command runs."""
    if pack is not None:
        if database is not None:
            fail("--pack stands alone: leave out --database.", USAGE)
        yield pack
        return
    folder = Path(tempfile.mkdtemp(prefix="errdex-bulk-"))
    try:
        with opened_knowledge(database) as knowledge:
            data, _ = knowledge.join_pack()
        (folder / "errdex.pack").write_bytes(data)
        yield folder / "errdex.pack"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _settings(given: Sequence[str]) -> Mapping[str, str]:
    pairs = dict(each.partition("=")[::2] for each in given)
    for key, value in pairs.items():
        if not key or not value:
            fail(f"--conf {key}: write KEY=VALUE, such as spark.executor.memory=4g.", USAGE)
    return pairs


def _say(total: Totals, output: str) -> int:
    """Report on standard error. Returns the command's exit code."""
    from errdex.cli.views.terminal import err

    for stream, reason in total.unread:
        say(f"{stream}: {reason}")
    if total.unread_count > len(total.unread):
        more = total.unread_count - len(total.unread)
        say(f"{counted(more, 'more log')} could not be read; the column problem names them.")
    console = err()
    streams = counted(total.streams, "log")
    console.print(f"{counted(total.errors, 'error')} in {streams}, {total.known:,} known: {output}")
    for title, hits in total.best:
        console.print(f"{hits:>10,}  {on_one_line(title)}")
    if total.unread_count:
        return FAILED
    return FOUND if total.known else NOTHING
