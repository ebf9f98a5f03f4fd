"""Prints an answer to a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.padding import Padding
from rich.text import Text

from errdex.cli.views.terminal import out
from errdex.formats.text import Row, Tone

_STYLES = {
    Tone.PLAIN: "",
    Tone.DIM: "dim",
    Tone.HEADING: "bold",
    Tone.ERROR: "bold red",
    Tone.KNOWN: "bold green",
    Tone.CAPTURE: "yellow",
    Tone.FILLED: "bold underline",
    Tone.BLANK: "italic",
}


def print_rows(rows: Iterable[Row]) -> None:
    """Print rows, wrapped to the terminal's width; in a pipe, lines are not wrapped."""
    console = out()
    for row in rows:
        text = Text.assemble(*((part, _STYLES[tone]) for part, tone in row.parts))
        if console.is_terminal:
            console.print(Padding(text, (0, 0, 0, row.indent)))
        else:
            console.print(Text(" " * row.indent) + text)
    sys.stdout.flush()
