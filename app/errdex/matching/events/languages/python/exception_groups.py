"""Python's exception groups: a tree drawn with `|` and `+-+----`."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text
from errdex.matching.events.languages.python.frames import EXCEPTION, FILE, to_frame
from errdex.matching.events.languages.python.message_ends import ends_with_line, source_above
from errdex.matching.model import Frame, Role

_BAR = re.compile(r"(?P<indent>\s*)\| ?(?P<text>.*)$", re.DOTALL)
_SEPARATOR = re.compile(r"(?P<indent>\s*)\+(?:-\+)?-{4,}(?: (?P<number>\d+|\.\.\.) -*)?")
_LINK = re.compile(r"(?:The above exception was the direct|During handling of the above)")
_HEADERS = (
    "Traceback (most recent call last)",
    "Exception Group Traceback (most recent call last)",
)
_MAX_LINES = 20_000


def is_group_header(text: str, column: int) -> bool:
    """Whether a line begins the tree of an exception group."""
    return text[:column].endswith("+ Exception Group ")


def parse_group(stream: Stream, at: int) -> Parsed:
    """Parse a whole tree. Each exception in it is an event; a group's cause is its first
    member, because that is where to look next."""
    parsed = Parsed([], at)
    reader = _Tree(stream, parsed)
    parsed.end = reader.read(at)
    return parsed


class _Tree:
    def __init__(self, stream: Stream, parsed: Parsed) -> None:
        self.stream = stream
        self.parsed = parsed
        self.groups: list[tuple[int, Draft]] = []
        """Open groups with the indentation of their members' bars."""
        self.frames: list[Frame] = []
        self.current: Draft | None = None
        self.linked: Draft | None = None
        self.noted = False
        """Lines below the current message are notes."""

    def read(self, at: int) -> int:
        """Read line by line; the position behind the tree."""
        start = at
        last = at
        while at < len(self.stream) and at < start + _MAX_LINES:
            head = self.stream.head(at)
            bar = _BAR.match(head)
            separator = _SEPARATOR.match(head)
            if separator:
                self._separate(separator)
            elif "+ Exception Group Traceback" in head:
                self._close()
            elif bar:
                self._line(at, bar)
            elif head.strip() or at > last + 2:
                break
            if head.strip():
                last = at
            at += 1
        self._close()
        return last + 1

    def _separate(self, found: re.Match[str]) -> None:
        indent = len(found.group("indent"))
        current = self.current
        self._close()
        self.linked = None
        if found.group().lstrip().startswith("+-+") and current is not None:
            self.groups.append((indent, current))
            current.role = Role.WRAPPER
        elif found.group("number") is None:
            while self.groups and self.groups[-1][0] + 2 >= indent:
                depth, _ = self.groups.pop()
                if depth + 2 <= indent:
                    break

    def _line(self, at: int, bar: re.Match[str]) -> None:
        text = bar.group("text")
        column = bar.start("text")
        stripped = text.strip()
        place = FILE.match(text)
        if place:
            self._close()
            self.frames.append(to_frame(place))
        elif text.startswith("  ") and self.frames and self.current is None:
            self.parsed.quoted.append(at)
        elif _LINK.match(text):
            self.linked = self.current or self.linked
            self._close()
        elif any(header in text for header in _HEADERS) or (not stripped and self.current is None):
            self._close()
        elif self.current is not None:
            self.current.last = at
            if self.noted:
                self.current.notes += [stripped] if stripped else []
            else:
                self.current.message.add(at, column, text.rstrip())
        else:
            self._begin(at, column, text)

    def _begin(self, at: int, column: int, text: str) -> None:
        found = EXCEPTION.match(text)
        if found is None:
            return
        message = Text()
        start = column + found.end()
        message.add(at, start, self.stream.texts[at][start:])
        draft = Draft("python", found.group("class"), message, at, at, self.frames)
        source = source_above(self.stream, at, self.parsed.quoted)
        unsaid = ":" not in found.group("rest")
        self.noted = unsaid or ends_with_line(found.group("class"), text[found.end() :], source)
        self.frames = []
        draft.cause = self.linked
        if self.groups:
            group = self.groups[-1][1]
            draft.role = Role.MEMBER
            if group.cause is None:
                group.cause = draft
        self.current = draft
        self.parsed.drafts.append(draft)

    def _close(self) -> None:
        if self.current is not None:
            self.linked = self.current
            pieces = self.current.message
            while pieces.parts and pieces.parts[-1] in ("", "\n") and len(pieces.parts) > 1:
                pieces.parts.pop()
        self.current = None
