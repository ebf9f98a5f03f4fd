"""Text to terms, the same way for what is indexed, asked for and highlighted.

A *token* is a run of text that a reader sees as one name: `ModuleNotFoundError`,
`--enable-linear-replayssm-spec`, `sqlalchemy.exc.OperationalError`, `C++`. It yields

- its *parts*: what its separators and humps divide it into (`module`, `not`, `found`, `error`);
- its *wholes*: the parts of each dotted name, and of the token, run together
  (`operationalerror`, `sqlalchemyexcoperationalerror`), so that every way of writing a
  name (`topK`, `top_k`, `--top-k`) has the same whole;
- *extras*, which are only indexed: single ideographs, and `clang` for `clang++`.

Terms are folded: compatibility forms and case are made equal, accents dropped.
Scripts without spaces between words are cut into pairs of neighbouring characters.
Nothing is stemmed here: a query asks for the plural beside the singular (`variants`),
which keeps the vocabulary readable for "did you mean".

Cost: no token spans white space, so a text is split there and each piece looked up
in what was taken apart before: about 0.3 µs a word, 5 µs for a new one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from operator import itemgetter
from typing import NamedTuple
from zlib import crc32

from errdex import lazy_re as re
from errdex.records.languages import LANGUAGES

LONGEST_TERM = 64
"""Terms are cut at this many characters, wherever they come from."""
SIGNED = 4
"""How many bytes `sign` makes of a word."""
_REMEMBERED = 30_000
_WORTH_REMEMBERING = 100


def _mark_ranges() -> str:
    """The combining marks of the basic plane as ranges for a character class."""
    marks = [c for c in range(0x300, 0xFE30) if unicodedata.category(chr(c))[0] == "M"]
    starts = [c for c, before in zip(marks, [0, *marks], strict=False) if c != before + 1]
    ends = [c for c, after in zip(marks, [*marks[1:], 0], strict=True) if after != c + 1]
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))


_MARKS = _mark_ranges()
_WORD = rf"\w[\w{_MARKS}]*"
_NAME = rf"{_WORD}(?:-{_WORD})*"
TOKEN = re.compile(rf"{_NAME}(?:(?:\.|::){_NAME})*(?:\+\+|(?<=\b[CFJcfj])#(?!\w))?")
NAME = re.compile(rf"{_NAME}(?:\+\+|#)?")
"""One dotted name of a token."""
_ACCENT = re.compile("[\u0300-\u036f]")
_CHUNK = re.compile(rf"(?:[^\W_][{_MARKS}]*)+")
_HUMP = re.compile(
    r"[a-z0-9]+(?![A-Za-z0-9])|[A-Z0-9]+(?![A-Za-z0-9])"  # topk, E0382
    r"|[A-Z]{2,}s(?![a-z])"  # GPUs
    r"|[A-Z]+(?=[A-Z][a-z])"  # HTTP|Server
    r"|[A-Z]?[a-z]+[0-9]*"
    r"|[A-Z]+[0-9]*"
    r"|[0-9]+[a-z]*"
)
_BREAKS = str.maketrans(dict.fromkeys("()[]{}<>,;!?=*&|^%$@~'\"`/\\", " "))
"""Signs that no token has in it, so that a word is remembered without them."""
_JOINED = re.compile(r"-*([a-z]+(?:[_-][a-z]+)+)")
"""Words of small letters alone, joined to a name: `max_model_len`, `--dry-run`."""
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana, ideographs
    "\uac00-\ud7af\U00020000-\U0003ffff]+"
)


class Token(NamedTuple):
    """What one token means to the index; see the module's docstring."""

    parts: tuple[str, ...]
    wholes: tuple[str, ...]
    """The whole token first, then its dotted names; empty when there is only one part."""
    extras: tuple[str, ...]
    squashed: str
    """The whole token without its separators, also when it has one part."""

    @property
    def terms(self) -> tuple[str, ...]:
        """Everything that the token is indexed under."""
        return self.parts + self.wholes + self.extras


def fold(text: str) -> str:
    """Make equal what a reader takes as equal: width, case, accents."""
    return text.lower() if text.isascii() else _plain(_plain(text).casefold())


