"""The query language: any text whatever in, a small tree out. It never raises.

    word                 the name whole, or all of its parts
    "some words"         these words in this order
    prefi*               every term that begins so
    class:ValueError     a field's value (FIELDS), also class:Value* and tag:"two words"
    -word -tag:x -"…"    none of these
    a1f9e0de342224c6     alone: the record of that id

`-9` is a word, since messages are full of negative numbers, and so is `--flag`.
There are no operators: `AND`, `OR` and brackets are text like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from errdex.search.analysis import TOKEN, fold, sign, take_apart, variants
from errdex.search.document import split_path

FIELDS = {
    "class": "class",
    "repo": "repo",
    "tag": "tag",
    "code": "code",
    "type": "type",
    "severity": "severity",
    "lang": "language",
    "language": "language",
    "background": "background",
    "path": "path",
    "id": "id",
}
"""What may stand before a colon, with the field that it means."""

LONGEST_QUERY = 4096
MOST_CLAUSES = 32
SHORTEST_PREFIX = 2


@dataclass(frozen=True, slots=True)
class Word:
    """One name. A record has it when it has one of `wholes`' first, or for every part one of
    the part's variants (the part itself first, then its plural or singular)."""

    text: str = field(compare=False)
    parts: tuple[tuple[str, ...], ...]
    wholes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordPrefix:
    """Any term that begins with `start`."""

    text: str = field(compare=False)
    start: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """These words in this order: what is signed as `spoken` or `squashed` occurs in a record's
    `phrases` (see `errdex.search.document.Searchable`). All of `spoken_terms`, or else all of
    `squashed_terms`, occur among the terms of every such record."""

    text: str = field(compare=False)
    spoken: bytes
    squashed: bytes
    spoken_terms: tuple[str, ...]
    squashed_terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldIs:
    """The field has all of these folded values, or with `prefix` one that begins like the
    last. Only a path has several: its segments."""

    text: str = field(compare=False)
    field: str
    values: tuple[str, ...]
    prefix: bool = False


Clause = Word | WordPrefix | Phrase | FieldIs


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """What was asked. `wanted` words may be missing in the lower tier, `required` values
    never; nothing `unwanted` may be there. `notes` say in words what was not understood.
    `empty` means that nothing at all can be looked for, which is not the same as an
    empty text, which lists every record."""

    wanted: tuple[Word | WordPrefix | Phrase, ...] = ()
    required: tuple[FieldIs, ...] = ()
    unwanted: tuple[Clause, ...] = ()
    notes: tuple[str, ...] = ()
    empty: bool = False

    def list_terms(self) -> tuple[str, ...]:
        """The terms to highlight; one that ends with `*` stands for all that begin so."""
        terms: dict[str, None] = {}
        for clause in self.wanted:
            if isinstance(clause, Word):
                terms.update(dict.fromkeys(v for part in clause.parts for v in part))
                terms.update(dict.fromkeys(clause.wholes))
            elif isinstance(clause, WordPrefix):
                terms[clause.start + "*"] = None
            else:
                terms.update(dict.fromkeys(clause.spoken_terms))
                terms.update(dict.fromkeys(clause.squashed_terms))
        return tuple(terms)


_CLAUSE = re.compile(
    r"(?P<minus>(?<!\S)-(?=[^\s\-0-9]))?(?:(?P<field>[A-Za-z]+):(?=[^\s:]))?"
    r'(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))'
)
_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"'})
_ID = re.compile("[0-9A-Fa-f]{16}")
_LINE_NUMBER = re.compile(r"(:\d+)+$")


