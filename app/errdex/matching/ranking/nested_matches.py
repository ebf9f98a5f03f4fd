"""What is found both in a line as it stands and in what was read out of it."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping

from errdex.matching.ranking.scoring import Candidate
from errdex.matching.ranking.searched_texts import PlacedText
from errdex.matching.reading import Paste
from errdex.matching.reading.paste import UNREAD


def forget_found_again(paste: Paste, places: Iterable[MutableMapping[str, Candidate]]) -> None:
    """Drop what was found in the whole text of a line that was opened up (a record of JSON, a
    text with escapes) where the same pattern was found in a text that was read out of it: it
    is one error, which that text says better."""
    places = list(places)
    read = {
        (_number(paste, here.text), key)
        for candidates in places
        for key, here in candidates.items()
        if not _is_whole(here.text)
    }
    for candidates in places:
        for key, here in list(candidates.items()):
            if _is_whole(here.text) and (_number(paste, here.text), key) in read:
                del candidates[key]


def _is_whole(text: PlacedText) -> bool:
    return text.pieces[0].column == UNREAD


def _number(paste: Paste, text: PlacedText) -> int:
    return paste.numbers[text.pieces[0].line]
