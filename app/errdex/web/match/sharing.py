"""The link to share an answer: ids of records in its address, captured values behind the `#`.

A browser sends nothing behind the `#` to any server. The page of the link has the records with
named blanks, and a script (static/kept.js) fills them with the link's values.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote, urlencode

from errdex.formats.answer import MatchedRecord
from errdex.formats.build import named_record
from errdex.formats.filled import message_segments
from errdex.records.messages.texts import fill_text, holes_of
from errdex.store import StoredRecord
from errdex.web.match.contexts import CapturedValue, MatchView
from errdex.web.match.paste_lines import visible

MOST_SHARED = 10
"""Records of a link."""
_VALUE = 200
"""Characters of a value, as many as a text is filled with."""
_URL = 6_000
_SENTENCES = 260


class SharedLink(NamedTuple):
    """A link, and what it holds of the paste."""

    url: str
    """Empty when nothing can be shared."""
    values: Sequence[CapturedValue]


def share_link(matches: Sequence[MatchedRecord]) -> SharedLink:
    """The link to the records of these matches and their values."""
    for number in range(len(matches[:MOST_SHARED]), 0, -1):
        ids = [("r", match.record.id) for match in matches[:number]]
        values = [
            {each.name: each.text for each in match.captures if each.length <= _VALUE}
            for match in matches[:number]
        ]
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        url = f"/match/shared?{urlencode(ids)}#v={quote(text, safe='')}"
        if len(url) <= _URL:
            pairs = dict.fromkeys(pair for each in values for pair in each.items())
            return SharedLink(
                url, [CapturedValue(name, visible(value), False) for name, value in pairs]
            )
    return SharedLink("", ())


def shared_record(stored: StoredRecord) -> MatchView:
    """A record whose texts wait for the values of a link."""
    record = named_record(stored)
    holes = holes_of(stored.pattern, stored.error_message)
    meaning = record.documentation or ""

    return MatchView(
        record=record,
        heading=message_segments(record, None),
        meaning=fill_text("documentation", meaning, holes, None) if meaning else (),
        long_meaning=len(meaning) > _SENTENCES,
        solutions=[fill_text("solutions", each, holes, None) for each in record.solutions or ()],
        example=fill_text("example_fix", record.example_fix, holes, None, record.language)
        if record.example_fix
        else (),
        captures=(),
        raised_when=record.raised_when or "",
    )
