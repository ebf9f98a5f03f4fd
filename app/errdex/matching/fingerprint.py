"""The fingerprint of an error: equal for equal errors of different runs.

It is made of the language, the class, the message without what changes from run to run, and the
innermost frame of the program's own code, without its line, which moves with every edit. Known
and unknown errors have one.
"""

from __future__ import annotations

from hashlib import sha256

from errdex import lazy_re as re
from errdex.matching.masking import Blank, find_variable, mask
from errdex.matching.model import Event
from errdex.matching.own_code import FrameLike, own_frames
from errdex.matching.reading.terminal import strip_codes

VERSION = "v1"
"""Changes whenever the same error gets another fingerprint than before."""
_MESSAGE = 250
"""Characters of the message that count; what follows is usually data."""
_NUMBERED = re.compile(r"[0-9a-f]{8,}|\d+")


def fingerprint_of(event: Event) -> str:
    """The fingerprint of an error, such as `v1:` and 32 hexadecimal digits."""
    frame = next(own_frames(event.frames), None)
    parts = (
        event.language,
        event.error_class or event.code or "",
        _template(event.message[: 4 * _MESSAGE]),
        _place(frame) if frame else "",
    )
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"{VERSION}:{sha256(text).hexdigest()[:32]}"


def _template(message: str) -> str:
    """The message with the same blank for each value that changes, in single spaces: a host may
    be a name in one run and a number in another."""
    text = " ".join(strip_codes(message)[0].split())[:_MESSAGE]
    return mask(text, [Blank(each.start, each.end, "") for each in find_variable(text)])


def _place(frame: FrameLike) -> str:
    """The file's name and the function; a build's hashes and counters in them do not count."""
    name = (frame.file or "").replace("\\", "/").rpartition("/")[2]
    return _NUMBERED.sub("#", f"{name} {frame.function or ''}")
