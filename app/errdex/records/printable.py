"""Text that others wrote, for a terminal.

A record or a paste may hold escape sequences that would move the cursor, change the title
or hide a line. `printable` makes every control character visible.
"""

from __future__ import annotations

import unicodedata

_KEPT = {"\n", "\t"}


def printable(text: str) -> str:
    """The text with every character that could steer a terminal shown as its escape.

    Line breaks and tabs are kept; C0 and C1 controls, bidirectional overrides,
    other format characters, private-use and lone surrogate characters are not.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c in _KEPT or unicodedata.category(c)[0] != "C" else _escape(c) for c in text
    )


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def on_one_line(text: str) -> str:
    """The printable text with its line breaks and tabs folded into single spaces."""
    return " ".join(printable(text).split())
