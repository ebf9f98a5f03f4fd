"""Makes the records of catalogues, in the order in which they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import CatalogueError, records_of
from errdex.harvest.catalogues.tools.table import NAMES, read_catalogue
from errdex.records.wire import dump_wire

ALL = "all"


@dataclass(frozen=True, slots=True)
class Request:
    """A catalogue that is asked for."""

    name: str
    where: Path | None = None
    """The program, folder or file that is meant; None for what is on PATH."""
    optional: bool = False
    """Whether it is no error that the tool is not installed."""


@dataclass(slots=True)
class CatalogueTally:
    """What came of the catalogues."""

    counts: dict[str, int] = field(default_factory=dict)
    """Records by tool, with its version."""
    left_out: int = 0
    """Messages with too little text to be recognised by."""
    absent: dict[str, str] = field(default_factory=dict)
    """Catalogues that could not be read, with the reason."""


def requests(names: Sequence[str]) -> list[Request]:
    """What `NAME`, `NAME=PATH` and `all` ask for. Raises CatalogueError for an unknown name."""
    asked: dict[str, Request] = {}
    for each in names:
        name, _, path = each.partition("=")
        if name == ALL and not path:
            for one in NAMES:
                asked.setdefault(one, Request(one, optional=True))
        elif name in NAMES:
            asked[name] = Request(name, Path(path).expanduser() if path else None)
        else:
            raise CatalogueError(f"There is no catalogue {name!r}. There are: {', '.join(NAMES)}.")
    return [asked[name] for name in sorted(asked)]


def harvest_catalogues(asked: Sequence[Request], tally: CatalogueTally) -> Iterator[bytes]:
    """The records as lines of JSON, each ended by a line break. Raises CatalogueError when one
    that was asked for by name cannot be read; of `all` those that are installed count."""
    for request in asked:
        try:
            for tool, entries in read_catalogue(request.name, request.where):
                named = f"{tool.name} {tool.version}".strip()
                for record in records_of(tool, entries):
                    if record is None:
                        tally.left_out += 1
                        continue
                    tally.counts[named] = tally.counts.get(named, 0) + 1
                    yield dump_wire(record) + b"\n"
        except CatalogueError as error:
            if not request.optional:
                raise CatalogueError(f"{request.name}: {error}") from None
            tally.absent[request.name] = str(error)
