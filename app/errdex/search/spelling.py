"""Near spellings: what a word that occurs nowhere may have been meant to be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable

from errdex import lazy_re as re

_SHORTEST, _LONGEST = 4, 40
"""Characters of a word that may be misspelled. The time for one grows with the square of that."""
_DOUBLED = re.compile(r"(.)\1+")
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
    return 0 if len(word) < 3 else 1 if len(word) < 6 else 2


def can_be_misspelled(word: str) -> bool:
    """Whether a word that occurs nowhere may be one that does: not a number or a code, which
    differ by a letter from others that mean something else, nor a short or an endless one."""
    return _SHORTEST <= len(word) <= _LONGEST and word.isascii() and word.isalpha()


def find_nearest(word: str, vocabulary: Iterable[str], count: Callable[[str], int]) -> str | None:
    """The closest of the terms that occur, by what `count` says; among equally close ones first
    those with the same beginning, then those that differ in doubled letters alone (`externaly`),
    then the more frequent."""
    most = most_edits(word)
    letters = set(word)
    undoubled = _DOUBLED.sub(r"\1", word)
    near: defaultdict[tuple[int, bool, bool], list[str]] = defaultdict(list)
    for term in vocabulary:
        # One edit takes away one letter and brings in one, at most.
        if abs(len(term) - len(word)) <= most and len(letters ^ set(term)) <= 2 * most:
            edits = distance(word, term, most)
            if edits <= most:
                other = _DOUBLED.sub(r"\1", term) != undoubled
                near[edits, term[:1] != word[:1], other].append(term)
    for _, terms in sorted(near.items()):
        frequency, term = min((-count(term), term) for term in terms)
        if frequency:
            return term
    return None


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


def put_into(name: str, part: str, corrected: str) -> str:
    """The name with the corrected part, with the capital letters that the part had there."""
    start = name.lower().find(part)
    if start < 0:
        return name
    was = name[start : start + len(part)]
    if was.isupper():
        corrected = corrected.upper()
    elif was[:1].isupper():
        corrected = corrected[:1].upper() + corrected[1:]
    return name[:start] + corrected + name[start + len(part) :]


def correct(
    word: str,
    alike: Iterable[str],
    count: Callable[[str], int],
    among: Collection[str] | None = None,
) -> str | None:
    """The nearest spelling that occurs: of the terms that begin with the same two letters, else
    of what is one edit away there, `among` these terms where they are given."""
    nearest = find_nearest(word, alike, count)
    if nearest is not None:
        return nearest
    beginnings = sorted(list_near_beginnings(word))
    return find_nearest(word, [t for t in beginnings if among is None or t in among], count)