def parse_query(text: str) -> ParsedQuery:
    """Read a query. Any text is one; what cannot be understood is reported in `notes`."""
    notes: dict[str, None] = {}
    if len(text) > LONGEST_QUERY:
        text = text[:LONGEST_QUERY]
        notes[f"Only the first {LONGEST_QUERY} characters were looked for."] = None
    text = text.translate(_QUOTES)
    asked = bool(text.strip())
    if text.count('"') % 2:
        before, _, after = text.rpartition('"')
        text = f"{before} {after}"
        notes["A quotation mark is not closed; the words behind it were looked for singly."] = None
    wanted: dict[Word | WordPrefix | Phrase, None] = {}
    required: dict[FieldIs, None] = {}
    unwanted: dict[Clause, None] = {}
    if _ID.fullmatch(text.strip()):
        text = f"id:{text.strip()}"
    for negative, clause in _read_clauses(text, notes):
        if len(wanted) + len(required) + len(unwanted) >= MOST_CLAUSES:
            notes[f"Only the first {MOST_CLAUSES} words were looked for."] = None
            break
        if negative:
            unwanted[clause] = None
        elif isinstance(clause, FieldIs):
            required[clause] = None
        else:
            wanted[clause] = None
    empty = not (wanted or required or unwanted) and asked
    if empty:
        notes["There is no letter or digit in this to look for."] = None
    return ParsedQuery(tuple(wanted), tuple(required), tuple(unwanted), tuple(notes), empty)


def _read_clauses(text: str, notes: dict[str, None]) -> Iterator[tuple[bool, Clause]]:
    for match in _CLAUSE.finditer(text):
        negative = match["minus"] is not None
        name = (match["field"] or "").lower()
        quoted = match["quoted"]
        clauses: Iterator[Clause]
        if name in FIELDS:
            clauses = _read_field(FIELDS[name], match, notes)
        elif negative and quoted is None:
            clauses = _read_unwanted(match[0][1:], notes)
        elif quoted is not None:
            clauses = chain(_read_words(name, notes), _read_phrase(quoted))
        else:
            clauses = _read_words(match[0], notes)
        if name and name not in FIELDS and match["bare"] and match["bare"][0] not in "/\\":
            notes[f"“{name}:” is no field; it was looked for as text."] = None
        yield from ((negative, clause) for clause in clauses)


def _read_field(name: str, match: re.Match[str], notes: dict[str, None]) -> Iterator[FieldIs]:
    value = match["bare"].rstrip(",;") if match["quoted"] is None else match["quoted"]
    prefix = match["quoted"] is None and value.endswith("*")
    value = fold(value.removesuffix("*") if prefix else value).strip()
    values = split_path(_LINE_NUMBER.sub("", value)) if name == "path" else [value]
    if any(values):
        yield FieldIs(match[0], name, tuple(values), prefix)
    else:
        notes[f"“{match[0]}” has no value to look for."] = None


def _read_phrase(quoted: str) -> Iterator[Phrase]:
    tokens = [token for token in map(take_apart, TOKEN.findall(quoted)) if token.parts]
    if tokens:
        yield Phrase(
            f'"{quoted}"',
            sign(part for token in tokens for part in token.parts),
            sign(token.squashed for token in tokens),
            tuple(dict.fromkeys(part for token in tokens for part in token.parts)),
            tuple(dict.fromkeys(t for token in tokens for t in (token.wholes[:1] or token.parts))),
        )


def _read_words(bare: str, notes: dict[str, None]) -> Iterator[Word | WordPrefix]:
    raws = TOKEN.findall(bare)
    for position, raw in enumerate(raws, start=1):
        token = take_apart(raw)
        if not token.parts:
            continue
        if position == len(raws) and bare.endswith("*"):
            if len(token.squashed) >= SHORTEST_PREFIX:
                yield WordPrefix(f"{raw}*", token.squashed)
                continue
            notes[f"“{raw}*” is too short; give {SHORTEST_PREFIX} letters before the star."] = None
        yield Word(raw, tuple(dict.fromkeys(map(variants, token.parts))), token.wholes)


def _read_unwanted(bare: str, notes: dict[str, None]) -> Iterator[Clause]:
    """One thing is unwanted: `-src/app.py` is not the same as `-src -app.py`."""
    words = list(_read_words(bare, notes))
    yield from words if len(words) == 1 else _read_phrase(bare)
