"""The columns of a pack that hold the keys of its patterns (see `facts`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from errdex.matching.patterns.pack.facts import MOST_WORDS, MOST_WORDS_OF, ROW, WORD, Facts
from errdex.matching.patterns.pack.keys import (
    FLOATING,
    build_beginnings,
    build_table,
    hash_windows,
    lengths_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from errdex.matching.patterns.pack.keys import Places, Words
    from errdex.matching.patterns.pack.words import Hashes


class PatternKeys(NamedTuple):
    """The keys of some patterns: how many each has, all of them, a row each, and the hashes of the
    words that a match of each pattern needs besides."""

    counts: Places
    rows: Words
    words: Hashes

    def cut(self, first: int, last: int) -> PatternKeys:
        """Those of the patterns from one place up to another."""
        start, end = int(self.counts[:first].sum()), int(self.counts[:last].sum())
        return PatternKeys(self.counts[first:last], self.rows[start:end], self.words[first:last])


def copy_keys(base: Facts, first: int, last: int) -> PatternKeys:
    """Those of the patterns of another pack from one place up to another."""
    starts = np.asarray(base.rows_of.starts[first : last + 1], np.int64)
    chosen = np.asarray(base.pattern_rows)[starts[0] : starts[-1]]
    words = np.asarray(base.words, np.uint32).reshape(-1, MOST_WORDS_OF)[first:last]
    return PatternKeys(np.diff(starts), known_rows(base)[chosen], words)


def join_keys(pieces: Sequence[PatternKeys]) -> PatternKeys:
    """Those of several runs of patterns."""
    none = PatternKeys(
        np.empty(0, np.int64),
        np.empty((0, ROW), np.uint64),
        np.empty((0, MOST_WORDS_OF), np.uint32),
    )
    return PatternKeys(*map(np.concatenate, zip(none, *pieces, strict=True)))


def known_rows(base: Facts) -> Words:
    """The keys of a pack, a row each."""
    return np.asarray(base.rows, np.uint64).reshape(-1, ROW)


def write_keys(keys: PatternKeys) -> dict[str, NDArray[Any]]:
    """The columns with these keys."""
    rows, pattern_rows = _each_once(keys.rows)
    short = int((lengths_of(rows) < WORD).sum())
    beginnings, whole = hash_windows(rows[short:])
    hashes, key_of_window = np.unique(whole, return_inverse=True)
    row_keys = np.concatenate([np.arange(short), key_of_window + short]).astype(np.uint32)

    patterns = np.repeat(np.arange(len(keys.counts), dtype=np.uint32), keys.counts)
    key = row_keys[pattern_rows]
    ends = np.cumsum(np.bincount(key, minlength=short + len(hashes)))
    sizes = lengths_of(rows[short:])
    floating = rows[short:, MOST_WORDS] >= FLOATING
    return {
        "rows": rows,
        "row keys": row_keys,
        "pattern rows": pattern_rows.astype(np.uint32),
        "rows of": np.concatenate([[0], np.cumsum(keys.counts)]).astype(np.uint32),
        "words": keys.words,
        "hashes": hashes,
        "beginnings": build_beginnings(beginnings[~floating], sizes[~floating]),
        "floating": build_beginnings(beginnings[floating], sizes[floating]),
        "windows": build_table(whole),
        "key patterns": patterns[np.argsort(key, kind="stable")],
        "patterns of": np.concatenate([[0], ends]).astype(np.uint32),
        "unfiltered": np.flatnonzero(keys.counts == 0).astype(np.uint32),
    }


def _each_once(rows: Words) -> tuple[Words, Places]:
    """Each row once, those of short keys first, and the place there of each of them."""
    as_bytes = np.ascontiguousarray(rows).view(f"V{ROW * 8}").ravel()
    once, place = np.unique(as_bytes, return_inverse=True)
    rows = once.view(np.uint64).reshape(-1, ROW)
    order = np.argsort(lengths_of(rows) >= WORD, kind="stable")
    return rows[order], np.argsort(order)[place]
