"""What the system and its protocols define: errno, HTTP statuses, OpenSSL's reasons."""

from __future__ import annotations

import errno
import os
import platform
import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import Tool, ToolMessage
from errdex.harvest.catalogues.tools.programs import ask, find_program, version_of
from errdex.harvest.model import Fixed, SourceHole

_MAN_PAGE = "https://man7.org/linux/man-pages/man3/errno.3.html"
_HTTP_PAGE = "https://developer.mozilla.org/docs/Web/HTTP/Reference/Status/{status}"
_LIBRARIES = range(2, 64)
_REASONS = range(100, 420)
_TLS_ALERTS = range(1000, 1130)
_AT_ONCE = 1_000
_REASON = re.compile(r"^error:([0-9A-F]{8}):([^:]*):[^:]*:(.+)$")
_UNKNOWN = re.compile(r"^(?:lib|reason)\(\d+\)$")


def read_errno(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The error numbers of this system."""
    tool = Tool(name="errno", repo="bminor/glibc", version=platform.system(), language=None)
    return tool, _error_numbers()


def _error_numbers() -> Iterator[ToolMessage]:
    for number, name in sorted(errno.errorcode.items()):
        text = os.strerror(number)
        yield ToolMessage(
            message=f"{name}: {text}",
            code=name,
            documentation=f"Error number {number} of the system. Programs print it as "
            f"“{text}”, as {name}, or as the number.",
            reference=_MAN_PAGE,
        )


def read_http(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The statuses of HTTP that report an error."""
    tool = Tool(name="http", repo="httpwg/http-core", version="", language=None)
    return tool, _statuses()


def _statuses() -> Iterator[ToolMessage]:
    for status in HTTPStatus:
        if status >= 400:
            yield ToolMessage(
                message=f"{status.value} {status.phrase}",
                parts=(Fixed(f"{status.value} {status.phrase}"),),
                http_status=status.value,
                documentation=f"{status.description}." if status.description else None,
                reference=_HTTP_PAGE.format(status=status.value),
            )


def read_openssl(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The reasons of each of OpenSSL's libraries, by `openssl errstr`."""
    program = find_program("openssl", where)
    tool = Tool(
        name="openssl",
        repo="openssl/openssl",
        version=version_of(program, "version"),
        language=None,
    )
    return tool, _reasons(program)


def _reasons(program: Path) -> Iterator[ToolMessage]:
    codes = [
        f"{library << 23 | reason:08X}"
        for library in _LIBRARIES
        for reason in (*_REASONS, *_TLS_ALERTS)
    ]
    for start in range(0, len(codes), _AT_ONCE):
        printed = ask(program, "errstr", *codes[start : start + _AT_ONCE], statuses=range(256))
        for line in printed.splitlines():
            found = _REASON.match(line)
            if found is None or _UNKNOWN.match(found[2]) or _UNKNOWN.match(found[3]):
                continue
            yield ToolMessage(
                message=f"error:{found[1]}:{found[2]}::{found[3]}",
                parts=(Fixed(f"error:{found[1]}:{found[2]}:"), SourceHole("function"),
                       Fixed(f":{found[3]}")),
                code=found[1],
                title=f"OpenSSL: {found[3]}",
                documentation=f"Reported by OpenSSL’s {found[2].removesuffix(' routines')} part.",
            )  # fmt: skip
