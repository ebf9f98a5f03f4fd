"""Reading a paste: bytes of any kind → logical lines that know where they came from.

`read_paste(data, limits=…) -> Paste`. `Paste.text` is the decoded original, `Paste.texts`
the logical lines (`Paste.lines` the same as `Line` objects, made on demand), and
`Paste.locate(line, column)` gives the original line number and offset of any character.

*Invariant:* every logical line maps back to the paste: taking off prefixes, terminal codes
and escapes never loses where a character came from. Nothing is dropped but decoration.

*Cost:* linear. Whole-text passes in C decide which costly steps are needed at all; a
healthy line costs one or two anchored regex attempts (about 2 µs).
"""

from errdex.matching.reading.builder import ReadingLimits, read_paste
from errdex.matching.reading.paste import Paste, Place

__all__ = ["Paste", "Place", "ReadingLimits", "read_paste"]
