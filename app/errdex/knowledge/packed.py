"""A knowledge base in one file: the patterns of a version, and of each record what an answer needs.

It is a pack (see `errdex.matching.patterns.pack`) with the records as further sections, each
compressed with a dictionary that all share. A pack comes from anywhere, so a record is validated
like one of a record file before it is used.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

from errdex.knowledge.class_causes import ClassCauses
from errdex.knowledge.matching import MatchAnswer, RecordCache, match_paste, named_records
from errdex.knowledge.raise_sites import find_versions
from errdex.matching.garbage_collection import collect_rarely
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pack.columns import Texts, TextsWriter, section
from errdex.matching.patterns.pack.sections import PackDamaged, PackMissing, join_sections
from errdex.matching.ranking import Matcher, MatchLimits
from errdex.records.causes import Cause, parse_cause
from errdex.records.fields import COLUMNS
from errdex.records.wire import dump_wire, load_wire
from errdex.store import Snapshot, StoredRecord

if TYPE_CHECKING:
    from errdex.records.model import Record

_LEFT_OUT = ("sourceCode", "samples", "counterSamples")
"""What no answer shows."""
_MOST_BYTES = 16 << 20
"""Of one record."""
_DICTIONARY_BYTES = 112 << 10  # as zstd recommends
_TRAINED_WITH = 4_000
"""Records, every nth of all, whose common text becomes the dictionary."""


class PackedKnowledge:
    """Matches pastes against a pack. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, PackMissing and PackDamaged."""
        patterns = PatternSet.open(path)
        if "records" not in patterns.sections:
            raise PackMissing(f"{path} has patterns without records: `errdex pack` writes both.")
        self._records = _Records(patterns)
        self._matcher = Matcher(patterns)
        self._causes = ClassCauses(_causes(patterns))
        self.version = Texts(patterns.sections, "version").text(0)
        """The dataset version that it was written of."""
        collect_rarely()

    def match(self, data: bytes | str, limits: MatchLimits | None = None) -> MatchAnswer:
        """Match a paste. There are no near misses, which need the full-text index. Raises
        PackDamaged; no content of a paste makes it raise."""
        records = RecordCache(self._records)
        answer = match_paste(self._matcher, records, data, limits or MatchLimits())
        named = named_records(answer, records)
        versions = find_versions(data, named)
        return MatchAnswer(answer, named, self.version, versions, self._causes)

    def find_records(self, record_ids: Iterable[str]) -> dict[str, StoredRecord]:
        """The records that exist of these, by id. Raises PackDamaged."""
        return self._records.find_many(record_ids)


def _causes(patterns: PatternSet) -> Iterator[Cause]:
    """Those that name classes. Raises PackDamaged."""
    if "causes" not in patterns.sections:  # written before packs had them
        return
    written = Texts(patterns.sections, "causes")
    try:
        for place in range(len(written)):
            yield parse_cause(load_wire(written.text(place)))
    except (ValueError, TypeError, RecursionError) as error:
        raise PackDamaged("The causes in the pack are damaged.") from error


class _Records:
    """The records of a pack."""

    def __init__(self, patterns: PatternSet) -> None:
        self._ids = patterns.facts.ids
        self._bodies = Texts(patterns.sections, "records")
        if len(self._bodies) != len(self._ids):
            raise PackDamaged("The pack has not a record for each pattern.")
        dictionary = section(patterns.sections, "dictionary").tobytes()
        self._dictionary = zstandard.ZstdCompressionDict(dictionary) if dictionary else None

    def find_many(self, record_ids: Iterable[str]) -> dict[str, StoredRecord]:
        """The records that exist of these, by id. Raises PackDamaged."""
        found = {}
        for record_id in record_ids:
            place = bisect_left(self._ids, record_id.encode())
            if place < len(self._ids) and self._ids.text(place) == record_id:
                found[record_id] = self._read(place, record_id)
        return found

    def _read(self, place: int, record_id: str) -> StoredRecord:
        from errdex.records.validation import parse_record

        compressed = self._bodies[place]
        try:
            decompressor = zstandard.ZstdDecompressor(dict_data=self._dictionary)
            if not 0 <= zstandard.frame_content_size(compressed) <= _MOST_BYTES:
                raise PackDamaged(f"The record {record_id} in the pack is too large.")
            body = decompressor.decompress(compressed).decode()
            return _stored(parse_record(load_wire(body)), record_id, body)
        except (zstandard.ZstdError, ValueError, RecursionError) as error:
            raise PackDamaged(f"The record {record_id} in the pack is damaged.") from error


def _stored(record: Record, record_id: str, body: str) -> StoredRecord:
    """Raises PackDamaged."""
    if record.id != record_id:
        raise PackDamaged(f"The record {record_id} in the pack is another one.")
    return StoredRecord(
        id=record_id,
        dataset="",
        changed_version="",
        body_json=body,
        tags=tuple(dict.fromkeys(record.tags or ())),
        **{name: getattr(record, name) for name in COLUMNS if name != "tags"},
    )


def join_pack(patterns: PatternSet, snapshot: Snapshot) -> bytes:
    """The patterns of a version and its records, in one file. Raises StoreError."""
    step = max(1, len(patterns) // _TRAINED_WITH)
    samples = snapshot.find_many(
        patterns.key(place) for place in range(0, len(patterns), step)
    ).values()
    dictionary = _train(list(map(_kept, samples)))
    compressor = zstandard.ZstdCompressor(
        level=9, dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    )
    records, version, causes = TextsWriter(), TextsWriter(), TextsWriter()
    version.add_text(snapshot.version)
    for record in snapshot.documents():
        if record.id not in patterns.refused:
            records.add(compressor.compress(_kept(record)))
    for known in snapshot.causes().values():
        if known.cause.classes:
            causes.add(dump_wire(known.cause.to_dict()))
    sections: dict[str, bytes | bytearray | memoryview] = dict(patterns.sections)
    version.write(sections, "version")
    records.write(sections, "records")
    causes.write(sections, "causes")
    sections["dictionary"] = dictionary
    return join_sections(sections)


def _kept(record: StoredRecord) -> bytes | bytearray | memoryview:
    body = {key: value for key, value in record.body.items() if key not in _LEFT_OUT}
    return dump_wire(body)


def _train(samples: list[bytes | bytearray | memoryview]) -> bytes:
    """What the samples have in common; nothing where they are too few."""
    try:
        return zstandard.train_dictionary(_DICTIONARY_BYTES, samples).as_bytes()
    except zstandard.ZstdError:
        return b""
