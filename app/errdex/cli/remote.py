"""Asking another Errdex over HTTP, with what the standard library has."""

from __future__ import annotations

import json
from http.client import HTTPException, HTTPResponse
from time import monotonic
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from errdex.formats.answer import PasteAnswer, read_answer
from errdex.records.problems import Trouble

TIMEOUT = 60.0
"""Seconds without a word from the server."""
WHOLE_SECONDS = 300.0
"""In which the whole answer has to come."""
_MOST = 100_000_000
"""Bytes of an answer that are read."""
_PIECE = 1 << 16
_SAID = 4_000
"""Bytes of an answer that is none, of which something may be shown."""


class ServerTrouble(Trouble):
    """A server did not answer as it should; says what it did, in one sentence."""


class NothingThere(ServerTrouble):
    """The server has nothing at this address."""


class _Unmoved(HTTPRedirectHandler):
    """Follows no redirect: it would make a GET of the POST, or take a paste to another host."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Let it be an error."""


class Server:
    """An Errdex at an address such as https://errdex.example. Raises ValueError when that is
    no address of a web server."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise ValueError("--server needs an address such as https://errdex.example")
        self.url = url.rstrip("/")
        self._opener: OpenerDirector = build_opener(_Unmoved)

    def match(self, paste: bytes) -> PasteAnswer:
        """The server's answer to a paste. Raises ServerTrouble."""
        headers = {"Content-Type": "text/plain", "Accept": "application/json"}
        return self._read(self._ask("/api/errors/match", paste, headers))

    def get(self, path: str, **parameters: str | int | None) -> dict[str, Any] | None:
        """The JSON object at a path of the server; None where it has nothing. Raises
        ServerTrouble."""
        given = {name: value for name, value in parameters.items() if value is not None}
        address = f"{path}?{urlencode(given)}" if given else path
        try:
            return self._object(self._ask(address, None, {"Accept": "application/json"}))
        except NothingThere:
            return None

    def post(self, path: str, body: bytes, headers: dict[str, str]) -> dict[str, Any]:
        """The JSON object that answers a body. Raises ServerTrouble."""
        return self._object(self._ask(path, body, headers))

    def _object(self, data: bytes) -> dict[str, Any]:
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            raise self.stranger() from None
        if not isinstance(document, dict):
            raise self.stranger()
        return document

    def _ask(self, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        request = Request(self.url + path, body, {**headers, "User-Agent": "errdex"})  # noqa: S310 (the scheme was looked at)
        try:
            with self._opener.open(request, timeout=TIMEOUT) as answer:
                return self._take(answer)
        except HTTPError as error:
            with error:
                kind = NothingThere if error.code == 404 else ServerTrouble
                raise kind(f"{self.url} {_refusal(error)}") from None
        except TimeoutError:
            raise ServerTrouble(f"{self.url} said nothing for {TIMEOUT:g} seconds.") from None
        except URLError as error:
            raise ServerTrouble(f"{self.url} cannot be reached: {_reason(error)}.") from None
        except (OSError, HTTPException) as error:
            raise ServerTrouble(f"{self.url} broke off: {_reason(error)}.") from None

    def _take(self, answer: HTTPResponse) -> bytes:
        ends = monotonic() + WHOLE_SECONDS
        data = bytearray()
        while len(data) < _MOST and (piece := answer.read1(_PIECE)):
            data += piece
            if monotonic() > ends:
                raise ServerTrouble(f"{self.url} took over {WHOLE_SECONDS:g} seconds to answer.")
        return bytes(data)

    def _read(self, data: bytes) -> PasteAnswer:
        try:
            return read_answer(json.loads(data))
        except (ValueError, RecursionError):
            raise self.stranger() from None

    def stranger(self) -> ServerTrouble:
        """To be raised when an answer has not the form that those of Errdex have."""
        return ServerTrouble(
            f"{self.url} does not answer as Errdex does: is the address right, and is its "
            "version that of this command?"
        )


def _reason(error: BaseException) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return f"it said nothing for {TIMEOUT:g} seconds"
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__


def _refusal(error: HTTPError) -> str:
    """What the server said: the detail of a problem document, if it sent one."""
    if 300 <= error.code < 400 and "Location" in error.headers:
        return f"sends to another address; give that one: {error.headers['Location']}"
    try:
        detail = json.loads(error.read(_SAID))["detail"]
    except (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError):
        detail = error.reason or "it said nothing more"
    return f"refuses ({error.code}): {detail}"
