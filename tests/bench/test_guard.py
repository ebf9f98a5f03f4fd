"""The guard compares ratios: it fails for a worse one and for one that is gone, not for a
slower machine."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from bench import __main__ as whole
from bench.curves import draw
from bench.figures import RESULTS, RESULTS_IN, Curve, Figure, Result, load
from bench.guard import compare
from bench.report import ROOT, write


def figure(ours: float, theirs: float, more: bool = True) -> Figure:
    return Figure("things done", "1/s", ours, "peer", theirs, more)


@pytest.mark.parametrize(
    ("now", "fails"),
    [
        (figure(50, 100), True),
        (figure(200, 100), False),
        (figure(80, 100), False),
        (figure(10, 10), False),
        (figure(9, 10, more=False), False),
        (figure(20, 10, more=False), True),
        (figure(0, 10), True),
    ],
)
def test_only_a_worse_ratio_fails(now: Figure, fails: bool) -> None:
    assert bool(compare({"x": now}, {"x": 1.0})) is fails


def test_nothing_wrong_now_as_before_is_as_good() -> None:
    nothing, one = figure(0, 1, more=False), figure(1, 1, more=False)
    assert compare({"x": nothing}, {"x": 0.0}) == []
    assert len(compare({"x": one}, {"x": 0.0})) == 1


def test_a_machine_at_half_the_speed_is_no_regression() -> None:
    kept = figure(1000, 400).ratio
    assert compare({"x": figure(500, 200)}, {"x": kept}) == []


def test_a_ratio_that_is_no_longer_measured_fails() -> None:
    assert compare({}, {"x": 1.0}) == ["x: not measured"]


def test_the_page_and_the_curves_are_made_of_the_results(tmp_path: Path) -> None:
    curve = Curve("Time & <memory>", "s", [(1_000, 0.5), (50_000, 2.0), (200_000, 7.25)])
    result = Result("matching", "Matching", "small", [figure(300, 100)], [curve])
    result.save(tmp_path / "results")
    ((loaded, machine),) = load(tmp_path / "results")
    assert loaded == result
    assert machine["python"]
    write(tmp_path, tmp_path / "results")
    page = (tmp_path / "BENCHMARKS.md").read_text()
    assert "| things done | 300 1/s | peer | 100 1/s | 3.00 · better |" in page
    (drawn,) = (tmp_path / "docs").rglob("*.svg")
    assert f"(docs/{drawn.relative_to(tmp_path / 'docs')})" in page
    root = ET.fromstring(drawn.read_text())  # noqa: S314 (of our own making)
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == 3


def test_a_first_look_is_shown_and_keeps_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(commands: list[list[str]], environment: dict[str, str]) -> int:
        assert ["bench.measures", "search", "0.1"] in commands
        small = Result("matching", "Matching", "small", [figure(300, 100)])
        small.save(Path(environment[RESULTS_IN]))
        return 0

    monkeypatch.setattr(whole, "run", run)
    monkeypatch.setattr(sys, "argv", ["bench", "0.1"])
    kept = [ROOT / "BENCHMARKS.md", *RESULTS.iterdir()]
    before = [each.read_bytes() for each in kept]
    assert whole.main() == 0
    assert "| things done | 300 1/s | peer | 100 1/s |" in capsys.readouterr().out
    assert [each.read_bytes() for each in kept] == before


def test_one_point_can_be_drawn() -> None:
    drawn = ET.fromstring(draw(Curve("one", "s", [(100, 0.0)])))  # noqa: S314
    assert drawn.tag.endswith("svg")
    assert "nan" not in ET.tostring(drawn, "unicode").lower()
