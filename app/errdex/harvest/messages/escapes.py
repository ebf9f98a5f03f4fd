"""The escapes of string literals, which most languages write alike."""

from __future__ import annotations

from errdex import lazy_re as re

_SIMPLE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "a": "\a",
    "e": "\x1b",
    "0": "\0",
    "s": " ",
    "\n": "",
    "\r\n": "",
}
_ESCAPE = re.compile(
    r"\\(?:x(?P<byte>[0-9a-fA-F]{1,2})|u\{(?P<braced>[0-9a-fA-F_]{1,8})\}|u(?P<short>[0-9a-fA-F]{4})"
    r"|U(?P<long>[0-9a-fA-F]{8})|(?P<octal>[0-7]{1,3})|(?P<plain>\r\n|.))",
    re.DOTALL,
)


def unescape(text: str) -> str:
    """A piece of a string literal as it prints."""
    return _ESCAPE.sub(_one, text) if "\\" in text else text


def _one(escape: re.Match[str]) -> str:
    plain = escape["plain"]
    if plain is not None:
        return _SIMPLE.get(plain, plain)
    if escape["octal"] is not None:
        return chr(int(escape["octal"], 8))
    number = escape["byte"] or escape["braced"] or escape["short"] or escape["long"]
    code = int(number.replace("_", ""), 16)
    return chr(code) if code < 0x110000 else "\ufffd"


def unindented(text: str) -> str:
    """A block of text without the white space that all its lines begin with, and without
    the line breaks at its ends."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[0].strip():
        lines = lines[1:]
    closing = lines[-1:] if lines and not lines[-1].strip() else []
    margins = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    margins += [len(line) for line in closing]
    margin = min(margins, default=0)
    return "\n".join(line[margin:].rstrip() for line in lines).rstrip("\n")
