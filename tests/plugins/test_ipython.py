"""The extension for IPython and Jupyter: in a shell of IPython's, and in a kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import errdex
from errdex.library import default_knowledge

pytestmark = pytest.mark.slow
CELL = "class ShopError(Exception): pass\nraise ShopError('Basket 4711 is empty')"
CARD = [
    "Known error: Basket {basket_id} is empty  (acme/shop · ShopError)",
    "Fix: Add an article to basket `4711` before checkout.",
]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, database: str, tmp_path: Path) -> Iterator[Any]:
    """A shell with the extension."""
    monkeypatch.setenv("ERRDEX_DATABASE_URL", database)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    default_knowledge.cache_clear()
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "errdex")
    yield shell
    shell.run_line_magic("unload_ext", "errdex")
    InteractiveShell.clear_instance()
    default_knowledge.cache_clear()


def run(shell: Any, cell: str) -> str:
    with capture_output() as captured:
        shell.run_cell(cell)
    return captured.stdout + "".join(each.data["text/plain"] for each in captured.outputs)


def test_what_is_not_known_or_wanted_has_no_card(shell: Any) -> None:
    for cell in ("1 + 1", "raise ValueError('nothing like it')", "raise KeyboardInterrupt",
                 "raise SystemExit", "def f(:"):  # fmt: skip
        assert "Known error" not in run(shell, cell), cell


def test_a_known_error_has_its_card_below_the_traceback(shell: Any) -> None:
    with capture_output() as captured:
        shell.run_cell(CELL)
    (card,) = captured.outputs
    text, shown = card.data["text/plain"], card.data["text/html"]
    assert text.splitlines()[:2] == CARD
    assert "<b>Fix:</b> Add an article to basket" in shown


def test_texts_of_records_stay_text(shell: Any) -> None:
    with capture_output() as captured:
        shell.run_cell("class CurseError(Exception): pass\nraise CurseError('Cart 7 is cursed')")
    shown = captured.outputs[0].data["text/html"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "<script" not in shown


def test_it_can_be_turned_off(shell: Any) -> None:
    shell.run_line_magic("unload_ext", "errdex")
    assert "Known error" not in run(shell, CELL)
    shell.run_line_magic("load_ext", "errdex")
    assert "Known error" in run(shell, CELL)


def test_trouble_is_reported_once(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> None:
        raise errdex.Trouble("There is no database.")

    monkeypatch.setattr(errdex, "match", fail)
    assert "errdex: There is no database." in run(shell, CELL)
    assert "errdex:" not in run(shell, CELL)


def test_a_kernel_sends_the_card_to_its_notebook(database: str, tmp_path: Path) -> None:
    from jupyter_client.manager import start_new_kernel

    environment = {
        **os.environ,
        "ERRDEX_DATABASE_URL": database,
        "PYTHONPATH": str(Path(__file__).parents[2] / "app"),
        "IPYTHONDIR": str(tmp_path),
    }
    manager, client = start_new_kernel(env=environment, startup_timeout=300)
    try:
        sent: list[dict[str, Any]] = []
        client.execute_interactive("%load_ext errdex", timeout=300)
        client.execute_interactive(CELL, timeout=300, output_hook=sent.append)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    kinds = [message["header"]["msg_type"] for message in sent]
    assert kinds.index("error") < kinds.index("display_data")
    data = sent[kinds.index("display_data")]["content"]["data"]
    assert data["text/plain"].splitlines()[:2] == CARD
    assert "<b>Known error:</b>" in data["text/html"]