def _plain(text: str) -> str:
    """Compatibility forms resolved and accents dropped, case kept."""
    decomposed = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", _ACCENT.sub("", decomposed))


def run_together(parts: list[str]) -> str:
    """The parts as one word. Digits stay apart, so that 1.23 and 12.3 differ."""
    joined = "".join(parts)
    if joined.isalpha() or len(parts) < 2:
        return joined[:LONGEST_TERM]
    joined = parts[0]
    for before, after in pairwise(parts):
        apart = "_" if before[-1].isdigit() and after[0].isdigit() else ""
        joined += apart + after
    return joined[:LONGEST_TERM]


def take_apart(raw: str) -> Token:
    """The parts and wholes of one token as `TOKEN` finds it."""
    if raw.isalnum() and raw.isascii() and (raw.islower() or raw.isdigit()):
        part = raw[:LONGEST_TERM]
        return Token((part,), (), (), part)
    ending = "++" if raw.endswith("++") else "#" if raw.endswith("#") else ""
    bare = raw.removesuffix(ending).replace("::", ".")
    names = [_humps(name) for name in bare.split(".")] if "." in bare else [_humps(bare)]
    # What is between ideographs is cut further only for `parts`.
    humps = names[0] if len(names) == 1 else [hump for name in names for hump in name]
    parts = humps
    extras: tuple[str, ...] = ()
    if not raw.isascii():
        parts = [part for hump in humps for part in _cut_unspaced(hump)]
        extras = _list_ideographs(humps)
    if ending and parts:
        extras = (*extras, parts[-1])
        parts = [*parts[:-1], parts[-1] + ending]
        humps = [*humps[:-1], humps[-1] + ending]
    if len(humps) == 1:
        return Token(tuple(parts), (), extras, humps[0])
    squashed = run_together(humps)
    wholes = [squashed] if humps else []
    if len(names) > 1:
        wholes += [run_together(name) for name in names if len(name) > 1]
    return Token(tuple(parts), tuple(dict.fromkeys(wholes)), extras, squashed)


def _humps(name: str) -> list[str]:
    if name.isascii():
        return [hump.lower()[:LONGEST_TERM] for hump in _HUMP.findall(name)]
    humps = []
    for chunk in name.replace("-", "_").split("_"):
        plain = _plain(chunk)
        if plain.isascii() and plain.isalnum():
            humps += _humps(plain)
        else:
            # Resolving forms can bring in punctuation, folding can take everything away.
            humps += [piece[:LONGEST_TERM] for piece in _CHUNK.findall(fold(plain))]
    return humps


def _cut_unspaced(hump: str) -> list[str]:
    """The hump with each run of an unspaced script cut into overlapping pairs."""
    parts = []
    position = 0
    for run in _UNSPACED.finditer(hump):
        parts += [hump[position : run.start()]] if position < run.start() else []
        parts += [run[0][i : i + 2] for i in range(max(len(run[0]) - 1, 1))]
        position = run.end()
    return parts + ([hump[position:]] if position < len(hump) else [])


def _list_ideographs(humps: list[str]) -> tuple[str, ...]:
    """The characters of the unspaced runs that are longer than one."""
    runs = [run for hump in humps for run in _UNSPACED.findall(hump) if len(run) > 1]
    return tuple(dict.fromkeys("".join(runs)))


def list_tokens(text: str) -> list[Token]:
    """Every token of the text, in order."""
    return list(map(take_apart, TOKEN.findall(text)))


def sign(words: Iterable[str]) -> bytes:
    """The words in order for phrases: four bytes each, a hash that is never zero. A phrase is
    looked for in a text by what is signed of both, a third of their length."""
    return b"".join([(crc32(_encode(word)) or 1).to_bytes(SIGNED, "little") for word in words])


