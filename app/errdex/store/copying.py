"""From one store into another: what changed, and what was removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from errdex.store.protocol import Changes, CopyTransaction
from errdex.store.values import Copied

BATCH = 500
"""Records that are held in memory at once."""


def put_changes(
    changes: Changes,
    transaction: CopyTransaction,
    on_put: Callable[[Sequence[Copied]], object] = lambda _: None,
    on_delete: Callable[[str], object] = lambda _: None,
) -> None:
    """Bring what the transaction changes to what the changes lead to; the caller commits.
    `on_put` and `on_delete` are called after each step.

    No store keeps a list of what was removed. Where nothing was, the two have equally many
    records afterwards: then the ids need not be compared."""
    for batch in _batches(changes.records()):
        transaction.put(batch)
        on_put(batch)
    transaction.replace_causes(changes.causes())
    if transaction.count() != changes.total:
        for removed in list(_missing(transaction.ids(), changes.ids())):
            transaction.delete([removed])
            on_delete(removed)


def _batches(records: Iterator[Copied]) -> Iterator[list[Copied]]:
    while batch := list(islice(records, BATCH)):
        yield batch


def _missing(ids: Iterable[str], among: Iterable[str]) -> Iterator[str]:
    """Those of the ids that are not among the others; both are in order."""
    others = iter(among)
    other = next(others, None)
    for each in ids:
        while other is not None and other < each:
            other = next(others, None)
        if other != each:
            yield each
