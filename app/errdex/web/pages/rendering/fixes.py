"""An example fix as a difference between before and after, when it shows both.

Examples mark their halves with comments: `# before`, `// after: vite.config.js`,
`-- before (in a notebook)`. Others are shown as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from markupsafe import Markup

from errdex import lazy_re as re
from errdex.records.messages.texts import language_of_snippet
from errdex.web.pages.rendering import code
from errdex.web.pages.rendering.code import Span
from errdex.web.pages.rendering.lexing import Line

_MARKER = re.compile(
    r"^[ \t]*(?:#+|//+|--|;+|%+|/\*+|<!--|REM\b)?[ \t]*"
    r"(?P<side>before|after|bad|good|wrong|right|broken|fixed)\b"
    r"(?P<note>[ \t]*(?:[:(,–—-](?!->)[^\n]{0,120}?)?)[ \t]*(?:\*/|-->)?[ \t]*$",
    re.IGNORECASE,
)
_BEFORE = {"before", "bad", "wrong", "broken"}
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.4
"""How alike two lines must be for their changed words to be marked."""
MAX_LINES = 200

Element = Literal["del", "ins", "span"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a difference: removed, added or kept."""

    element: Element
    """The HTML element with that meaning."""
    html: Markup


@dataclass(frozen=True, slots=True)
class Diff:
    """One before and its after."""

    note: str
    """A note beside “before” and “after”, such as a file's name; often empty."""
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class Fix:
    """An example fix: differences, or the code as it is."""

    diffs: tuple[Diff, ...]
    html: Markup


def read_fix(example: str, language: str | None) -> Fix:
    """Parse an example."""
    halves = _halves(example)
    if halves is None:
        example = example.strip("\n")
        code_language = language_of_snippet(example, language)
        return Fix((), code.block(example, code_language))
    return Fix(tuple(_diff(*pair, language) for pair in halves), Markup(""))


@dataclass
class _Half:
    side: str
    note: str
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


def _halves(example: str) -> list[tuple[_Half, _Half]] | None:
    """Pairs of before and after, or None if the example has other parts."""
    halves: list[_Half] = []
    for line in example.strip("\n").split("\n"):
        if marker := _MARKER.match(line):
            side = "before" if marker["side"].lower() in _BEFORE else "after"
            halves.append(_Half(side, _note(marker["note"]), []))
        elif halves:
            halves[-1].lines.append(line)
        elif line.strip():
            return None
    sides = [half.side for half in halves]
    if not halves or sides != ["before", "after"] * (len(halves) // 2):
        return None
    if any(not half.text for half in halves) or sum(len(h.lines) for h in halves) > MAX_LINES:
        return None
    return list(zip(halves[::2], halves[1::2], strict=True))


def _note(text: str) -> str:
    text = text.strip().lstrip(":,–—-").strip()
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text


def _diff(before: _Half, after: _Half, language: str | None) -> Diff:
    language = language_of_snippet(after.text, language)
    old, new = before.text.split("\n"), after.text.split("\n")
    lines = _lines(
        old, new, code.highlight(before.text, language), code.highlight(after.text, language)
    )
    notes = dict.fromkeys(note for note in (before.note, after.note) if note)
    return Diff(" → ".join(notes), tuple(lines))


def _lines(
    old: Sequence[str], new: Sequence[str], old_runs: Sequence[Line], new_runs: Sequence[Line]
) -> Iterator[DiffLine]:
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (DiffLine("span", code.to_html(line)) for line in new_runs[c:d])
            continue
        pairs = dict(zip(range(a, b), range(c, d), strict=False))
        marks = {i: changed_words(old[i], new[j]) for i, j in pairs.items()}
        back = {j: marks[i][1] for i, j in pairs.items()}
        for i in range(a, b):
            yield DiffLine("del", code.to_html(old_runs[i], marks[i][0] if i in marks else ()))
        for j in range(c, d):
            yield DiffLine("ins", code.to_html(new_runs[j], back.get(j, ())))


def changed_words(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """The spans of both lines that differ; none when the lines have little in common."""
    left, right = _WORD.findall(old)[:400], _WORD.findall(new)[:400]
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [], []
    removed: list[Span] = []
    added: list[Span] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            _add(removed, left, a, b)
            _add(added, right, c, d)
    return removed, added


def _add(spans: list[Span], words: Sequence[str], start: int, stop: int) -> None:
    if start < stop:
        first = sum(map(len, words[:start]))
        spans.append((first, first + sum(map(len, words[start:stop]))))
