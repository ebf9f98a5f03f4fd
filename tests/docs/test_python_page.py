"""The public Python API, used as docs/python.md says and by nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import errdex

PAGE = (Path(__file__).parents[2] / "docs/python.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
PASTE = "ModuleNotFoundError: No module named 'basket'"


@pytest.fixture(autouse=True)
def without_a_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The user has no database, so that the starter records answer."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "none"))
    monkeypatch.delenv("ERRDEX_DATABASE_URL", raising=False)


@pytest.mark.slow
def test_the_examples_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for example in EXAMPLES:
        exec(example, names)  # noqa: S102 (our own page)
    message, solution, captures, found, trouble = capsys.readouterr().out.splitlines()
    assert message == "No module named '{module}'"
    assert "pip install" in solution
    assert captures == "[('module', 'basket')]"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z .+", found)
    assert "There is no database at /srv/no-such-folder/errdex.db" in trouble


def test_the_page_names_all_that_is_public() -> None:
    public = {"Answer", "Knowledge", "Pack", "Trouble", "match", "open", "open_pack"}
    assert set(errdex.__all__) == public
    for name in errdex.__all__:
        assert f"`errdex.{name}" in PAGE or f"errdex.{name}`" in PAGE, name
        assert getattr(errdex, name).__doc__
    members = {name for name in vars(errdex.Knowledge) if not name.startswith("_")}
    assert members == {"match", "search", "find", "version", "close"}
    assert all(f"| `{name}" in PAGE for name in members)
    assert {name for name in vars(errdex.Pack) if not name.startswith("_")} == {"match", "version"}
    assert not hasattr(errdex, "no_such_name")


@pytest.mark.slow
def test_an_answer_is_typed_and_shared_calls_agree() -> None:
    answer = errdex.match(PASTE)
    assert isinstance(answer, errdex.Answer)
    with errdex.open() as knowledge:
        assert isinstance(knowledge, errdex.Knowledge)
        assert knowledge.match(PASTE.encode()) == answer
        assert knowledge.find("0" * 16) is None
        assert knowledge.find("no id") is None
        assert knowledge.search("zzqxv") == []


def test_a_file_is_opened_by_its_path_and_a_missing_one_is_reported(tmp_path: Path) -> None:
    for place in (tmp_path / "a.db", str(tmp_path / "a.db"), f"sqlite:///{tmp_path}/a.db"):
        with pytest.raises(errdex.Trouble, match="There is no database at"):
            errdex.open(place)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(errdex.Trouble, match="sqlite:///"):
        errdex.open("mysql://somewhere")


def test_importing_it_loads_nothing_else() -> None:
    program = "import sys, errdex; print([n for n in sys.modules if n.startswith('errdex.')])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout.strip() == "[]"
