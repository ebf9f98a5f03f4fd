"""An index that was written by another version of the analysis must not be opened."""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

from tests.search.documents import ALL

from errdex.search.document import take_apart_record
from errdex.search.whoosh.index import FORMAT

KNOWN = {5: 4117976813, 6: 354402814}
"""For each format the checksum of what the documents are taken apart into."""


def test_the_format_number_goes_up_with_what_is_written() -> None:
    written = []
    for document in ALL:
        weights, values, phrases = take_apart_record(
            replace(document, title="a title", wordings="another wording")
        )
        fields = [(field, sorted(terms)) for field, terms in sorted(values.items())]
        written.append((sorted(weights.items()), fields, phrases))
    checksum = crc32(repr(written).encode())
    assert KNOWN[FORMAT] == checksum, (
        f"Words are taken apart or weighed in another way now: raise FORMAT in "
        f"app/errdex/search/whoosh/index.py to {FORMAT + 1} and add {FORMAT + 1}: {checksum} here."
    )
