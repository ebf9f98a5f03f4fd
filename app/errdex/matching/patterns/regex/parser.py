"""Parser of RE2's pattern syntax, into the tree of `regex_ast`.

Written from RE2's own description of its syntax (github.com/google/re2/wiki/Syntax).
It accepts no more than RE2 does, apart from what it leaves to RE2 to judge: the
inside of character classes and the names of Unicode groups. What RE2 lacks but
other engines have is refused here, by its name and with what to write instead.

Two habits of this project are added: the dot matches line breaks and `^` and `$`
hold at every line, since a pattern is applied to one message, which may have several
lines (`(?-s)` and `(?-m)` switch this off), and neighbouring white space becomes
one `Space`.

The parser keeps its own stack, so that no nesting can exhaust Python's. Runs of
plain characters are taken in one step: 50,000 patterns have to be read in a second.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from errdex import lazy_re as re
from errdex.matching.patterns.refusal import PatternRefused
from errdex.matching.patterns.regex.character_class import class_members, find_class_end
from errdex.matching.patterns.regex.refusals import refuse_escape, refuse_group, refuse_quantifier
from errdex.matching.patterns.regex.syntax_tree import (
    ASCII_SPACES,
    INVISIBLE,
    OTHER_SPACES,
    QUOTES,
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

MAX_LENGTH = 20_000
"""Characters of a pattern."""
MAX_DEPTH = 100
"""Groups within groups."""
MAX_REPEAT = 1000
"""RE2's own limit for counted repeats."""

_SPACES = ASCII_SPACES + OTHER_SPACES
_WORD = rf"[^\\.^$*+?()\[{{|{_SPACES}]+"
_PLAIN = re.compile(f"{_WORD}(?: {_WORD})*")
_BLANK = re.compile(f"[{_SPACES}]+")
_COUNTED = re.compile(r"\{(0|[1-9][0-9]{0,8})(?:(,)(0|[1-9][0-9]{0,8})?)?\}")
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_HOLE = re.compile(r"\((\.|\\[dDwWS])([*+])(\??)\)")
_NAMED = re.compile(r"\(\?P?<(\w+)>")
_HEX = re.compile(r"\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
_OCTAL = re.compile(r"\\(0[0-7]{0,2}|[1-7][0-7]{1,2})")
_UNICODE_GROUP = re.compile(r"\\[pP](?:\{[^}]*\}|[^{])")
_SURROGATE = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile(f"[{INVISIBLE}]")

_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}


@dataclass(slots=True)
class _Level:
    """An open group: what was read of it, and what to go back to behind it."""

    opening: str
    flags: frozenset[str]
    index: int | None = None
    name: str | None = None
    branches: list[Node] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    def close(self) -> Node:
        branch = self.items[0] if len(self.items) == 1 else Concat(self.items)
        return Alternate([*self.branches, branch]) if self.branches else branch


def parse_regex(source: str) -> Node:
    """Read a pattern. Raises PatternRefused for what RE2 does not know."""
    if len(source) > MAX_LENGTH:
        raise PatternRefused(
            f"a pattern of {len(source):,} characters",
            f"more than {MAX_LENGTH:,} are not taken",
            "keep the part of the message that distinguishes it",
        )
    if not source.isascii() and (found := _SURROGATE.search(source)):
        raise PatternRefused(
            f"\\u{ord(found.group()):04x}",
            "half of a surrogate pair is no character",
            "write the whole character, or a dot in its place",
        )
    if not source.isascii():
        # As the paste is read: with plain quotes and without what has no width.
        source = _INVISIBLE.sub("", source.translate(QUOTES))
    return _Parser(source).parse()


