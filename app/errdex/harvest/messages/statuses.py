"""HTTP statuses as sources name them."""

from __future__ import annotations

from http import HTTPStatus

from errdex import lazy_re as re

_BY_NAME = {status.name.replace("_", ""): int(status) for status in HTTPStatus if status >= 400}
_BY_NAME |= {
    "REQUESTENTITYTOOLARGE": 413,
    "UNPROCESSABLECONTENT": 422,
    "UNPROCESSABLEENTITY": 422,
    "TOOMANYREQUESTS": 429,
    "INTERNALERROR": 500,
    "INTERNALSERVERERROR": 500,
    "INTERNAL": 500,
    "TEAPOT": 418,
}
_PREFIX = re.compile(r"^(?:HTTP|STATUS|SC)+(?:\d{3})?", re.IGNORECASE)


def parse_status(source: str) -> int | None:
    """The status (400 to 599) that an expression is: `404`, `http.StatusNotFound`,
    `HttpStatus.NOT_FOUND`, `Response::HTTP_NOT_FOUND`, `StatusCodes.Status404NotFound`,
    `:not_found`. None for what does not say that it is one."""
    text = source.strip().strip("'\"")
    if re.fullmatch(r"[45]\d\d", text):
        return int(text)
    if not text.startswith(":") and not re.search(r"http|status|\bsc_", text, re.IGNORECASE):
        return None
    last = re.split(r"[.:]+", text.removesuffix("()").removesuffix(".value"))[-1]
    if (digits := re.match(r"(?:Status|HTTP_)([45]\d\d)", last)) is not None:
        return int(digits[1])
    return _BY_NAME.get(_PREFIX.sub("", last).replace("_", "").upper())
