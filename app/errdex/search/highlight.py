"""Where the words that were asked for stand in a text.

Cost: about 1 µs a word. Few words of a text match, so what a word could match by is
remembered, and only those that do match are taken apart again to find the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from errdex.search.analysis import NAME, TOKEN, Token, take_apart

_WORTH_REMEMBERING = 50


def highlight(text: str, terms: Iterable[str]) -> list[tuple[int, int]]:
    """The (start, end) character spans of `text` that match one of a search result's `terms`,
    in order, not overlapping; parts of a name are marked alone when the name is not whole
    among the terms. A term that ends with `*` matches whatever begins so."""
    exact = {term for term in terms if not term.endswith("*")}
    beginnings = tuple({term[:-1] for term in terms if term.endswith("*")})

    def matches(term: str) -> bool:
        return term in exact or (bool(beginnings) and term.startswith(beginnings))

    spans: list[tuple[int, int]] = []
    for match in TOKEN.finditer(text):
        raw = match[0]
        found = _known_terms(raw) if len(raw) <= _WORTH_REMEMBERING else _terms(raw)
        if not exact.isdisjoint(found) or (beginnings and any(map(matches, found))):
            spans += _mark(raw, match.start(), matches)
    return spans


def _terms(raw: str) -> frozenset[str]:
    """What a token can be found by."""
    token = take_apart(raw)
    return frozenset((token.squashed, *token.terms))


_known_terms = lru_cache(maxsize=16_384)(_terms)


def _mark(raw: str, offset: int, matches: Callable[[str], bool]) -> list[tuple[int, int]]:
    """The marked spans of one token: itself, else its dotted names, else their parts."""
    token = take_apart(raw)
    if not any(map(matches, (token.squashed, *token.terms))):
        return []
    names = [match.span() for match in NAME.finditer(raw)]
    if matches(token.squashed):
        return [(offset, offset + len(raw))]
    if len(names) > 1:
        return [span for a, b in names for span in _mark(raw[a:b], offset + a, matches)]
    return _mark_parts(raw, offset, token, matches)


def _mark_parts(
    raw: str, offset: int, token: Token, matches: Callable[[str], bool]
) -> list[tuple[int, int]]:
    """The spans of the parts that match, neighbours joined; the whole token where folding
    has changed its letters so that a part is not found in it."""
    folded = raw.lower()
    spans: list[tuple[int, int]] = []
    position = 0
    for part in token.parts if any(map(matches, token.parts)) else token.extras:
        start = folded.find(part, position)
        if start < 0 or len(folded) != len(raw):
            return [(offset, offset + len(raw))]
        end = start + len(part)
        if matches(part) and spans and spans[-1][1] >= offset + start:
            spans[-1] = (spans[-1][0], offset + end)
        elif matches(part):
            spans.append((offset + start, offset + end))
        # Pairs of ideographs overlap by one character.
        position = end if part.isascii() else start + 1
    return spans