class _Parser:
    """One reading of one pattern."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.pos = 0
        self.flags = frozenset("ms")
        self.captures = 0
        self.names: set[str] = set()
        self.repeated = False
        """The last item has its quantifier."""
        self.repeatable = False
        """The last item could have one."""
        self.spaces = 0
        """Required items of the run of white space that ends what was read."""
        self.stack = [_Level("", self.flags)]

    def parse(self) -> Node:
        source, length = self.source, len(self.source)
        while self.pos < length:
            if run := _PLAIN.match(source, self.pos):
                self.pos = run.end()
                self._add_text(run.group())
            else:
                self._step(source[self.pos])
        if len(self.stack) > 1:
            raise PatternRefused(
                self.stack[-1].opening,
                "this group is never closed",
                "close it with ), or write \\( for a parenthesis in the message",
            )
        return self.stack[0].close()

    def _step(self, char: str) -> None:
        match char:
            case "\\":
                self._read_escape()
            case "(":
                self._open_group()
            case ")":
                self._close_group()
            case "[":
                end = find_class_end(self.source, self.pos)
                self._add_class(self.source[self.pos : end])
                self.pos = end
            case "*" | "+" | "?" | "{":
                self._read_quantifier(char)
            case "|":
                level = self.stack[-1]
                level.branches.append(
                    level.items[0] if len(level.items) == 1 else Concat(level.items)
                )
                level.items = []
                self.repeatable = False
                self.pos += 1
            case ".":
                self._add(AnyChar("s" in self.flags))
                self.pos += 1
            case "^" | "$":
                self._add(Assertion(self._line_anchor(char)))
                self.pos += 1
            case _:
                run = _BLANK.match(self.source, self.pos)
                assert run is not None  # noqa: S101 - all else is plain
                self._add_space(len(run.group()), breaks="\n" in run.group())
                self.pos = run.end()

    def _line_anchor(self, char: str) -> str:
        if "m" in self.flags:
            return char
        return r"\A" if char == "^" else r"\z"

    # What was read goes to the end of the innermost open group.

    def _add(self, node: Node) -> None:
        self.stack[-1].items.append(node)
        self.repeated, self.repeatable, self.spaces = False, True, 0

    def _add_text(self, value: str) -> None:
        folded = "i" in self.flags
        items = self.stack[-1].items
        last = items[-1] if items else None
        if isinstance(last, Text) and last.folded == folded:
            last.value += value
            self.repeated, self.repeatable, self.spaces = False, True, 0
        else:
            self._add(Text(value, folded))

    def _add_space(self, count: int, *, breaks: bool = False) -> None:
        items = self.stack[-1].items
        last = items[-1] if items else None
        spaces = self.spaces
        breaks = breaks and len(self.stack) == 1
        if isinstance(last, Space):
            last.optional = False
            last.breaks = last.breaks or breaks
        elif breaks:
            if isinstance(last, Text) and last.value.endswith(" "):
                last.value = last.value[:-1]
            else:
                spaces = 0
            self._add(Space(optional=False, greedy=True, breaks=True))
        elif not (isinstance(last, Text) and last.value.endswith(" ")):
            spaces = 0
            self._add_text(" ")
        self.repeated, self.repeatable, self.spaces = False, True, spaces + count

    def _add_class(self, source: str) -> None:
        folded = "i" in self.flags
        self._add(CharClass(source, folded, class_members(source, folded)))

    def _add_char(self, char: str) -> None:
        if char in _SPACES:
            self._add_space(1, breaks=char == "\n")
        else:
            self._add_text(char)

    # Groups

    def _open_group(self) -> None:
        source = self.source
        if source.startswith("(?", self.pos):
            if flags := _FLAGS.match(source, self.pos):
                self._read_flags(flags)
            elif named := _NAMED.match(source, self.pos):
                self._open_named(named)
            else:
                refuse_group(source, self.pos)
        elif hole := _HOLE.match(source, self.pos):
            self._add_hole(hole)
        else:
            self.captures += 1
            self._push(_Level(self._opening(), self.flags, self.captures))
            self.pos += 1

    def _add_hole(self, found: re.Match[str]) -> None:
        """A group around one repeated atom: read in one step, since most groups are."""
        written, quantifier, reluctant = found.groups()
        atom: Node
        if written == ".":
            atom = AnyChar("s" in self.flags)
        else:
            atom = CharClass(written, "i" in self.flags, None)
        self.captures += 1
        greedy = ("U" in self.flags) == bool(reluctant)
        repeat = Repeat(atom, int(quantifier == "+"), None, greedy)
        self._add(Group(repeat, self.captures))
        self.pos = found.end()

    def _opening(self) -> str:
        return self.source[self.pos : self.pos + 20]

    def _read_flags(self, found: re.Match[str]) -> None:
        on, off, ending = found.groups()
        flags = (self.flags | set(on)) - set(off or "")
        if ending == ":":
            self._push(_Level(self._opening(), self.flags))
        else:
            # RE2 would let `a(?i)*` repeat the a; nobody means that.
            self.repeatable = False
        self.flags = frozenset(flags)
        self.pos = found.end()

    def _open_named(self, found: re.Match[str]) -> None:
        name = found.group(1)
        if name in self.names:
            raise PatternRefused(
                found.group(),
                "two groups have the same name",
                "give each its own name",
            )
        self.names.add(name)
        self.captures += 1
        self._push(_Level(self._opening(), self.flags, self.captures, name))
        self.pos = found.end()

    def _push(self, level: _Level) -> None:
        if len(self.stack) > MAX_DEPTH:
            raise PatternRefused(
                level.opening,
                f"groups nested more than {MAX_DEPTH} deep",
                "leave out the groups that do nothing",
            )
        self.stack.append(level)
        self.repeatable = False

    def _close_group(self) -> None:
        if len(self.stack) == 1:
            raise PatternRefused(
                ")", "it closes no group", "write \\) for a parenthesis in the message"
            )
        level = self.stack.pop()
        self.flags = level.flags
        self._add(Group(level.close(), level.index, level.name))
        self.pos += 1

    # Quantifiers

    def _read_quantifier(self, char: str) -> None:
        start = self.pos
        low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(char, (0, 0))
        if char == "{":
            counted = _COUNTED.match(self.source, start)
            if counted is None:
                self.pos += 1
                self._add_text("{")
                return
            low, high = self._counts(counted)
            self.pos = counted.end()
        else:
            self.pos += 1
        greedy = "U" not in self.flags
        if self.source.startswith("?", self.pos):
            greedy = not greedy
            self.pos += 1
        if not self.repeatable:
            refuse_quantifier(self.source, start, self.pos, follows_another=self.repeated)
        self._repeat(low, high, greedy)
        self.repeated, self.repeatable = True, False

    def _counts(self, found: re.Match[str]) -> tuple[int, int | None]:
        low = int(found.group(1))
        high = int(found.group(3)) if found.group(3) else (None if found.group(2) else low)
        if max(low, high or 0) > MAX_REPEAT:
            raise PatternRefused(
                found.group(),
                f"RE2 repeats at most {MAX_REPEAT} times",
                "write + or * instead of a count",
            )
        if high is not None and high < low:
            raise PatternRefused(
                found.group(), "the smaller count comes first", f"write {{{high},{low}}}"
            )
        return low, high

    def _repeat(self, low: int, high: int | None, greedy: bool) -> None:
        items = self.stack[-1].items
        last = items[-1]
        if isinstance(last, Text) and len(last.value) > 1:
            last.value, char = last.value[:-1], last.value[-1]
            last = Text(char, last.folded)
            items.append(last)
        if isinstance(last, Space) or (isinstance(last, Text) and last.value == " "):
            self.spaces -= low == 0
            items[-1] = Space(self.spaces <= 0, greedy)
        else:
            items[-1] = Repeat(last, low, high, greedy)

    # Escapes

    def _read_escape(self) -> None:
        source, start = self.source, self.pos
        char = source[start + 1 : start + 2]
        if char in _CONTROL:
            self._add_char(_CONTROL[char])
            self.pos += 2
        elif char and not char.isalnum() and char.isascii():
            self._add_char(char)
            self.pos += 2
        elif char == "s":
            self._add_space(1)
            self.pos += 2
        elif char and char in "dDwWS":
            self._add_class(source[start : start + 2])
            self.pos += 2
        elif char and char in "bBAz":
            self._add(Assertion(source[start : start + 2]))
            self.pos += 2
        elif char == "Q":
            self._read_quote()
        else:
            self._read_coded_escape()

    def _read_coded_escape(self) -> None:
        source, start = self.source, self.pos
        if group := _UNICODE_GROUP.match(source, start):
            self._add(CharClass(group.group(), "i" in self.flags, None))
            self.pos = group.end()
            return
        if found := _HEX.match(source, start):
            code = int(found.group(1) or found.group(2), 16)
        elif found := _OCTAL.match(source, start):
            code = int(found.group(1), 8)
        else:
            refuse_escape(source, start)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise PatternRefused(
                found.group(), "there is no such character", "write the character itself"
            )
        self._add_char(chr(code))
        self.pos = found.end()

    def _read_quote(self) -> None:
        end = self.source.find("\\E", self.pos + 2)
        quoted = self.source[self.pos + 2 : end if end >= 0 else len(self.source)]
        for char in quoted:
            self._add_char(char)
        self.pos = end + 2 if end >= 0 else len(self.source)
