"""Shows whether a reader that knows the patterns of one version, and has read what changed since,
knows those of another."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from errdex.store.checksums import text_sum
from errdex.store.keys import id_of, key_of

Patterns = Iterable[tuple[str, str]]
"""Ids and patterns."""


@dataclass(frozen=True, slots=True)
class PatternState:
    """The keys of all records and the sum of the checksums of their patterns. Where the keys are
    the same, other patterns have the same sum once in four thousand millions."""

    keys: array[int]
    checksums: int

    def gone_since(self, before: PatternState) -> list[str]:
        """The ids that were there before."""
        return [id_of(key) for key in set(before.keys).difference(self.keys)]

    def comes_of(self, before: PatternState, old: Patterns, new: Patterns) -> bool:
        """Whether this is what is there without the old patterns and with the new ones."""
        keys, checksums = set(before.keys), before.checksums
        for record_id, pattern in old:
            key = key_of(record_id)
            keys.discard(key)
            checksums -= text_sum(key, pattern)
        for record_id, pattern in new:
            key = key_of(record_id)
            keys.add(key)
            checksums += text_sum(key, pattern)
        return checksums == self.checksums and keys == set(self.keys)
