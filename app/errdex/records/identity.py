"""The identity of a record: its id, its slug and the hash of its content.

The id survives a moved line and a rewritten explanation: it is derived from
what the error itself consists of. The hash changes with any change of the wire object and
with nothing else, so equal hashes mean that a record need not be checked again.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from errdex import lazy_re as re
from errdex.records.messages.holes import literal_text
from errdex.records.wire import dump_wire

SLUG_LENGTH = 48
"""Characters; a longer slug is cut between words."""

_HASH_FORMAT = b"record-3\n"
"""Part of every hash. Change it when the checks of an ingestion become stricter or derivation
comes to something else: every record is then checked again."""
_SOURCE_FORMAT = b"keys-3\n"
"""Part of every source hash. Change it when a key is read differently: every text is then parsed
again, and the records that came out different are checked."""
_SOURCE_DIGITS = 40

_LINE_BREAK = re.compile(r"[ \t]*\n[ \t\n]*")
_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")
_APOSTROPHES = str.maketrans("", "", "'’`")


def derive_id(repo: str, error_class: str | None, pattern: str) -> str:
    """The id of a record that gives none: 16 hexadecimal digits of a SHA-256. How a message is
    broken into lines does not change it."""
    named = "\n".join((repo, error_class or "", _LINE_BREAK.sub(" ", pattern)))
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@lru_cache(maxsize=1024)  # see derive_pattern
def slugify(message: str) -> str:
    """The readable part of a record's address: the message's words without its holes."""
    plain = unicodedata.normalize("NFKD", literal_text(message)).translate(_APOSTROPHES)
    ascii_text = plain.encode("ascii", "ignore").decode("ascii").lower()
    slug = _NOT_IN_SLUG.sub("-", ascii_text).strip("-")
    if len(slug) > SLUG_LENGTH:
        whole_words = slug[: SLUG_LENGTH + 1].rpartition("-")[0]
        slug = whole_words or slug[:SLUG_LENGTH]
    return slug or "error"


def content_hash(body: Mapping[str, object]) -> bytes:
    """32 bytes that identify the wire object, whatever the order of its keys.

    Raises ValueError for what JSON has no form for.
    """
    return hashlib.sha256(_HASH_FORMAT + dump_wire(body, sort_keys=True)).digest()


def source_hash(text: bytes) -> str:
    """40 hexadecimal digits that identify the JSON text of a record, or of an envelope with
    one in it. Equal texts are read as the same record, without or with an error."""
    return hashlib.sha256(_HASH_FORMAT + _SOURCE_FORMAT + text).hexdigest()[:_SOURCE_DIGITS]
