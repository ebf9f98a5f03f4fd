"""What a command does not use it does not wait for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store

pytestmark = pytest.mark.slow

_PROGRAM = """
import sys
from errdex.cli import main
try:
    main()
finally:
    print(sorted({"numpy", "whoosh"} & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["match", "known.log"], "[]"),
        (["stats"], "[]"),
        (["match", "unknown.log"], "['numpy', 'whoosh']"),
        (["search", "basket"], "['numpy', 'whoosh']"),
    ],
)
def test_only_a_command_that_searches_loads_the_search(
    tmp_path: Path, arguments: list[str], loaded: str
) -> None:
    url = f"sqlite:///{tmp_path / 'errdex.db'}"
    load(tmp_path, *open_store(Settings(database_url=url)), SHOP)
    (tmp_path / "known.log").write_text("ShopError: Basket 4711 is empty\n")
    (tmp_path / "unknown.log").write_text("ShopError: Basket 4711 was lost\n")
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments, "--database", url],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "app")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.stderr.strip().splitlines()[-1] == loaded
