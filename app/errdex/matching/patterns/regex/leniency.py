"""What a pattern forgives: how people and tools copy a message without changing what it says.

- A level word or a tool's name that begins it (`error: `, `fatal: `) may be missing, when the
  rest says enough; a class (`TypeError: `) where a line begins with the rest.
- A quote may be another one: versions and languages differ in them (`undefined method `x'`).
- The first letter may be in the other case where a line begins with it: what wraps a message
  changes it.
- The full stop at its end may be missing.
- A quoted value that must have no quotes may stand in quotes of its own.
- A value behind `=`, a colon or a bracket may be empty (`realm= uid=0`).
- The lines behind the first may be missing or read otherwise, when the lines before say enough
  and the text ends its line there as well.

The tree is changed where it stands, once for each pattern, so that whatever is made of it (the
program, its literals, its weight) agrees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from errdex import lazy_re as re
from errdex.matching.patterns.regex.parser import parse_regex
from errdex.matching.patterns.regex.syntax_tree import (
    Alternate,
    AnyChar,
    Assertion,
    CharClass,
    Concat,
    Group,
    Node,
    Repeat,
    Space,
    Text,
)
from errdex.matching.patterns.weight import certain_text, weigh

_LEVEL = re.compile(
    r"(?:[a-z][\w.+-]{0,20}: )?(?:(?:fatal|internal|Fatal|Internal) )?(?:[Ee]rror|ERROR|[Ff]atal"
    r"|FATAL|[Ww]arning|WARNING|E|panic): (?=\S)|[a-z][\w.+-]{0,20}: (?=\S)"
)
_CLASS = re.compile(r"(?:\w{1,60}[.\\:]{1,2}){0,9}\w{1,60}(?:Error|Exception|Warning): ")
_INITIAL = re.compile(r"[A-Za-z][a-z]*(?![\w./-])")
"""A plain word, whose first letter depends on what stands before it."""
_LETTERS = re.compile(r"[^\W\d_]+")
_LEAST = 20
"""Letters of fixed text that say enough without a level."""
_LEAST_STOPPED = 8
_LEAST_STARTED = 12
"""Characters of a text whose first letter can be left open: its literal stays rare."""
_LEAST_BARE = 12.0
"""Weight of a message that is meant where its class or tool is missing."""
_LEAST_LINES = 9.0
"""Weight of the first lines that do without the others: that of text which is meant for one
message (`ranking.evidence`)."""
_OPENERS = "=:<([{"
_QUOTES = "'\"`"


def read_pattern(source: str) -> Node:
    """The tree that a record's pattern is searched with. Raises PatternRefused as `parse_regex`
    does."""
    return loosen(parse_regex(source), quotes=any(map(source.__contains__, _QUOTES)))


def loosen(tree: Node, *, quotes: bool = True) -> Node:
    """The tree with those parts made optional. `quotes`: False where it has none."""
    match tree:
        case Alternate(branches):
            return Alternate([loosen(branch, quotes=quotes) for branch in branches])
        case Group(item, None, name):
            return Group(loosen(item, quotes=quotes), None, name)
        case Concat(items):
            pass
        case Text():
            items = [tree]
        case _:
            return tree
    letters = _letters(items)
    if quotes:
        if letters >= _LEAST_STOPPED:
            _free_spelling(items)
        items = _free_quoted(items)
    _free_empty(items)
    items = _free_stop(items, letters)
    items = _free_level(items, letters)
    items = _free_lines(items)
    return items[0] if len(items) == 1 else Concat(items)


def _letters(items: list[Node]) -> int:
    texts = [item.value for item in items if isinstance(item, Text)]
    return sum(map(len, _LETTERS.findall(" ".join(texts))))


def _free_level(items: list[Node], letters: int) -> list[Node]:
    first = items[0] if items else None
    if not isinstance(first, Text):
        return _free_initial(items)
    if level := _LEVEL.match(first.value):
        if letters - len(level.group()) < _LEAST:
            return items
        word = Repeat(Text(level.group(), first.folded), 0, 1, True)
        return [word, replace(first, value=first.value[level.end() :]), *items[1:]]
    if name := _CLASS.match(first.value):
        rest = [replace(first, value=first.value[name.end() :]), *items[1:]]
        if weigh(certain_text(Concat(rest))) < _LEAST_BARE:
            return items
        return [Group(Alternate([Text(name.group(), first.folded), Assertion("^")])), *rest]
    return _free_initial(items)


def _free_initial(items: list[Node]) -> list[Node]:
    match items:
        case [Text(value, False, any_quotes), *others] if _is_sentence(value):
            return [Text(value, False, any_quotes, True), *others]
        case [Group(Alternate(branches), None) as first, *others]:
            either = Alternate([_with_free_initial(branch) for branch in branches])
            return [replace(first, item=either), *others]
    return items


def _is_sentence(text: str) -> bool:
    return len(text) >= _LEAST_STARTED and _INITIAL.match(text) is not None


def _with_free_initial(branch: Node) -> Node:
    match branch:
        case Text():
            return _free_initial([branch])[0]
        case Concat([Text() as first, *others]):
            return Concat([*_free_initial([first]), *others])
    return branch


def _free_spelling(items: Iterable[Node]) -> None:
    """Let quotes be others, in groups too. The parser bounds how deep a pattern is."""
    for item in items:
        match item:
            case Text():
                item.any_quotes = any(quote in item.value for quote in _QUOTES)
            case Group(inner) | Repeat(inner):
                _free_spelling([inner])
            case Concat(inner) | Alternate(inner):
                _free_spelling(inner)


def _free_lines(items: list[Node]) -> list[Node]:
    for at, item in enumerate(items):
        if isinstance(item, Space) and item.breaks:
            before = items[:at]
            if _letters(before) >= _LEAST and weigh(certain_text(Concat(before))) >= _LEAST_LINES:
                others = Alternate([Concat(items[at:]), Assertion("$")])
                return [*before, Group(others)]
    return items


def _free_stop(items: list[Node], letters: int) -> list[Node]:
    last = items[-1] if items else None
    if not isinstance(last, Text) or letters < _LEAST_STOPPED:
        return items
    value = last.value.rstrip()
    if not value.endswith(".") or value[-2:-1] in ("", ".", " "):
        return items
    stop = Repeat(Text(".", last.folded), 0, 1, True)
    return [*items[:-1], replace(last, value=value[:-1]), stop]


def _free_empty(items: list[Node]) -> None:
    for before, group, behind in zip(items, items[1:], [*items[2:], None], strict=False):
        if not (isinstance(before, Text) and before.value[-1:] in tuple(_OPENERS)):
            continue
        closed = behind is None or isinstance(behind, Space) or _is_closed(behind)
        match group:
            case Group(Repeat(AnyChar(), 1, None, _) as hole) if closed:
                hole.low = 0


def _is_closed(behind: Node) -> bool:
    return isinstance(behind, Text) and not behind.value[:1].isalnum()


def _free_quoted(items: list[Node]) -> list[Node]:
    for before, group, behind in zip(items, items[1:], items[2:], strict=False):
        if not (isinstance(before, Text) and isinstance(behind, Text)):
            continue
        quote = before.value[-1:]
        if quote not in _QUOTES or behind.value[:1] != quote:
            continue
        match group:
            case Group(Repeat(CharClass(source), _, None, _)) if source == f"[^{quote}]":
                own = Repeat(Text(quote, before.folded), 0, 1, True)
                group.item = Concat([own, group.item, own])
    return items
