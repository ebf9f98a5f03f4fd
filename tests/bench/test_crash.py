"""A few kills of each kind; `python -m bench.crash` does hundreds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from bench.crash import SCENES, SERVED_WRONG, damage_database, play
from bench.crash_runs import Place, Wrong, run_ingest


@pytest.mark.parametrize("scene", [name for name in SCENES if name != "ingestion killed"])
def test_nothing_wrong_is_served(scene: str) -> None:
    told = play(scene, 25)
    if any(each.startswith("skipped") for each in told):
        pytest.skip(next(iter(told)))
    assert sum(told.values()) > 0


def test_a_damaged_database_is_noticed_or_without_effect(tmp_path: Path) -> None:
    told = damage_database(tmp_path, 40, random.Random(3))
    assert any("page: noticed" in each for each in told)
    assert any("byte: noticed" in each for each in told)
    assert told[SERVED_WRONG] == 0


def test_a_mixture_would_be_seen(tmp_path: Path) -> None:
    place = Place(tmp_path)
    run_ingest(place, 0)
    (tmp_path / "errdex.db").rename(tmp_path / "kept.db")
    other = Place(tmp_path, records=120)
    run_ingest(other, 1)
    with pytest.raises(Wrong, match="are others"):
        place.check()
