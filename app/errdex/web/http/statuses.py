"""What statuses of HTTP are called, in RFC 9110's words: Python's own differ by its version."""

from __future__ import annotations

from http import HTTPStatus

_RENAMED = {413: "Content Too Large", 414: "URI Too Long", 422: "Unprocessable Content"}


def name_of(status: int) -> str:
    """The name of a status, such as Not Found."""
    return _RENAMED.get(status) or HTTPStatus(status).phrase