def _encode(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


class TextPiece(NamedTuple):
    """What stands between two spaces or signs that end a token: the terms of its tokens, each
    once; what is signed of their parts; what is signed of the tokens run together."""

    terms: tuple[str, ...]
    spoken: bytes
    squashed: bytes


class _Pieces(dict[str, TextPiece]):
    """What was taken apart lately: two generations, so that frequent words stay."""

    def __init__(self) -> None:
        super().__init__()
        self._older: dict[str, TextPiece] = {}

    def __missing__(self, text: str) -> TextPiece:
        piece = self._older.get(text) or _take_piece_apart(text)
        if len(text) <= _WORTH_REMEMBERING:
            if len(self) >= _REMEMBERED:
                self._older = dict(self)
                self.clear()
            self[text] = piece
        return piece


def _take_piece_apart(text: str) -> TextPiece:
    if (joined := _JOINED.fullmatch(text)) and len(text) <= LONGEST_TERM:
        # Most of what is new; the way for all, below, comes to the same and takes four times
        # as long.
        parts = joined[1].replace("-", "_").split("_")
        whole = "".join(parts)
        return TextPiece(tuple({*parts, whole}), sign(parts), sign((whole,)))
    plain = text.isalnum() and text.isascii()
    if plain and len(text) <= LONGEST_TERM and (text.islower() or text.isdigit()):
        signed = sign((text,))
        return TextPiece((text,), signed, signed)
    tokens = [take_apart(text)] if plain else [t for t in list_tokens(text) if t.parts]
    return TextPiece(
        tuple({term for token in tokens for term in token.terms}),
        sign([part for token in tokens for part in token.parts]),
        sign([token.squashed for token in tokens]),
    )


_pieces = _Pieces()
_get_terms = itemgetter(0)
_get_spoken = itemgetter(1)
_get_squashed = itemgetter(2)


def split(text: str) -> list[TextPiece]:
    """The pieces of a text, in order."""
    return list(map(_pieces.__getitem__, text.translate(_BREAKS).split()))


def list_terms(text: str) -> set[str]:
    """The terms of all tokens of the text."""
    return set(chain_terms(split(text)))


def list_rare_terms(text: str) -> set[str]:
    """The same for a text that hardly occurs again: it is not remembered."""
    return {term for token in list_tokens(text) if token.parts for term in token.terms}


def chain_terms(pieces: Iterable[TextPiece]) -> Iterator[str]:
    """The terms of each of these pieces, one after the other."""
    return chain.from_iterable(map(_get_terms, pieces))


def speak(pieces: Iterable[TextPiece]) -> bytes:
    """What is signed of the parts of all tokens, in order."""
    return b"".join(map(_get_spoken, pieces))


def squash(pieces: Iterable[TextPiece]) -> bytes:
    """What is signed of all tokens, each run together, in order."""
    return b"".join(map(_get_squashed, pieces))


_SIGNS = re.compile(r"[a-z]+[#+]+")
_OTHER_NAMES = {
    one: other
    for language in LANGUAGES
    for name in filter(_SIGNS.fullmatch, language.other_names)
    for one, other in ((name, language.name), (language.name, name))
}
"""What people call a language whose name no file can bear (`c#`), and the other way round."""


def variants(term: str) -> tuple[str, ...]:
    """The term and its plural or singular, as an English reader would take them as one; of a
    language whose name no file can bear, both its names."""
    if term in _OTHER_NAMES:
        return (term, _OTHER_NAMES[term])
    if len(term) < 3 or not (term.isascii() and term.isalpha()):
        return (term,)
    if term.endswith("ies") and len(term) > 4:
        return (term, term[:-3] + "y")
    if term.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return (term, term[:-2])
    if term.endswith("s") and not term.endswith(("ss", "us", "is")):
        return (term, term[:-1])
    if term.endswith("y") and term[-2] not in "aeiou":
        return (term, term[:-1] + "ies")
    if term.endswith(("ss", "x", "ch", "sh", "zz")):
        return (term, term + "es")
    return (term, term + "s")


def inflections(term: str) -> tuple[str, ...]:
    """The forms of a verb, if the term is one: `conflict` is also asked for as `conflicting` and
    `conflicted`, `failing` as `fail` and `failed`."""
    if len(term) < 5 or term.endswith("s") or not (term.isascii() and term.isalpha()):
        return ()
    if term.endswith("ing") and len(term) > 6:
        base = term[:-3]
        return (base, base + "e", base + "ed")
    if term.endswith("ed") and len(term) > 5:
        base = term[:-2]
        return (base, base + "e", base + "ing")
    if term.endswith("e"):
        return (term + "d", term[:-1] + "ing")
    return (term + "ing", term + "ed")
