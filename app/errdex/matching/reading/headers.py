"""The header of a log record: the run of tokens behind its time, in whatever order.

A token is taken for the header by its kind and by what stands around it. Some are sure (a
level, a logger with dots, a place in source); some may belong to the header or to the message
(a name, a number, a bracket): these are taken when a sure one follows. Behind a level some are
taken without that; then the header says where it surely ended, since the message may begin
there as well.

*Cost:* at most MAX_TOKENS anchored regexes, each bounded.
"""

from __future__ import annotations

from typing import NamedTuple

from errdex import lazy_re as re
from errdex.matching.reading.header_tokens import (
    DATED,
    GAP,
    LEVEL_INSIDE,
    level_name,
    match_field,
)

MAX_TOKENS = 14
_LONGEST = 200
"""Characters of a header that is looked for before a pattern's place."""
_MAX_OPEN = 4
"""Tokens in a row that only a later one makes sure."""
_CLASS_ENDS = (
    "Error", "Exception", "Failure", "Warning", "Throwable", "Fault", "Interrupt",
)  # fmt: skip
_PLACED = re.compile(r"[:@]\d{1,6}$")
_DOTTED = re.compile(r"\w\.[A-Za-z_$]|::\w|\w/\w")
_METHOD = re.compile(r"(?:[a-z]\w{0,40}\.){2,8}[A-Z][\w$]{0,60}\.[a-z<]\w{0,60}>?$")
"""The place that java.util.logging writes behind the thread, with no mark of its end."""
_CONTEXT = re.compile(r"[A-Za-z_]")
_PROGRESS = re.compile(r"\s*\d{1,6}(?:/\d|\s?%)|\s*$")
_SURE_CONTEXT = re.compile(r"(?:pid|tid|client|thread|task|req|request)[ :=#-]")
_CARRIER = re.compile(
    r"\[(?:(?:[a-z_]{0,20}rank ?|default)\d{1,6}|\d{1,6},\d{1,6}|pod/[\w./-]{1,200}"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\]"
)
"""Brackets that name a writer, which `prefixes` reads."""
_AFTER_LETTER = re.compile(r"[ /][\w.$-]{1,60}(?:\( {0,6}\d{1,7}\))?: ")
_PROCESS_WORD = re.compile(r"(?:PID|TID|pid|tid) \d{1,10} ?[|:] ?")
TEXT_WORDS = frozenset(
    """
    a an and are at because by can cannot could did for from got has have in is it no not of on or
    than that the this to was were when while will with
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""Words that no name of a logger or a process is."""


class Header(NamedTuple):
    """What stands between a time and the message. `end`: where the message begins; `sure`:
    the first place where it may begin; `level`: in lower case, empty without one."""

    end: int
    sure: int
    level: str
    placed: bool = False
    """Whether it names a place in source or a logger with dots."""
    lined: bool = False
    """Whether it is of a form that each line of a record has."""


def read_header(raw: str, at: int, level: str = "") -> Header:
    """Read the tokens behind the time of a record, which ends at `at`. `level`: one that stood
    before the time."""
    return _Reading(raw, at, level).read()


def is_header(text: str, start: int, end: int) -> bool:
    """Whether a message that begins at `end` of a text has nothing before it, from `start` on,
    but what a header may have: brackets, numbers, pairs, times, levels, and names that a mark
    parts from what follows."""
    if end - start > _LONGEST:
        return False
    at, plain, timed = start, False, False
    for _ in range(MAX_TOKENS):
        if at >= end:
            return not plain or timed
        found = match_field(text, at)
        gap = GAP.match(text, found.end()) if found else None
        if found is None or gap is None or gap.end() == gap.start():
            return False
        if found.lastgroup == "name" and not gap.group("mark"):
            plain = True
        timed = timed or found.lastgroup == "stamp"
        at = gap.end()
    return at == end and (not plain or timed)


class _Reading:
    """A header being read."""

    def __init__(self, raw: str, at: int, level: str) -> None:
        self.raw = raw
        self.at = self.end = self.sure = at
        self.level = level
        self.piped = False
        self.wide = False
        """Whether the columns are padded."""
        self.open = 0
        self.plain = 0
        self.placed = self.lined = self.pointed = False

    def read(self) -> Header:
        raw = self.raw
        self._skip_mark()
        for _ in range(MAX_TOKENS):
            word = _PROCESS_WORD.match(raw, self.at)
            if word:
                self._accept(word.end(), sure=True)
                continue
            found = match_field(raw, self.at)
            if found is None:
                break
            gap = GAP.match(raw, found.end())
            kind = found.lastgroup or ""
            if gap is None or not getattr(self, f"_{kind}")(found.group(), found.end(), gap):
                break
        return Header(self.end, min(self.sure, self.end), self.level, self.placed, self.lined)

    def _skip_mark(self) -> None:
        """What parts the time from the rest."""
        gap = GAP.match(self.raw, self.at)
        mark = gap.group("mark") if gap else None
        if gap is None or (mark is None and not gap.group("pad")) or mark == "]":
            return
        self.piped = mark == "|"
        self.at = gap.end()
        if mark:
            self.end = self.sure = self.at
        else:
            self.end = self.sure = self.sure + 1

    # What is done with a token

    def _accept(self, end: int, *, sure: bool) -> bool:
        self.at = self.end = end
        if sure:
            self.sure = end
        self.open = 0
        return True

    def _leave_open(self, gap: re.Match[str]) -> bool:
        """Go on behind a token that only a later one makes a part of the header."""
        self.open += 1
        if self.open > _MAX_OPEN or gap.end() == gap.start():
            return False
        self.at = gap.end()
        return True

    def _behind(self, gap: re.Match[str]) -> int:
        """Where a message behind this gap begins: one space belongs to the header, more are
        the message's own, unless the columns are padded."""
        end = gap.end()
        if self._goes_on(end):
            return end
        pad = gap.group("more") if gap.group("mark") else gap.group("pad")
        return end - len(pad or "") + 1 if pad else end

    def _goes_on(self, at: int) -> bool:
        return self.raw[at : at + 1] in ("[", "|")

    # Kinds of tokens

    def _stamp(self, text: str, end: int, gap: re.Match[str]) -> bool:
        return False

    def _level(self, text: str, end: int, gap: re.Match[str]) -> bool:
        pad, mark = gap.group("pad"), gap.group("mark")
        if self.level or (not pad and not mark):
            return len(text) == 1 and not self.level and self._letter(text, end)
        if len(text) == 1:
            return self._letter(text, end)
        if mark == "]":
            return False
        dotted = "." in text
        if mark == ":" and not pad and not dotted:
            return False
        name = text.rpartition(".")[2]
        if not name.isupper() and (
            self.open or (not mark and len(pad) < 2 and not self._goes_on(gap.end()))
        ):
            return False
        self.level = level_name(name)
        self.wide = len(pad) > 1
        self.piped = self.piped or mark == "|"
        return self._accept(gap.end() if not mark else self._behind(gap), sure=True)

    def _letter(self, text: str, end: int) -> bool:
        behind = _AFTER_LETTER.match(self.raw, end)
        if behind is None:
            return False
        self.level = level_name(text)
        self.lined = True
        return self._accept(behind.end(), sure=True)

    def _square(self, text: str, end: int, gap: re.Match[str]) -> bool:
        if gap.group("mark") == "]" or gap.end() >= len(self.raw):
            return False
        dated = DATED.match(text)
        inside = text[1:-1]
        before, _, behind = inside.rpartition(":")[2].partition("/")
        level = LEVEL_INSIDE.fullmatch(before.strip()) or LEVEL_INSIDE.fullmatch(behind)
        if dated is None and level and not self.level:
            self.level = level_name(level.group())
            return self._accept(gap.end(), sure=True)
        if _CARRIER.match(text) or _PROGRESS.match(inside) or inside[:1] in "'\"":
            return False
        if gap.end() == end and not self._goes_on(end):
            return False
        named = _CONTEXT.match(inside) and (
            " " not in inside.strip() or _SURE_CONTEXT.match(inside)
        )
        if not self.level and (self.open or not named):
            return self._leave_open(gap)
        return self._accept(self._behind(gap), sure=_SURE_CONTEXT.match(inside) is not None)

    def _round(self, text: str, end: int, gap: re.Match[str]) -> bool:
        if gap.end() == end or gap.end() >= len(self.raw):
            return False
        level = LEVEL_INSIDE.fullmatch(text[1:-1])
        if level and not self.level:
            self.level = level_name(level.group())
            return self._accept(gap.end(), sure=True)
        return self._accept(self._behind(gap), sure=False) if self.level else self._leave_open(gap)

    def _angle(self, text: str, end: int, gap: re.Match[str]) -> bool:
        if gap.end() == end:
            return False
        return self._round(text, end, gap)

    def _curly(self, text: str, end: int, gap: re.Match[str]) -> bool:
        if gap.end() == end or not _PLACED.search(text[:-1]):
            return False
        return self._accept(self._behind(gap), sure=True)

    def _id(self, text: str, end: int, gap: re.Match[str]) -> bool:
        return self._accept(self._behind(gap), sure=True)

    def _work(self, text: str, end: int, gap: re.Match[str]) -> bool:
        return self._accept(gap.end(), sure=True)

    def _number(self, text: str, end: int, gap: re.Match[str]) -> bool:
        mark = gap.group("mark")
        if mark == "---" or (mark == "|" and self.piped):
            return self._accept(self._behind(gap), sure=True)
        return mark != "]" and self._leave_open(gap)

    def _pair(self, text: str, end: int, gap: re.Match[str]) -> bool:
        if self.level and not gap.group("mark") and gap.end() < len(self.raw):
            return self._accept(self._behind(gap), sure=False)
        return self._leave_open(gap)

    def _name(self, text: str, end: int, gap: re.Match[str]) -> bool:
        name = re.split(r"[\[{(]", text, maxsplit=1)[0]
        if name.endswith(_CLASS_ENDS):
            return False
        placed = _PLACED.search(text) is not None
        dotted = placed or _DOTTED.search(name) is not None
        if gap.group("mark"):
            return self._marked_name(gap, placed, dotted)
        if placed or (self.level and _METHOD.match(text)):
            return bool(gap.group("pad")) and self._accept(self._behind(gap), sure=True)
        return self._plain_name(text, gap, dotted)

    def _marked_name(self, gap: re.Match[str], placed: bool, dotted: bool) -> bool:
        """A name with a mark behind it."""
        pad, mark = gap.group("pad"), gap.group("mark")
        if mark == "|" and self.piped:
            return self._accept(self._behind(gap), sure=dotted)
        if mark in ("->", "=>"):
            self.pointed = True
            return self._accept(self._behind(gap), sure=True)
        if mark in (":", "]") and not pad:
            if not (dotted or self.pointed) or (mark == "]" and not placed):
                return False
            self.placed = True
            sure = placed or self.pointed or bool(self.level)
            return self._accept(self._behind(gap), sure=sure)
        if mark == ",":
            return False
        if self.level or dotted:
            return self._accept(self._behind(gap), sure=dotted)
        return self._leave_open(gap)

    def _plain_name(self, text: str, gap: re.Match[str], dotted: bool) -> bool:
        """A name that only white space follows."""
        if self.wide and len(gap.group("pad")) > 1 and gap.end() < len(self.raw):
            self.wide = False
            return self._accept(gap.end(), sure=False)
        if self.level:
            ahead = self.raw[gap.end() : gap.end() + 1]
            return dotted and ahead == "[" and self._leave_open(gap)
        self.plain += 1
        return self.plain == 1 and text not in TEXT_WORDS and self._leave_open(gap)
