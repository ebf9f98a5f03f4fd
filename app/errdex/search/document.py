"""What a record is found by: weighted terms, exact values, and its text for phrases.

Every source of text goes into one set of terms, each with one weight from 1 to
255: the sum of the weights of the sources in which the term occurs. How often a
term occurs does not count; a record's text is short, and repeating a word does not
make it a better answer. Weights depend on the record alone, so scores do not shift
as other records come and go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from errdex import lazy_re as re
from errdex.records.fields import FACETS, WEIGHTS
from errdex.records.filters import Filters
from errdex.search.analysis import (
    SIGNED,
    chain_terms,
    fold,
    list_rare_terms,
    list_terms,
    speak,
    split,
    squash,
)
from errdex.search.protocol import IndexDocument

HEAVIEST = 255

FILTER_FIELDS: Mapping[str, str] = FACETS
"""The field that each attribute of `Filters` is about."""

_VALUES = ("error_class", "error_code", "background_tag", "repo", "language", "error_type")
"""The attributes of a document that are one value each, which many records share."""

EXACT = "="
"""Starts the terms of a value kept as it is, case included, which `Filters` ask for."""

BREAK = bytes(SIGNED)
"""No word is signed so."""

_TITLE = WEIGHTS["title"]
_WORDING = WEIGHTS["wordings"]
_HOLE = re.compile(r"\{[^{}]*\}")
_SLASHES = re.compile(r"[/\\]+")


class Searchable(NamedTuple):
    """A record taken apart for an index."""

    weights: dict[str, int]
    """Each term with its weight, 1 to `HEAVIEST`."""
    values: dict[str, list[str]]
    """For each field that a query or filter can name, the terms that the record answers to:
    `EXACT` values for filters, folded ones and their short forms for the query language."""
    phrases: bytes
    """What is signed of the running text (see `errdex.search.analysis.sign`), the sources kept
    apart by `BREAK`. Class and message come a second time with each token run together, for
    names written without their humps."""


def take_apart_record(document: IndexDocument) -> Searchable:
    """What the record is found by."""
    error_class = split(document.error_class)
    message = split(document.message)
    title = split(document.title)
    wordings = [split(line) for line in document.wordings.splitlines()]
    explanation = split(document.explanation)
    solutions = split(document.solutions)
    folder, _, file = document.file_path.replace("\\", "/").rpartition("/")

    weights = dict.fromkeys(chain_terms(explanation + solutions), WEIGHTS["explanation"])
    terms = set(chain_terms(message))
    general = _generality(document.message)
    _add(weights, terms, WEIGHTS["message"] + general)
    # A title says again what the message and its class say: that counts once.
    _add(weights, set(chain_terms(title)) - terms - set(chain_terms(error_class)), _TITLE)
    if wordings:
        _add(weights, set(chain.from_iterable(map(chain_terms, wordings))) - terms, _WORDING)
    _add(weights, list_rare_terms(document.function), WEIGHTS["function"])
    tag_terms = {term for tag in document.tags for term in _list_terms_again(tag)}
    _add(weights, tag_terms, WEIGHTS["tags"])
    _add(weights, list_terms(folder) | list_rare_terms(file), WEIGHTS["file_path"])
    for name in _VALUES:
        if value := getattr(document, name):
            # The general message of a class comes before the special ones.
            more = general // 2 if name == "error_class" else 0
            _add(weights, _list_terms_again(value), WEIGHTS[name] + more)

    headline = error_class + message
    lines = [speak(headline), speak(explanation), speak(solutions), squash(headline)]
    lines += [speak(title), *map(speak, wordings)]
    lines += map(_speak_again, document.tags)
    return Searchable(weights, _list_values(document), BREAK.join(filter(None, lines)))


def list_filter_terms(filters: Filters) -> dict[str, str]:
    """The term that a record must have for each condition, by its field. Raises ValueError for
    a condition that the index does not know."""
    given = filters.given()
    terms = {
        name: EXACT + given.pop(attribute)
        for name, attribute in FILTER_FIELDS.items()
        if attribute in given
    }
    if given:
        raise ValueError(f"full-text search cannot narrow by {', '.join(given)}")
    return terms


def find_phrase(phrase: bytes, text: bytes) -> bool:
    """Whether the signed words occur in the signed text one behind the other."""
    place = text.find(phrase)
    while place >= 0 and place % SIGNED:
        place = text.find(phrase, place + 1)
    return place >= 0


def _generality(message: str) -> int:
    """A word out of a short message says more about it than one out of a long one. What is in
    holes differs and is not counted; of two with the same words, the one with fewer holes is the
    general one."""
    holes = len(_HOLE.findall(message))
    return max(1, 600 // (10 + len(list_terms(_HOLE.sub(" ", message)))) - min(2 * holes, 6))


@lru_cache(10_000)
def _list_terms_again(value: str) -> tuple[str, ...]:
    """The terms of a value that many records share."""
    return tuple(list_terms(value))


@lru_cache(10_000)
def _speak_again(value: str) -> bytes:
    return speak(split(value))


def _add(weights: dict[str, int], terms: Iterable[str], weight: int) -> None:
    for term in terms:
        total = weights.get(term, 0) + weight
        weights[term] = total if total < HEAVIEST else HEAVIEST


def _list_values(document: IndexDocument) -> dict[str, list[str]]:
    values = {
        "repo": _with_ends(document.repo, "/"),
        "class": _with_ends(document.error_class, "."),
        "type": _with_ends(document.error_type),
        "severity": _with_ends(document.severity),
        "language": _with_ends(document.language),
        "background": _with_ends(document.background_tag),
        "tag": list({term for tag in document.tags for term in _with_ends(tag)}),
        "code": [fold(document.error_code)] if document.error_code else [],
        "path": list(set(split_path(document.file_path))),
        "id": [fold(document.record_id)],
    }
    return {field: terms for field, terms in values.items() if terms}


@lru_cache(10_000)
def _with_ends(value: str, separator: str = "") -> list[str]:
    """The exact value, the folded one, and each end of it behind a separator:
    `sqlalchemy.exc.OperationalError` is also found by `operationalerror`."""
    if not value:
        return []
    folded = fold(value)
    ends = [folded]
    if separator:
        names = folded.split(separator)
        ends += [separator.join(names[i:]) for i in range(1, min(len(names), 8))]
    return [EXACT + value, *dict.fromkeys(filter(None, ends))]


def split_path(path: str) -> list[str]:
    """The folded segments of a path, either way of slash."""
    return [segment for segment in _SLASHES.split(fold(path)) if segment]
