"""The IPython and Jupyter extension: a known error's card below its traceback."""

from __future__ import annotations

import html
from collections.abc import Sequence
from traceback import format_exception
from typing import Any

_LONGEST = 1_000_000
"""Characters of a traceback that are looked at: its end."""


class Card:
    """A known error, as a notebook and a terminal show it."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def __repr__(self) -> str:
        return "\n".join(self._lines)

    def _repr_html_(self) -> str:
        rows = (html.escape(line).partition(": ") for line in self._lines)
        inner = "<br>".join(f"<b>{word}:</b> {text}" for word, _, text in rows)
        return f'<div style="border-left:4px solid #1a7f37;padding:.4em .8em">{inner}</div>'


class ErrorCards:
    """Shows a card after each cell that fails with a known error."""

    def __init__(self) -> None:
        self._said = ""

    def show(self, result: Any) -> None:  # noqa: ANN401 (IPython's ExecutionResult)
        """Called by IPython after each cell."""
        error = result.error_in_exec or result.error_before_exec
        if not isinstance(error, Exception):
            return  # none, or one that the user wanted, such as Ctrl-C
        import errdex
        from errdex.formats.card import card_lines, find_known

        text = "".join(format_exception(error))[-_LONGEST:]
        try:
            event = find_known(errdex.match(text))
        except errdex.Trouble as trouble:
            self._say(str(trouble))
            return
        if event is not None:
            from IPython.display import display

            display(Card(card_lines(event)))

    def _say(self, trouble: str) -> None:
        """Once, since every failing cell has the same trouble."""
        if trouble != self._said:
            self._said = trouble
            print(f"errdex: {trouble}")  # noqa: T201 (the user's session)


_EVENT = "post_run_cell"
_loaded: dict[int, ErrorCards] = {}
"""What is registered, by the shell's identity."""


def load(shell: Any) -> None:  # noqa: ANN401 (IPython's InteractiveShell)
    """Show cards in this shell."""
    if id(shell) not in _loaded:
        cards = _loaded[id(shell)] = ErrorCards()
        shell.events.register(_EVENT, cards.show)


def unload(shell: Any) -> None:  # noqa: ANN401
    """Show no more cards in this shell."""
    if (cards := _loaded.pop(id(shell), None)) is not None:
        shell.events.unregister(_EVENT, cards.show)
