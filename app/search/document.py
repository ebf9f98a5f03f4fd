"""What a record is found by: weighted terms, exact values, and its text for phrases.

Every source of text goes into one set of terms, each with one weight from 1 to
255: the sum of the weights of the sources in which the term occurs. How often a
term occurs does not count; a record's text is short, and repeating a word does not
make it a better answer. Weights depend on the record alone, so scores do not shift
as other records come and go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from app.search.analysis import fold, list_tokens
from app.search.protocol import IndexDocument

HEAVIEST = 255
_CLASS = _CODE = 60
_ID = 120
_FUNCTION = 20
_TAG = 25
_BACKGROUND = _REPO = 15
_PATH = 12
_KIND = 5
_SOLUTION = 6
_EXPLANATION = 5

EXACT = "="
"""Starts the terms of a value kept as it is, case included, which `Filters` ask for."""

_SLASHES = re.compile(r"[/\\]+")


def _message_weight(tokens: int) -> int:
    """A word out of a short message says more about it than one out of a long one."""
    return 50 + 600 // (10 + tokens)


def weigh_terms(document: IndexDocument) -> dict[str, int]:
    """Each term of the record with its weight, 1 to `HEAVIEST`."""
    weights = dict.fromkeys(_list_terms(document.explanation), _EXPLANATION)
    message = list_tokens(document.message)
    sources: list[tuple[int, Iterable[str]]] = [
        (_SOLUTION, _list_terms(document.solutions)),
        (
            _message_weight(len(message)),
            set(chain.from_iterable([token.terms for token in message])),
        ),
        (_CLASS, _list_terms(document.error_class)),
        (_CODE, _list_terms(document.error_code)),
        (_FUNCTION, _list_terms(document.function)),
        (_TAG, _list_terms(" ".join(document.tags))),
        (_BACKGROUND, _list_terms(document.background_tag)),
        (_REPO, _list_terms(document.repo)),
        (_PATH, _list_terms(document.file_path)),
        (_KIND, _list_terms(f"{document.language} {document.error_type}")),
        (_ID, _list_terms(document.record_id)),
    ]
    weigh = weights.get
    for weight, terms in sources:
        for term in terms:
            weights[term] = weigh(term, 0) + weight
    for term in [term for term, weight in weights.items() if weight > HEAVIEST]:
        weights[term] = HEAVIEST
    return weights


def _list_terms(text: str) -> set[str]:
    return set(chain.from_iterable([token.terms for token in set(list_tokens(text))]))


def speak(document: IndexDocument) -> str:
    """The record's running text as phrases see it: parts with single spaces between and
    around them, a line for each source. Class, message and code come a second time with
    each token run together, for names written without their humps."""
    lines = [
        " ".join([token.spoken for token in list_tokens(text)])
        for text in (
            f"{document.error_class} {document.message}",
            document.function,
            document.explanation,
            document.solutions,
            *document.tags,
        )
        if text
    ]
    lines.append(" ".join([t.squashed for t in list_tokens(document.error_class)]))
    lines[-1] += " " + " ".join([t.squashed for t in list_tokens(document.message)])
    return "".join([f" {line} \n" for line in lines if line])


def list_values(document: IndexDocument) -> dict[str, list[str]]:
    """For each field that a query or filter can name, the terms this record answers to:
    `EXACT` values for filters, folded ones and their short forms for the query language."""
    values = {
        "repo": _with_ends(document.repo, "/"),
        "class": _with_ends(document.error_class, "."),
        "type": _with_ends(document.error_type),
        "severity": _with_ends(document.severity),
        "language": _with_ends(document.language),
        "background": _with_ends(document.background_tag),
        "tag": sorted(set(chain.from_iterable(_with_ends(tag) for tag in document.tags))),
        "code": [fold(document.error_code)] if document.error_code else [],
        "path": sorted(set(split_path(document.file_path))),
        "id": [fold(document.record_id)],
    }
    return {field: terms for field, terms in values.items() if terms}


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
