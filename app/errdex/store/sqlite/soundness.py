"""Everything that the database holds, read and compared: is it what was written?

SQLite's own check finds pages that do not fit together and indexes that do not fit their
tables; the checksums find texts and numbers that changed. With the counts, which are
counted again, everything that an answer is made of is checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from errdex.store.checksums import is_row_sound, is_text_sound
from errdex.store.errors import StoreError
from errdex.store.facets import FACET_OF_CONDITION
from errdex.store.keys import id_of
from errdex.store.schema.rows import to_facet_value, to_record
from errdex.store.sqlite.statements import queries, reading
from errdex.store.sqlite.statements.compiled import Runner
from errdex.store.values import StoredRecord

MOST_REPORTED = 100
"""Reported of each kind; a failing disk damages more than a person reads."""

Counts = Counter[tuple[str, str]]


def find_damage(run: Runner) -> Iterator[str]:
    """A sentence for each thing that is not what was written; none when all is well. Reads
    the whole file, some 100 MB a second. Never raises StoreError."""
    try:
        yield from _pages(run)
        counts: Counts = Counter()
        damaged = list(_records(run, counts))
        yield from damaged
        yield from _patterns(run)
        yield from _causes(run)
        if not damaged:  # else they cannot be counted
            yield from _counted(run, counts)
    except StoreError as error:
        yield f"No more could be read: {error}"


def _pages(run: Runner) -> Iterator[str]:
    for (said,) in run.rows_of_text(f"PRAGMA integrity_check({MOST_REPORTED})"):
        if said != "ok":
            yield f"SQLite: {said}"


def _records(run: Runner, counts: Counts) -> Iterator[str]:
    reported = 0
    for row in run.stream(queries.documents(dataset=False)):
        try:
            record = to_record(row)
        except StoreError:
            reported += 1
            if reported <= MOST_REPORTED:
                yield f"The record {id_of(row[0])} is not what was written."
            continue
        _count(counts, record)


def _count(counts: Counts, record: StoredRecord) -> None:
    for attribute, facet in FACET_OF_CONDITION.items():
        values = record.tags if facet == "tag" else [getattr(record, attribute)]
        counts.update((facet, value) for value in values if value is not None)


def _patterns(run: Runner) -> Iterator[str]:
    for key, pattern, checksum in run.stream(reading.PATTERNS):
        if not is_text_sound(key, pattern, checksum):
            yield f"The pattern of the record {id_of(key)} is not what was written."


def _causes(run: Runner) -> Iterator[str]:
    for row in run.stream(reading.CAUSES):
        if not is_row_sound(row):
            yield f"The cause {row[0]!r} is not what was written."


def _counted(run: Runner, counts: Counts) -> Iterator[str]:
    kept: Counts = Counter()
    for row in run.stream(reading.EVERY_COUNT):
        kept[row[0], to_facet_value(row).value] = row[2]
    tagged: Counts = Counter({("tag", tag): n for tag, n in run.stream(queries.tag_rows())})
    wrong = [key for key in kept.keys() | counts.keys() if kept[key] != counts[key]]
    tags = {key: number for key, number in counts.items() if key[0] == "tag"}
    wrong += [key for key in tagged.keys() | tags.keys() if tagged[key] != counts[key]]
    for facet, value in sorted(set(wrong))[:MOST_REPORTED]:
        yield f"The records of the {facet} {value!r} are {counts[facet, value]:,}, not as counted."
