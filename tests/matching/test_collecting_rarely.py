"""Garbage is looked for rarely where pastes are matched."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from errdex.matching.garbage_collection import collect_rarely


@pytest.fixture(autouse=True)
def _thresholds_as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(("before", "after"), [(700, 50_000), (200_000, 200_000), (0, 0)])
def test_what_a_process_has_set_is_only_made_rarer(before: int, after: int) -> None:
    gc.set_threshold(before, 10, 10)

    collect_rarely()

    assert gc.get_threshold() == (after, 10, 10)
