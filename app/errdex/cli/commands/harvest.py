"""The command that turns source code into records: harvest."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from errdex.cli import INTERRUPTED
from errdex.cli.commands.write import finish, load
from errdex.cli.output_file import check_output, opened_output
from errdex.cli.views.terminal import FOUND, NOTHING, USAGE, counted, err, fail, on_one_line
from errdex.cli.wiring import Database, opened_store, plain_errors

if TYPE_CHECKING:
    from errdex.harvest.reading import Tally
    from errdex.harvest.run import Listener
    from errdex.harvest.run import Progress as Step
    from errdex.harvest.sources.selection import Selection
    from errdex.harvest.sources.source_tree import Tree
    from errdex.harvest.state import HarvestState
    from errdex.records.filters import Filters

Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATH|PACKAGE",
        help="A folder or git checkout. With --installed, names of packages; without names, all "
        "packages and the standard library, which is called python.",
    ),
]


def harvest(
    targets: Targets = None,
    repo: Annotated[
        str | None,
        typer.Option(metavar="OWNER/NAME", help="The project; by default that of the git remote."),
    ] = None,
    ref: Annotated[
        str | None, typer.Option(metavar="SHA", help="The commit to read, by default HEAD.")
    ] = None,
    url_template: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Links to source, with {repo}, {ref}, {path}, {start}, {end} and {line} in it.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE.jsonl",
            help="Where to write; by default standard output.",
        ),
    ] = None,
    installed: Annotated[
        bool, typer.Option("--installed", help="Read the packages of a Python environment.")
    ] = False,
    python: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="The Python whose packages to read, by default this one."
        ),
    ] = None,
    node_modules: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Read the packages of a node_modules folder."),
    ] = None,
    catalogue: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=PATH]",
            help="The errors that an installed tool explains itself, such as rustc; can be given "
            "several times. PATH is its program, folder or file where it is not on PATH. all: "
            "those that are installed.",
        ),
    ] = None,
    ingest: Annotated[
        bool,
        typer.Option(
            "--ingest",
            help="Load the records into the database, in place of those of an earlier harvest of "
            "the same project.",
        ),
    ] = False,
    dataset: Annotated[
        str, typer.Option(help="With --ingest: the dataset that the records belong to.")
    ] = "harvested",
    include_tests: Annotated[
        bool, typer.Option("--include-tests", help="Read tests as well.")
    ] = False,
    include_examples: Annotated[
        bool, typer.Option("--include-examples", help="Read examples as well.")
    ] = False,
    include_vendored: Annotated[
        bool, typer.Option("--include-vendored", help="Read copies of other projects as well.")
    ] = False,
    include_generated: Annotated[
        bool, typer.Option("--include-generated", help="Read generated code as well.")
    ] = False,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What the last harvest found in each file, so that only changed files are read; "
            "by default a file in your cache folder.",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Read every file, whatever the last harvest found.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes, by default one for each core.")
    ] = None,
    database: Database = None,
) -> None:
    """Make records from source code: one for each place that raises or reports an error.

    For example, `errdex harvest . --output errors.jsonl` or `errdex harvest --installed requests
    --ingest`.
    """
    from errdex.cli.harvest_state import opened_state
    from errdex.harvest.sources.errors import HarvestError
    from errdex.harvest.sources.selection import Selection

    selection = Selection(
        tests=include_tests,
        examples=include_examples,
        vendored=include_vendored,
        generated=include_generated,
        built=node_modules is not None,
    )
    of_packages = installed or node_modules is not None
    if of_packages and (repo or ref or url_template):
        raise typer.BadParameter("packages bring their own --repo, --ref and --url-template.")
    if python is not None and not installed:
        raise typer.BadParameter("--python goes with --installed.")
    if catalogue and (targets or of_packages or repo or ref or url_template or state):
        raise typer.BadParameter("--catalogue goes without folders and packages.")
    check_output(output)
    check_output(state)
    if ingest:
        _check_destination(dataset, database)
    if catalogue:
        with plain_errors(), _ended_by_ctrl_c():
            _catalogues(catalogue, output, dataset if ingest else None, database)
        return
    try:
        with plain_errors():
            if of_packages:
                trees = _packages(targets or [], selection, python, node_modules)
            else:
                trees = _folder(targets or [], selection, repo, ref, url_template)
    except HarvestError as error:
        fail(str(error), USAGE)
    inputs = targets if of_packages else [os.path.realpath(each) for each in targets or []]
    named = repr((inputs, selection, repo, installed, python, node_modules))
    with plain_errors(), _ended_by_ctrl_c(), opened_state(state, named, fresh=fresh) as known:
        if not ingest:
            with opened_output(output) as file:
                tally = _write(trees, selection, file, workers, known)
            raise typer.Exit(FOUND if tally.records else NOTHING)
        with tempfile.TemporaryDirectory(prefix="errdex-") as folder:
            records = output or Path(folder) / "harvest.jsonl"
            with opened_output(records) as file:
                tally = _write(trees, selection, file, workers, known)
            _load(records, dataset, database, _harvested_sources(trees, tally))


def _catalogues(
    names: list[str], output: Path | None, dataset: str | None, database: str | None
) -> None:
    """Write the records of catalogues, and load them where there is a dataset for them."""
    from errdex.harvest.catalogues.tools.entries import CatalogueError
    from errdex.harvest.catalogues.tools.run import (
        CatalogueTally,
        harvest_catalogues,
        requests,
    )

    tally = CatalogueTally()
    with tempfile.TemporaryDirectory(prefix="errdex-") as folder:
        records = output or (Path(folder) / "catalogues.jsonl" if dataset else None)
        try:
            asked = requests(names)
            with opened_output(records) as file:
                file.writelines(harvest_catalogues(asked, tally))
        except CatalogueError as error:
            fail(str(error), USAGE)
        for name, count in tally.counts.items():
            err().print(on_one_line(f"{name}: {counted(count, 'record')}"))
        for name, reason in tally.absent.items():
            err().print(on_one_line(f"{name}: not read. {reason}"))
        if tally.left_out:
            err().print(f"left out: {counted(tally.left_out, 'message')} with too little text")
        if dataset and records and tally.counts:
            _load(records, dataset, database)
        elif not tally.counts:
            raise typer.Exit(NOTHING)


def _check_destination(dataset: str, database: str | None) -> None:
    """Say what is wrong with it before anything is read."""
    from errdex.ingest import check_dataset_name

    with opened_store(database, writes=True) as (store, _):
        check_dataset_name(dataset)
        store.migrate()


def _packages(
    names: list[str], selection: Selection, python: Path | None, node_modules: Path | None
) -> list[Tree]:
    from errdex.harvest.sources.installed import open_installed, open_node_modules

    if node_modules is None:
        return open_installed(names, selection, python=python)
    if names:
        raise typer.BadParameter("with --node-modules all packages there are read.")
    return open_node_modules(node_modules, selection)


def _folder(
    targets: list[str],
    selection: Selection,
    repo: str | None,
    ref: str | None,
    url_template: str | None,
) -> list[Tree]:
    from errdex.harvest.sources.source_tree import open_tree

    if len(targets) != 1:
        raise typer.BadParameter("give one folder, or --installed, or --node-modules.")
    path = Path(targets[0])
    return [open_tree(path, selection, repo=repo, ref=ref, url_template=url_template)]


def _write(
    trees: list[Tree],
    selection: Selection,
    file: BinaryIO,
    workers: int | None,
    state: HarvestState | None,
) -> Tally:
    """Write all records, and say what came of the files."""
    from errdex.cli.harvest_state import save_state
    from errdex.harvest.extractors import MODULES
    from errdex.harvest.reading import Tally
    from errdex.harvest.run import harvest as harvested

    tally = Tally()
    with _shown_progress(sum(len(tree.files) for tree in trees)) as listener:
        for line in harvested(
            trees, selection, workers=workers, progress=listener, tally=tally, state=state
        ):
            file.write(line)
    if state is not None:
        save_state(state)
    for note in [*(note for tree in trees for note in tree.notes), *tally.missing]:
        err().print(on_one_line(note))
    if not tally.files + tally.skipped.total():
        names = ", ".join(MODULES)
        err().print(f"There is nothing to read. What is read: {names}.")
    unchanged = f", of which {tally.unchanged:,} unchanged" if tally.unchanged else ""
    said = [
        f"harvested: {counted(tally.records, 'record')} from {counted(tally.files, 'file')}"
        + unchanged
    ]
    for title, counts in (("files not read", tally.skipped), ("places left out", tally.left_out)):
        if counts:
            named = ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items()))
            said.append(f"{title}: {named}")
    err().print("; ".join(said))
    return tally


def _harvested_sources(trees: list[Tree], tally: Tally) -> list[Filters]:
    """Whose records are replaced: those of whole repositories and packages that were read whole."""
    from errdex.harvest.records import package_tag
    from errdex.records.filters import Filters

    if not tally.files:
        return []
    if not tally.is_whole:
        err().print("Records of files that are gone stay, since not every file could be read.")
        return []
    if any(tree.is_part for tree in trees):
        err().print("Records of files that are gone stay, since the repository has other folders.")
        return []
    return [Filters(repo=each.origin.repo, tag=package_tag(each.origin)) for each in trees]


def _load(
    records: Path, dataset: str, database: str | None, sources: Collection[Filters] = ()
) -> None:
    outcome = load([records], dataset, database, prune_sources=sources)
    finish(outcome, None, as_json=False, verb="ingested")


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        fail("Cancelled.", INTERRUPTED)


@contextmanager
def _shown_progress(files: int) -> Iterator[Listener | None]:
    """A bar on a terminal, nothing elsewhere."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = err()
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("harvesting"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[records]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("harvesting", total=files, records="")

        def listen(step: Step) -> None:
            bar.update(
                task,
                total=step.total_files,
                completed=step.files,
                records=counted(step.records, "record"),
            )

        yield listen
