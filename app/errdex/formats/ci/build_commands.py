"""Keeps build servers from reading commands in an answer that is printed in their log.

GitHub's runner obeys a line that begins with `::`, white space before it aside, and `##[…]`
anywhere in a line; Azure's and TeamCity's obey `##vso[…]` and `##teamcity[…]`. A log or a record
may hold them. In data the same characters are written as escapes; in text an invisible character
is put between.
"""

from __future__ import annotations

from errdex import lazy_re as re

_JOINER = "\u2060"
_ANYWHERE = re.compile(r"#(?=#[A-Za-z]{0,20}\[)")
_AT_START = re.compile(r"((?:^|(?<=\r))[^\S\r\n]*)(?=::)", re.MULTILINE)
_AT_START_OF_BYTES = re.compile(rb"((?:^|(?<=\r))[^\S\r\n]*):(?=:)", re.MULTILINE)


def disarm_line(text: str) -> str:
    """A part of a line of text, in which nothing is a command wherever it is."""
    return _ANYWHERE.sub(f"#{_JOINER}", text) if "##" in text else text


def disarm_text(text: str) -> str:
    """Text of several lines."""
    return _AT_START.sub(rf"\1{_JOINER}", disarm_line(text)) if "::" in text else disarm_line(text)


_STEERING = re.compile(
    rb"\x7f|\xc2[\x80-\x9f\xad]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"
    rb"|\xee[\x80-\xbf]{2}|\xef[\x80-\xa3][\x80-\xbf]"
)
"""What JSON leaves as it is and may steer a terminal, in UTF-8: DEL, C1 controls, marks of
direction, what is not seen and what is for private use."""


def disarm_json(data: bytes) -> bytes:
    """JSON that says the same, in which nothing steers a build server or a terminal either."""
    escaped = _STEERING.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), data)
    return escaped.replace(b"##", b"\\u0023#")


def disarm_xml(data: bytes) -> bytes:
    """XML that says the same."""
    return _AT_START_OF_BYTES.sub(rb"\1&#58;", data.replace(b"##", b"&#35;#"))
