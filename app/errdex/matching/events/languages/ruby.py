"""Ruby: `file:line:in 'method': message (Class)`, Rails' form, RSpec's failures."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text
from errdex.matching.model import Frame

TRIGGERS = (
    ":in `", ":in '", "': ", "\tfrom ", "Failure/Error:", "rror (", "xception (", "syntax error",
    "SyntaxError)", "NotFound (", "Invalid (", "Missing (",
)  # fmt: skip

_PLACE = (
    r"(?P<file><internal:[^>\n]{1,300}>|(?:[A-Za-z]:)?[^\s:][^:\n]{0,300}):(?P<line>\d{1,7})"
    r":in [`'](?P<function>[^'\n]{1,200})'"
)
_HEADER = re.compile(
    # Markdown takes the mark before a name.
    _PLACE.replace("[`']", "[`']?", 1)
    + r": (?P<message>.*?)(?: ?\((?P<class>[A-Z][\w:]{0,100})\))?$",
    re.DOTALL,
)
_SYNTAX = re.compile(
    r"(?P<file>[^\s:][^:\n]{0,300}):(?P<line>\d{1,7}): (?P<message>(?:syntax errors?"
    r"|--> ).*?)(?: \((?P<class>SyntaxError)\))?$",
    re.DOTALL,
)
_FROM = re.compile(
    r"\s*(?:\d+: )?from "
    + _PLACE.replace(":in [`']", "(?::in [`']").replace("{1,200})'", "{1,200})')?")
)
_CLASS_END = re.compile(r"(?P<message>.*) \((?P<class>[A-Z][\w:]{0,100})\)$", re.DOTALL)
_RAILS = re.compile(
    r"(?P<class>(?:[A-Z]\w{0,60}::){0,6}[A-Z]\w{0,60}(?:Error|Exception|NotFound|Invalid"
    r"|Missing)) \((?P<message>.*?)\):?$",
    re.DOTALL,
)
_RAILS_FRAME = re.compile(r"\s*" + _PLACE + r"\s*$")
_RSPEC_CLASS = re.compile(r"\s+(?P<class>(?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception)):\s*$")
_GEM = re.compile(r"/gems/([\w.-]+?)-\d[\w.]*/")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    if "Failure/Error:" in head:
        return _parse_rspec(stream, at)
    header = _HEADER.match(head)
    if header and header.group("class"):
        return _read(stream, at, header, header.group("message"))
    if header and _FROM.match(stream.head(at + 1)):
        return _read(stream, at, header, header.group("message"))
    if header:
        return _parse_long(stream, at, header)
    syntax = _SYNTAX.match(head)
    if syntax:
        return _parse_syntax(stream, at, syntax)
    rails = _RAILS.match(head)
    if rails:
        return _parse_rails(stream, at, rails)
    return None


def _parse_long(stream: Stream, at: int, header: re.Match[str]) -> Parsed | None:
    """A message of several lines: the class stands at the end of its first."""
    if _FROM.match(stream.head(at)):
        return None
    for position in range(at + 1, min(at + 12, len(stream))):
        if _FROM.match(stream.head(position)):
            return _read(stream, at, header, header.group("message"))
        if stream.interrupts(position, at):
            break
    return None


def _read(stream: Stream, at: int, header: re.Match[str], message: str) -> Parsed:
    drafts: list[Draft] = []
    position = at
    found: re.Match[str] | None = header
    while found is not None and len(drafts) < 1000:
        text = Text()
        text.add(position, found.start("message"), found.group("message"))
        draft = Draft("ruby", found.group("class"), text, position, position)
        draft.frames = [_to_frame(found)]
        if drafts:
            drafts[-1].cause = draft
        drafts.append(draft)
        position = _read_frames(stream, position + 1, draft)
        found = _HEADER.match(stream.head(position))
        if found and (not found.group("class") or found[0] == header[0]):
            found = None  # no cause, or the same error as a thread reported and as it was joined
    if drafts[0].frames and _reversed_frames(stream, at):
        drafts[0].frames = [*_reversed_list(stream, at), drafts[0].frames[-1]]
    return Parsed(drafts, position)


def _read_frames(stream: Stream, at: int, draft: Draft) -> int:
    start = at
    while at < len(stream):
        head = stream.head(at)
        place = _FROM.match(head)
        if place:
            if len(draft.frames) < MAX_FRAMES:
                draft.frames.insert(0, _to_frame(place))
        elif head.lstrip().startswith("... ") and "levels" in head:
            pass
        elif (
            at < start + 12
            and not stream.interrupts(at, start - 1)
            and _from_ahead(stream, at)
            and not _HEADER.match(head)
        ):
            draft.message.add(at, 0, stream.texts[at])
        else:
            break
        at += 1
    draft.last = at - 1
    return at


def _from_ahead(stream: Stream, at: int) -> bool:
    return any(
        _FROM.match(stream.head(position)) for position in range(at + 1, at + 10)
    ) and not _FROM.match(stream.head(at - 1))


def _reversed_frames(stream: Stream, at: int) -> bool:
    return at > 0 and re.match(r"\s*1: from ", stream.head(at - 1)) is not None


def _reversed_list(stream: Stream, at: int) -> list[Frame]:
    frames: list[Frame] = []
    position = at - 1
    while (
        position >= 0 and (found := _FROM.match(stream.head(position))) and len(frames) < MAX_FRAMES
    ):
        frames.insert(0, _to_frame(found))
        position -= 1
    return frames


def _to_frame(found: re.Match[str]) -> Frame:
    gem = _GEM.search(found.group("file"))
    return Frame(
        found.group("file"),
        int(found.group("line")),
        found.group("function"),
        gem.group(1) if gem else None,
    )


def _parse_syntax(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    text = Text()
    text.add(at, found.start("message"), found.group("message"))
    frame = Frame(found.group("file"), int(found.group("line")))
    return Parsed([Draft("ruby", "SyntaxError", text, at, at, [frame])], at + 1)


def _parse_rails(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    text = Text()
    text.add(at, found.start("message"), found.group("message"))
    draft = Draft("ruby", found.group("class"), text, at, at)
    position = at + 1
    while position < len(stream) and position < at + 200:
        head = stream.head(position)
        place = _RAILS_FRAME.match(head)
        if place:
            draft.frames.insert(0, _to_frame(place))
            draft.last = position
        elif head.strip() or position > at + 3:
            break
        position += 1
    return Parsed([draft], draft.last + 1)


def _parse_rspec(stream: Stream, at: int) -> Parsed | None:
    position = at + 1
    while position < min(at + 10, len(stream)) and stream.head(position).strip():
        position += 1
    quoted = list(range(at, position))
    position += 1
    text = Text()
    name = None
    found = _RSPEC_CLASS.match(stream.head(position))
    if found:
        name = found.group("class")
        position += 1
    while position < len(stream) and text.size < 5000:
        head = stream.head(position)
        if not head.strip() and not stream.head(position + 1).startswith("       "):
            break
        if head.lstrip().startswith("# "):
            break
        if head.strip():
            text.add(position, len(head) - len(head.lstrip()), stream.texts[position].strip())
        position += 1
    if not text.pieces:
        return None
    return Parsed([Draft("ruby", name, text, at, position - 1)], position, quoted)
