"""Harvests whole trees on all cores.

Each file has its own outcome (`reading`), which an earlier harvest may know (`state`). What only
the whole tree knows comes afterwards: the words of classes in other files (`cross_file`), functions
that report what other files give them (`rereading`), and places of the same text (`merging`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from errdex.harvest.cross_file import Elsewhere
from errdex.harvest.gathering import BATCH, Gathering
from errdex.harvest.merging import RecordSpool, to_line
from errdex.harvest.reading import Tally
from errdex.harvest.rereading import HeldFiles
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import Tree

if TYPE_CHECKING:
    from errdex.harvest.state import HarvestState


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a harvest is."""

    files: int
    total_files: int
    records: int


Listener = Callable[[Progress], None]


def harvest(
    trees: Sequence[Tree],
    selection: Selection,
    *,
    workers: int | None = None,
    progress: Listener | None = None,
    tally: Tally | None = None,
    state: HarvestState | None = None,
) -> Iterator[bytes]:
    """The records of all trees as lines of JSON, each ended by a line break.

    `tally` is filled on the way. With one worker everything happens in this process. What `state`
    knows of files is used, with the same result as without it, and it is given what it does not
    know; saving it is left to the caller.
    """
    tally = Tally() if tally is None else tally
    for tree in trees:
        tally.skipped += tree.skipped
    total = sum(len(tree.files) for tree in trees)
    gathering = Gathering(trees, selection, workers or os.cpu_count() or 1, state)
    done = 0
    with RecordSpool() as spool:
        held = HeldFiles(spool)
        for number, of_tree in groupby(gathering.first(), key=lambda each: each.tree):
            elsewhere = Elsewhere()
            for _, file, outcome, key in of_tree:
                if outcome.passed is None:
                    spool.add(outcome.lines)
                else:
                    held.hold(number, file, outcome.lines, outcome.passed, key)
                elsewhere.add(outcome.drafts, outcome.wordings)
                tally.add(outcome.tally)
                done += 1
                if progress is not None and (done % BATCH == 0 or done == total):
                    progress(Progress(done, total, len(spool)))
            spool.add(list(map(to_line, elsewhere.records())))
        for again, lines in gathering.again(held.reread()):
            held.replace(again, lines)
        for line in spool.lines():
            tally.records += 1
            yield line
