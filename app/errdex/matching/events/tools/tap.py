"""Failures in the Test Anything Protocol, as `node --test` writes them: a block of fields."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text
from errdex.matching.model import Frame, Role

TRIGGERS = ("  error: ",)

_ERROR = re.compile(r"(?P<indent> {2,40})error: (?P<said>\S.*)$", re.DOTALL)
_FIELD = re.compile(r" *(?P<key>\w{1,40}): ?(?P<value>.*)$", re.DOTALL)
_BLOCK = re.compile(r"[|>][-+]?\d?\s*$")
_FRAME = re.compile(
    r"\s*(?:at )?(?:async )?(?:(?P<function>[^\n(]{1,200}?) \()?(?P<file>[^\s()][^\n()]{0,400}?)"
    r":(?P<line>\d{1,9}):\d{1,9}\)?\s*$"
)
_ABOVE, _BELOW = 10, 400


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the block of fields that line `at`, its field `error`, stands in."""
    found = _ERROR.match(stream.head(at))
    if found is None:
        return None
    indent = found.group("indent")
    begin = _begin(stream, at, indent)
    if begin is None:
        return None
    message, position = _value(stream, at, found.start("said"), indent)
    draft = Draft("node", None, message, begin, at)
    draft.last = _read_fields(stream, position, indent, draft)
    return Parsed([draft], draft.last + 1, list(range(at + len(message.pieces), draft.last + 1)))


def _begin(stream: Stream, at: int, indent: str) -> int | None:
    """Where the block begins: its `---`, or None when there is none."""
    for position in range(at - 1, max(stream.consumed, at - _ABOVE) - 1, -1):
        head = stream.head(position).rstrip()
        if head == indent + "---":
            return position
        if not head.startswith(indent):
            return None
    return None


def _value(stream: Stream, at: int, column: int, indent: str) -> tuple[Text, int]:
    """The text of a field, and the position behind it: without its quotes, or the indented lines
    below."""
    text = Text()
    said = stream.texts[at][column:].rstrip()
    if not _BLOCK.match(said):
        quoted = len(said) > 1 and said[0] == said[-1] and said[0] in "'\"`"
        text.add(at, column + quoted, said[1:-1] if quoted else said)
        return text, at + 1
    position = at + 1
    while position < min(len(stream), at + _BELOW):
        line = stream.texts[position].rstrip()
        if line and not line.startswith(indent + "  "):
            break
        if line or text.pieces:
            begin = min(len(line), len(indent) + 2)
            text.add(position, begin, line[begin:])
        position += 1
    while len(text.parts) > 1 and not text.parts[-1].strip():
        del text.parts[-1]
    size = sum(map(len, text.parts))
    text.pieces[:] = [piece for piece in text.pieces if piece[0] < size]
    if not text.pieces:
        text.add(at, column, "")
    return text, position


def _read_fields(stream: Stream, at: int, indent: str, draft: Draft) -> int:
    """Read class, code and frames from the fields behind the message; the block's last line."""
    in_stack = False
    position = at
    while position < min(len(stream), at + _BELOW):
        line = stream.head(position).rstrip()
        if line == indent + "...":
            break
        if line and not line.startswith(indent):
            position -= 1
            break
        field = _FIELD.match(line) if not line.startswith(indent + " ") else None
        frame = _FRAME.match(line) if in_stack and field is None else None
        if field:
            in_stack = field.group("key") == "stack"
            value = field.group("value").strip("'\"")
            if field.group("key") == "name":
                draft.error_class = value
            elif field.group("key") == "code" and value != "ERR_TEST_FAILURE":
                draft.code = value
        elif frame and len(draft.frames) < MAX_FRAMES:
            path = frame.group("file")
            package = "node" if path.startswith("node:") else None
            draft.frames.insert(
                0, Frame(path, int(frame.group("line")), frame.group("function"), package)
            )
        position += 1
    if re.match(r"\d+ subtests? failed", str(draft.message)):
        draft.role = Role.SYMPTOM
    return min(position, len(stream) - 1)
