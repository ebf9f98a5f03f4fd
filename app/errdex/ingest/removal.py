"""Removes a dataset, or the records of a repository, in one atomic switch as `run` adds them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from time import perf_counter

from errdex.ingest.errors import NothingToRemove
from errdex.ingest.following import follow
from errdex.ingest.lock import WAIT_SECONDS, ingestion_lock
from errdex.ingest.report import IngestProgress, Listener, ignore_progress
from errdex.ingest.run import check_dataset_name
from errdex.ingest.version_build import begin_build, ensure_derived, sweep
from errdex.records.filters import Filters
from errdex.records.problems import shown
from errdex.search.protocol import IndexStore
from errdex.store import Replica, Snapshot, Store

_NAMED = 5
"""Datasets and repositories that an error message names."""


@dataclass(frozen=True, slots=True)
class RemovalReport:
    """What was removed."""

    records: int
    datasets: Sequence[str]
    """The datasets that they were in."""
    version: str
    """What is served now."""
    previous_version: str
    seconds: float

    def to_dict(self) -> dict[str, object]:
        """The report's JSON form."""
        report = asdict(self) | {"seconds": round(self.seconds, 3)}
        report["previousVersion"] = report.pop("previous_version")
        return report


def remove(
    *,
    store: Store,
    indexes: IndexStore,
    dataset: str | None = None,
    repo: str | None = None,
    spared: Collection[str] = (),
    progress: Listener = ignore_progress,
    wait_seconds: float = WAIT_SECONDS,
    now: datetime | None = None,
) -> RemovalReport:
    """Remove a dataset with its causes, or only its records of `repo`; without a dataset, the
    records of `repo` in every dataset that is not `spared`. All at once or not at all.

    Raises NothingToRemove when no record or cause is meant, and IngestError and StoreError as
    `ingest` does; nothing is changed then.
    """
    if dataset is None and repo is None:
        raise ValueError("name a dataset or a repository")
    if dataset is not None:
        check_dataset_name(dataset)
    store.check_mutable()
    store.current_version()  # a lock is not left beside a database that is not there
    started = perf_counter()
    if isinstance(store, Replica):
        store.migrate(create=False)
        follow(store, indexes, progress=progress, wait_seconds=wait_seconds)
        datasets = _datasets(store, dataset, repo, spared)
        records, version, previous = _remove(store, indexes, datasets, repo, progress, now)
        follow(store, indexes, progress=progress, wait_seconds=wait_seconds)
    else:
        with ingestion_lock(
            store.path,
            wait_seconds=wait_seconds,
            on_wait=lambda message: progress(IngestProgress("waiting", message)),
        ):
            store.migrate(create=False)
            sweep(store, indexes, set(store.list_versions(2)))
            datasets = _datasets(store, dataset, repo, spared)
            records, version, previous = _remove(store, indexes, datasets, repo, progress, now)
            sweep(store, indexes, {version, previous} - {""})
            ensure_derived(store, indexes)
    return RemovalReport(records, datasets, version, previous, perf_counter() - started)


def _remove(
    store: Store,
    indexes: IndexStore,
    datasets: Sequence[str],
    repo: str | None,
    progress: Listener,
    now: datetime | None,
) -> tuple[int, str, str]:
    """How many records were removed, the version that is served then, and the one before it."""
    with store.write(datasets[0], now) as transaction:
        previous = transaction.previous_version
        build = begin_build(store, indexes, transaction)
        try:
            progress(IngestProgress("removing"))
            for name in datasets:
                for record_id in transaction.remove(Filters(repo=repo, dataset=name)):
                    build.delete(record_id)
            if repo is None:
                transaction.remove_causes_except(())
            progress(IngestProgress("indexing", records=transaction.removed))
            build.finish()
            progress(IngestProgress("committing", records=transaction.removed))
            version = transaction.commit()
        except BaseException:
            build.abort()
            raise
        return transaction.removed, version, previous


def _datasets(
    store: Store, dataset: str | None, repo: str | None, spared: Collection[str]
) -> list[str]:
    """The datasets that have something to remove. Raises NothingToRemove."""
    conditions = Filters(repo=repo, dataset=dataset)
    with store.snapshot() as snapshot:
        found = [each.value for each in snapshot.counts("dataset", conditions, limit=1_000)]
        if dataset is None:
            found = [name for name in found if name not in spared]
        elif repo is None and any(each.dataset == dataset for each in snapshot.causes().values()):
            found = [dataset]
        if not found:
            raise NothingToRemove(_nothing(snapshot, dataset, repo, spared))
        return found


def _nothing(
    snapshot: Snapshot, dataset: str | None, repo: str | None, spared: Collection[str]
) -> str:
    """Why nothing was removed, with the names that may have been meant."""
    if repo is None:
        names = [each.value for each in snapshot.counts("dataset", limit=_NAMED + 1)]
        return f"No dataset is called {shown(dataset or '')}: nothing was removed.{_list(names)}"
    where = f" in the dataset {shown(dataset)}" if dataset else ""
    if dataset is None and snapshot.count_records(Filters(repo=repo)):
        where = f" outside of the dataset {', '.join(map(shown, spared))}"
    contained = repo.rpartition("/")[2]
    names = [each.value for each in snapshot.values("repo", contains=contained, limit=_NAMED + 1)]
    return f"No record is of the repository {shown(repo)}{where}: nothing was removed." + _list(
        [name for name in names if name != repo]
    )


def _list(names: Sequence[str]) -> str:
    more = ", …" if len(names) > _NAMED else ""
    return f" There is: {', '.join(map(shown, names[:_NAMED]))}{more}." if names else ""
