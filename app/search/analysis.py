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

Cost: one compiled pattern over the text and one dictionary look-up a token; a
token is taken apart once and remembered.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

LONGEST_TERM = 64
"""Terms are cut at this many characters, wherever they come from."""
_REMEMBERED = 100_000


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
    r"[A-Z]{2,}s(?![a-z])"  # GPUs
    r"|[A-Z]+(?=[A-Z][a-z])"  # HTTP|Server
    r"|[A-Z]?[a-z]+[0-9]*"
    r"|[A-Z]+[0-9]*"
    r"|[0-9]+[a-z]*"
)
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
    spoken: str
    """The parts in order with a space between, for phrases."""
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
    joined = parts[0] if parts else ""
    for before, after in pairwise(parts):
        apart = "_" if before[-1].isdigit() and after[0].isdigit() else ""
        joined += apart + after
    return joined[:LONGEST_TERM]


def _humps(chunk: str) -> list[str]:
    if not chunk.isascii():
        chunk = _plain(chunk)
    if not chunk.isascii():
        # Folding can bring in punctuation or take everything away.
        return [piece[:LONGEST_TERM] for piece in _CHUNK.findall(fold(chunk))]
    if chunk.islower() or chunk.isupper() or chunk.isdigit():
        return [piece.lower()[:LONGEST_TERM] for piece in _CHUNK.findall(chunk)]
    return [hump.lower()[:LONGEST_TERM] for hump in _HUMP.findall(chunk)]


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else [run]


def _take_apart(raw: str) -> Token:
    ending = "++" if raw.endswith("++") else "#" if raw.endswith("#") else ""
    parts: list[str] = []
    pieces: list[str] = []
    extras: list[str] = []
    names: list[str] = []
    for name in NAME.findall(raw[: len(raw) - len(ending)]):
        own: list[str] = []
        for chunk in name.replace("-", "_").split("_"):
            for hump in _humps(chunk):
                own.append(hump)
                position = 0
                for run in _UNSPACED.finditer(hump):
                    parts += filter(None, [hump[position : run.start()]])
                    parts += _pairs(run[0])
                    extras += run[0]
                    position = run.end()
                parts += filter(None, [hump[position:]])
        pieces += own
        if len(own) > 1:
            names.append(run_together(own))
    if ending and parts:
        extras.append(parts[-1])
        parts[-1] += ending
        pieces[-1] += ending
    squashed = run_together(pieces)
    wholes = dict.fromkeys([squashed, *names]) if len(pieces) > 1 else {}
    return Token(
        tuple(parts),
        tuple(wholes),
        tuple(dict.fromkeys(e for e in extras if e not in parts)),
        " ".join(parts),
        squashed,
    )


class _Remembered(dict[str, Token]):
    def __missing__(self, raw: str) -> Token:
        token = _take_apart(raw)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[raw] = token
        return token


_remembered = _Remembered()


def take_apart(raw: str) -> Token:
    """The parts and wholes of one token as `TOKEN` finds it."""
    return _remembered[raw]


def list_tokens(text: str) -> list[Token]:
    """Every token of the text, in order."""
    return list(map(_remembered.__getitem__, TOKEN.findall(text)))


def variants(term: str) -> tuple[str, ...]:
    """The term and its plural or singular, as an English reader would take them as one."""
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
