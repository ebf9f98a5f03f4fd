"""Prints rows of text to a terminal: answers, records, search results."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from errdex.cli.views.terminal import out, printable
from errdex.formats.layout import WIDTH, Row, Tone, lay_out

_STYLES = {
    Tone.PLAIN: "",
    Tone.DIM: "dim",
    Tone.HEADING: "bold",
    Tone.ERROR: "bold red",
    Tone.KNOWN: "bold green",
    Tone.CAPTURE: "yellow",
    Tone.FILLED: "bold underline",
    Tone.BLANK: "italic",
    Tone.CODE: "cyan",
    Tone.MARK: "dim",
}


def print_rows(rows: Iterable[Row], console: Console | None = None) -> None:
    """Print rows, wrapped to the terminal's width, and to 100 columns at most, to standard output
    or another console. Where there are colours, they show what is code."""
    console = console or out()
    width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    coloured = console.is_terminal and not console.no_color and bool(console.color_system)
    for row in lay_out(rows, width, marks=not coloured):
        text = Text.assemble(
            " " * row.indent, *((printable(part), _STYLES[tone]) for part, tone in row.parts)
        )
        text.rstrip()
        console.print(text, soft_wrap=True)
    sys.stdout.flush()
