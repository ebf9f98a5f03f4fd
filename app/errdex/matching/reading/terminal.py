"""What a terminal obeys rather than shows, taken out of a whole text in one pass.

Costs nothing where the text has no such codes; else one compiled, linear regex.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass, field

from errdex import lazy_re as re
from errdex.matching.patterns.regex.syntax_tree import INVISIBLE

_ESCAPES = (
    r"\x1b(?:"
    r"\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # CSI: colours, cursor, erase
    r"|[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)"  # OSC, DCS, APC: links, titles, CI marks
    r"|[()*+][0-9A-B]|[0-9=>@-Z\\^_a-z]"
    r")?"
)
_C1 = r"\x9b[0-?]{0,64}[ -/]{0,8}[@-~]"
_OVERSTRIKE = r"[^\n\r\x08]?\x08"
_CARET = r"\^\[\[[\d;]{0,24}[mK]"
_BARE = r"(?:\\(?:u001b|x1b|033|e))?\[(?:\d{1,3}(?:;\d{1,3}){0,6}m|m(?!\w))"
"""A colour code whose ESC was lost on the way through a browser."""

_BEGINNING = 20_000
"""Characters in which such a code is looked for."""
_MANGLED = r"[?\u2190\u241b]\[\d{1,3}(?:;\d{1,3}){0,6}m"
"""The same where ESC became a sign that can be shown."""
_INVISIBLE = f"[{INVISIBLE}]"
"""Web pages and chats put them between other characters."""


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Offsets in a shortened text → offsets in the text it was made from."""

    starts: array[int] = field(default_factory=lambda: array("q"))
    """Offset in the shortened text from which `shifts` at the same index holds."""
    shifts: array[int] = field(default_factory=lambda: array("q"))

    def original(self, offset: int) -> int:
        """The offset in the original text of the character at `offset`."""
        if not self.starts:
            return offset
        index = bisect_right(self.starts, offset) - 1
        return offset + self.shifts[index] if index >= 0 else offset


def strip_codes(text: str) -> tuple[str, OffsetMap]:
    """Take out escape sequences (also those whose ESC became `^[` or was lost), backspaces with
    what they delete, and characters without a width."""
    alternatives = []
    if "\x1b" in text:
        alternatives.append(_ESCAPES)
    if "\x9b" in text:
        alternatives.append(_C1)
    if "\x08" in text:
        alternatives.append(_OVERSTRIKE)
    if "^[[" in text:
        alternatives.append(_CARET)
    beginning = text[:_BEGINNING]
    if "?[" in beginning or "\u2190[" in beginning or "\u241b[" in beginning:
        alternatives.append(_MANGLED)
    if "[0m" in text or "[39m" in text or "[22m" in text:
        alternatives.append(_BARE)
    if not text.isascii() and re.search(_INVISIBLE, text):
        alternatives.append(_INVISIBLE)
    if not alternatives:
        return text, OffsetMap()
    return _cut(text, re.compile("|".join(alternatives)))


def _cut(text: str, regex: re.Pattern[str]) -> tuple[str, OffsetMap]:
    pieces: list[str] = []
    starts, shifts = array("q"), array("q")
    kept = end = 0
    for found in regex.finditer(text):
        start, stop = found.span()
        if start > end:
            pieces.append(text[end:start])
        kept += start - end
        if starts and starts[-1] == kept:
            shifts[-1] = stop - kept
        else:
            starts.append(kept)
            shifts.append(stop - kept)
        end = stop
    pieces.append(text[end:])
    return "".join(pieces), OffsetMap(starts, shifts)
