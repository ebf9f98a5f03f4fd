"""The query language: any text whatever in, a small tree out. It never raises.

    word                 the name whole, or all of its parts; `doesn't` and `doesnt` are `not`
    "some words"         these words in this order
    prefi*               every term that begins so
    class:ValueError     a field's value (FIELDS), also class:Value* and tag:"two words"
    -word -tag:x -"…"    none of these
    a1f9e0de342224c6     alone: the record of that id

`-9` is a word, since messages are full of negative numbers, and so are `--flag`, `-p` and
`-lssl`. A line that a program printed, or a command, is words alone (`is_printed`).
There are no operators: `AND`, `OR` and brackets are text like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from errdex import lazy_re as re
from errdex.search.analysis import TOKEN, fold, inflections, sign, take_apart, variants
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
    "cause": "background",
    "path": "path",
    "id": "id",
}
"""What may stand before a colon, with the field that it means."""

_CONTRACTION = re.compile(
    r"(ca|can)n?['\u2019]?t|(?:did|does|do|is|are|was|were|has|have|had|could|would|should|wo)n['\u2019]?t",
    re.IGNORECASE,
)
"""A negation as people type it; texts of errors seldom shorten it."""
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
    quoted: bool = field(default=False, compare=False)
    """Between quotation marks in a line that a program printed."""


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
    """What was asked. Some `wanted` words may be missing, `required` values
    never; nothing `unwanted` may be there. `notes` say in words what was not understood.
    `empty` means that nothing at all can be looked for, which is not the same as an
    empty text, which lists every record."""

    wanted: tuple[Word | WordPrefix | Phrase, ...] = ()
    required: tuple[FieldIs, ...] = ()
    unwanted: tuple[Clause, ...] = ()
    notes: tuple[str, ...] = ()
    empty: bool = False


_CLAUSE = re.compile(
    r"(?P<minus>(?<!\S)-(?=[^\s\-0-9]))?(?:(?P<field>[A-Za-z]+):(?=[^\s:]))?"
    r'(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))'
)
_QUOTED = re.compile(r'(?<!\S)-?(?:[A-Za-z]+:)?"[^"]*"(?!\S)')
_FIELD = re.compile(rf"(?<!\S)-?(?:{'|'.join(FIELDS)}):(?=[^\s:])", re.IGNORECASE)
_PRINTED = re.compile(
    r"""\S:\s|\w"|"[,.;:)]|[()\[\]{}<>=;|$`]|(?<!\w)'[^']+'|\u2018|(?<!\S)(?:--\w|[/.~]*/\w)"""
)
"""What people do not write in a search: the punctuation of what a program prints."""
_VALUE = re.compile(r"""(?<!\w)(?:'[^']*'|"[^"]*"|`[^`']*[`'])""")
_OPTION = re.compile(r"[A-Za-z]|l[bcdfghj-np-tv-xz]\w*|.*[^\w./\\*-].*")
"""The shape of an option behind its dash: `-p`, `-lssl`, `-std=c11`."""
_SHORT_OPTION = re.compile(r"\w{1,3}|[A-Z]\w*")
"""The same where more words follow: `tar -xzf file`, `cc -Wall main.c`."""
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
    printed = is_printed(text)
    if not printed and text.count('"') % 2:
        before, _, after = text.rpartition('"')
        text = f"{before} {after}"
        notes["A quotation mark is not closed; the words behind it were looked for singly."] = None
    wanted: dict[Word | WordPrefix | Phrase, None] = {}
    required: dict[FieldIs, None] = {}
    unwanted: dict[Clause, None] = {}
    if _ID.fullmatch(text.strip()):
        text = f"id:{text.strip()}"
    read = ((False, word) for word in _read_printed(text)) if printed else _read(text, notes)
    for negative, clause in read:
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


def is_printed(text: str) -> bool:
    """Whether the text is a line that a program printed or a command, not a query: several words
    with punctuation that the query language has no use for. None of it is then read as a query."""
    if _FIELD.search(text):
        return False
    rest = _QUOTED.sub(" ", text).replace("()", "")
    return len(text.split()) > 1 and _PRINTED.search(rest) is not None


def _read_printed(text: str) -> Iterator[Word]:
    quoted = [match.span() for match in _VALUE.finditer(text)]
    for match in TOKEN.finditer(text):
        inside = any(start < match.start() < end for start, end in quoted)
        for word in _make_words([match[0]]):
            yield replace(word, quoted=inside)


def _read(text: str, notes: dict[str, None]) -> Iterator[tuple[bool, Clause]]:
    matches = list(_CLAUSE.finditer(text))
    last_word = max(
        (n for n, each in enumerate(matches) if not (each["minus"] or each["field"])), default=-1
    )
    for place, match in enumerate(matches):
        negative = match["minus"] is not None
        if negative and match["bare"] and not match["field"]:
            inside = 0 < place < last_word
            if _OPTION.fullmatch(match["bare"]) or (
                inside and _SHORT_OPTION.fullmatch(match["bare"])
            ):
                negative = False
                note = f"“-{match['bare']}” was looked for as an option of a command; write "
                notes[f'{note}-"{match["bare"]}" to leave out what has it.'] = None
        yield from ((negative, clause) for clause in _read_clause(match, negative, notes))


def _read_clause(match: re.Match[str], negative: bool, notes: dict[str, None]) -> Iterator[Clause]:
    name = (match["field"] or "").lower()
    quoted = match["quoted"]
    if name and name not in FIELDS and match["bare"] and match["bare"][0] not in "/\\":
        notes[f"“{name}:” is no field; it was looked for as text."] = None
    if name in FIELDS:
        return _read_field(FIELDS[name], match, notes)
    if quoted is not None:
        return chain(_read_words(name, notes), _read_phrase(quoted))
    bare = match[0].removeprefix("-") if match["minus"] else match[0]
    return _read_unwanted(bare, notes) if negative else _read_words(bare, notes)


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
    if found := _CONTRACTION.fullmatch(bare):
        bare = "cannot" if found[1] else "not"
    raws = TOKEN.findall(bare)
    if raws and bare.endswith("*"):
        squashed = take_apart(raws[-1]).squashed
        if len(squashed) >= SHORTEST_PREFIX:
            yield from _make_words(raws[:-1])
            yield WordPrefix(f"{raws[-1]}*", squashed)
            return
        if squashed:
            note = f"“{raws[-1]}*” is too short; give {SHORTEST_PREFIX} letters before the star."
            notes[note] = None
    yield from _make_words(raws)


def _make_words(raws: Iterable[str]) -> Iterator[Word]:
    for raw in raws:
        token = take_apart(raw)
        if token.parts:
            yield Word(raw, tuple(dict.fromkeys(map(_forms, token.parts))), token.wholes)


def _forms(part: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*variants(part), *inflections(part))))


def _read_unwanted(bare: str, notes: dict[str, None]) -> Iterator[Clause]:
    """One thing is unwanted: `-src/app.py` is not the same as `-src -app.py`."""
    words = list(_read_words(bare, notes))
    yield from words if len(words) == 1 else _read_phrase(bare)
