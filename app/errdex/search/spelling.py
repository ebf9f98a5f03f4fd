"""Near spellings: what a word that occurs nowhere may have been meant to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from errdex.search.query import ParsedQuery, Word

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def distance(a: str, b: str, most: int) -> int:
    """How many insertions, removals, replacements and swaps of neighbours lie between the
    two words, or `most` + 1 when there are more (optimal string alignment distance)."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, start=1):
        earlier, before, row = before, row, [i]
        for j, other in enumerate(b, start=1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and other == a[i - 2]:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def most_edits(word: str) -> int:
    """How far a spelling may be off: the shorter the word, the less."""
    return 0 if len(word) < 3 or word.isdigit() else 1 if len(word) < 6 else 2


def find_nearest(word: str, vocabulary: Iterable[tuple[str, int]]) -> str | None:
    """The closest of the (term, frequency) pairs; among equally close ones first those with
    the same beginning, then the more frequent."""
    most = most_edits(word)
    letters = set(word)
    best: tuple[int, bool, int, str] | None = None
    for term, frequency in vocabulary:
        # One edit takes away one letter and brings in one, at most.
        if not frequency or len(letters ^ set(term)) > 2 * most:
            continue
        edits = distance(word, term, most)
        if edits <= most:
            entry = (edits, term[:1] != word[:1], -frequency, term)
            best = min(best, entry) if best else entry
            most = best[0]
    return best[3] if best else None


def list_near_beginnings(word: str) -> set[str]:
    """What is one edit away at the first two letters: a search of the vocabulary that starts
    from the word's own first two letters does not come by these."""
    near = {word[1:], word[0] + word[2:], word[1::-1] + word[2:], word[0] + word[2:0:-1] + word[3:]}
    for letter in _LETTERS:
        near |= {
            letter + word,
            letter + word[1:],
            word[0] + letter + word[1:],
            word[0] + letter + word[2:],
        }
    return near - {word}


def suggest(
    text: str,
    query: ParsedQuery,
    occurs: Callable[[str], bool],
    correct: Callable[[str], str | None],
) -> str | None:
    """The query's text with each part of a word that occurs nowhere replaced by its nearest
    spelling; None when that changes nothing."""
    suggestion = text
    for word in query.wanted:
        if not isinstance(word, Word) or any(map(occurs, word.wholes)):
            continue
        corrected = word.text
        for part in word.parts:
            if not any(map(occurs, part)):
                corrected = _replace(corrected, part[0], correct(part[0]))
        suggestion = suggestion.replace(word.text, corrected, 1)
    return suggestion if suggestion != text else None


def _replace(name: str, part: str, corrected: str | None) -> str:
    """Put the correction into the name, with the capital letters that the part had there."""
    start = name.lower().find(part)
    if corrected is None or start < 0:
        return name
    was = name[start : start + len(part)]
    if was.isupper():
        corrected = corrected.upper()
    elif was[:1].isupper():
        corrected = corrected[:1].upper() + corrected[1:]
    return name[:start] + corrected + name[start + len(part) :]
