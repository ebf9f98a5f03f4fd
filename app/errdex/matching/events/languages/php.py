"""PHP: fatal errors with their stack, warnings, parse errors, in text or HTML."""

from __future__ import annotations

from collections.abc import Sequence

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text, single
from errdex.matching.model import Frame, Role

TRIGGERS = (
    "PHP Fatal error", "Fatal error", "PHP Warning", "Warning: ", "PHP Parse error", "Parse error",
    "PHP Notice", "Uncaught ", "PHP Deprecated", "Warning</b>", "Notice: ", "Deprecated: ",
    "Catchable fatal", "Stack trace:", "[stacktrace]", "[object] (", " passed to ", "Too few arg",
    ".php line ",
)  # fmt: skip

_FASTCGI = re.compile(
    r"[^\n]{0,400}?PHP message: (?P<said>[^\n]{1,1500}?)(?=; PHP message: |\"? while reading |\"?$)"
)
"""What PHP said, within a line of a web server's log."""
_GLUED = re.compile(r"(?<=\S)(?P<said>PHP (?:Fatal|Parse) error: )")
"""Behind a command whose line had no end."""
_HEADER = re.compile(
    r"(?:<br ?/?>|\( ! \))?\s*(?:<b>)?(?:PHP )?(?P<level>Fatal error|Parse error|Warning|Notice"
    r"|Deprecated|Recoverable fatal error|Catchable fatal error)(?:</b>)?:\s{1,4}"
    r"(?P<rest>\S.*)$",
    re.DOTALL,
)
_UNCAUGHT = re.compile(
    r"(?:PHP Fatal error:\s+)?Uncaught (?P<class>[A-Za-z_\\][\w\\]{0,200})(?:: (?P<message>.*))?$",
    re.DOTALL,
)
_OLD_UNCAUGHT = re.compile(
    r"Uncaught exception '(?P<class>[A-Za-z_\\][\w\\]{0,200})'(?: with message '(?P<message>.*))?",
    re.DOTALL,
)
"""As PHP 5 said it; the quote behind the message stands before the place."""
_LOGGED = re.compile(
    r"(?P<said>.*?) ?\{\"(?:\w+\":\"?[^\n]{0,200}?\")?exception\":\"\[object\] \("
    r"(?P<class>[A-Za-z_\\][\w\\]{0,300})\(code: (?P<code>[^)\n]{1,20})\): "
    r"(?P<message>.*?)(?: at (?P<file>[^\n]{1,400}?):(?P<line>\d{1,7})\))?$",
    re.DOTALL,
)
"""A line of a log of Monolog's, as Laravel and Symfony write it, with the exception in JSON."""
_BARE = re.compile(
    r"(?:Type error: |TypeError: |ArgumentCountError: )?(?P<message>(?:Argument \d+ passed to"
    r"|Too few arguments to function) \S+.*)$",
    re.DOTALL,
)
_CLASS_PLACED = re.compile(
    r"(?P<class>[A-Z_\\][\w\\]{0,200}(?:Error|Exception)) in (?P<file>[^\s:]{1,300}\.php) line "
    r"(?P<line>\d{1,7}):\s*$"
)
"""A heading of Symfony's, below which the message stands."""
_EXCEPTION = re.compile(
    r"(?:Next )?(?P<class>[A-Za-z_\\][\w\\]{0,200}): (?P<message>.*)$", re.DOTALL
)
_PLACE = re.compile(
    r"^(?P<message>.*?)(?:, called in [^\n]{1,300}? on line \d{1,7} and defined)?"
    r" in (?:<b>)?(?P<file>(?:[A-Za-z]:)?[^\n<>:]{1,300}?)(?:</b>)?"
    r"(?:\(\d{1,7}\) : (?:eval\(\)'d|assert) code)?(?::"
    r"(?P<line>\d{1,7})| on line (?:<b>)?(?P<line2>\d{1,7})(?:</b>)?)"
    r"(?:<br ?/?>)?(?:, referer: \S{0,2000})?\s*$",
    re.DOTALL,
)
_FRAME = re.compile(
    r"#\d{1,5} (?:(?P<file>[^\n(]{1,300})\((?P<line>\d{1,7})\)"
    r"(?: : (?:eval\(\)'d|assert) code\(\d{1,7}\))?|\[internal function\]"
    r"|\{main\})(?:: (?P<function>[^\n(]{1,200})\()?"
)
_THROWN = re.compile(r"\s*thrown in (?P<file>[^\n]{1,300}?) on line (?P<line>\d+)")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    logged = _LOGGED.match(head) if "[object]" in head else None
    if logged:
        return _parse_logged(stream, at, logged)
    fastcgi = _FASTCGI.match(head) if "PHP message: " in head else None
    begin, end = fastcgi.span("said") if fastcgi else (0, len(head))
    glued = _GLUED.search(head) if fastcgi is None else None
    begin = glued.start("said") if glued else begin
    header = _HEADER.match(head, begin, end)
    if header is None:
        placed = _CLASS_PLACED.match(head)
        if placed and stream.head(at + 1).strip():
            return _parse_placed(stream, at, placed)
        bare = _BARE.match(head)
        if bare:
            draft = single(stream, at, "php", bare.group("message"), bare.start("message"))
            draft.error_class = "TypeError"
            return Parsed([draft], at + 1)
        uncaught = _UNCAUGHT.match(head)
        if uncaught and _stack_ahead(stream, at):
            return _parse_uncaught(stream, at, 0)
        return None
    rest = header.group("rest")
    if rest.startswith("Uncaught "):
        return _parse_uncaught(stream, at, header.start("rest"))
    place = _PLACE.match(rest)
    if place is None:
        return None
    text = Text()
    start = header.start("rest")
    text.add(at, start, place.group("message"))
    level = header.group("level")
    quiet = level in ("Warning", "Notice", "Deprecated")
    frame = Frame(place.group("file"), int(place.group("line") or place.group("line2")))
    draft = Draft("php", "ParseError" if level == "Parse error" else None, text, at, at, [frame])
    draft.severity = "warning" if quiet else "fatal"
    draft.role = Role.ALONE if quiet else None
    return Parsed([draft], at + 1)


def _parse_placed(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    text = Text()
    text.add(at + 1, 0, stream.texts[at + 1].rstrip())
    frame = Frame(found.group("file"), int(found.group("line")))
    return Parsed([Draft("php", found.group("class"), text, at, at + 1, [frame])], at + 2)


def _parse_logged(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    """The exception, whose text in JSON has its backslashes doubled, and its stack below."""
    text = Text()
    said, message = found.group("said"), found.group("message")
    plain = message.replace("\\\\", "\\").replace('\\"', '"').replace("\\/", "/")
    column = said.find(plain) if plain else -1
    if column >= 0:
        text.add(at, column, plain)
    else:
        text.add(at, found.start("message"), plain)
    draft = Draft("php", found.group("class").replace("\\\\", "\\"), text, at, at)
    places = [found] if found.group("file") else []
    position, functions = at + 1, []
    if stream.head(position).startswith("[stacktrace]"):
        position += 1
        while frame := _FRAME.match(stream.head(position)):
            places.append(frame)
            functions.append(frame.group("function"))
            position += 1
        while stream.head(position).rstrip() in ('"', '"}', '"} '):
            position += 1
    draft.frames = _frames(places, functions)
    draft.last = position - 1
    return Parsed([draft], position)


def _stack_ahead(stream: Stream, at: int) -> bool:
    return any(stream.head(at + offset).startswith(("Stack trace:", "#0 ")) for offset in (1, 2, 3))


def _parse_uncaught(stream: Stream, at: int, column: int) -> Parsed:
    """PHP prints the innermost exception first, each further one behind "Next"."""
    drafts: list[Draft] = []
    position = at
    while position < len(stream) and len(drafts) < 1000:
        head = stream.head(position)
        found = _EXCEPTION.match(head) if position > at else None
        if position == at:
            found = _OLD_UNCAUGHT.match(head, column) or _UNCAUGHT.match(head, column)
        if found is None:
            break
        draft, position = _read_exception(stream, position, found)
        draft.cause = drafts[-1] if drafts else None
        drafts.append(draft)
        following = position
        while following < position + 2 and not stream.head(following).strip():
            following += 1
        if not stream.head(following).startswith("Next "):
            break
        position = following
    thrown = _THROWN.match(stream.head(position))
    if thrown:
        position += 1
    for draft in drafts:
        draft.last = position - 1
    return Parsed(drafts, position)


def _read_exception(stream: Stream, at: int, found: re.Match[str]) -> tuple[Draft, int]:
    text = Text()
    message = found.group("message") or ""
    start = found.start("message") if message else len(stream.head(at))
    lines = [message]
    position = at + 1
    while position < len(stream) and position < at + 60 and not _PLACE.match(lines[-1]):
        head = stream.head(position)
        if head.startswith(("Stack trace:", "#0 ")) or stream.interrupts(position, at):
            break
        lines.append(head)
        position += 1
    place = _PLACE.match(lines[-1])
    for offset, line in enumerate(lines):
        is_last = offset == len(lines) - 1
        piece = place.group("message") if place and is_last else line
        if is_last and found.re is _OLD_UNCAUGHT:
            piece = piece.removesuffix("'")
        text.add(at + offset, start if offset == 0 else 0, piece)
    draft = Draft("php", found.group("class"), text, at, position - 1, severity="fatal")
    if stream.head(position).startswith("Stack trace:"):
        position += 1
    places: list[re.Match[str]] = [place] if place else []
    functions: list[str | None] = []
    while frame := _FRAME.match(stream.head(position)):
        places.append(frame)
        functions.append(frame.group("function"))
        position += 1
    draft.frames = _frames(places, functions)
    return draft, position


def _frames(places: Sequence[re.Match[str]], functions: Sequence[str | None]) -> list[Frame]:
    """PHP names with each place the function that was called there; what was called is where the
    place above it stands."""
    shift = len(places) - len(functions)
    frames = []
    for number, place in enumerate(places[:MAX_FRAMES]):
        at = number - shift + 1
        function = functions[at] if 0 <= at < len(functions) else None
        if place.group("file"):
            line = place.groupdict().get("line2") or place.group("line")
            frames.append(Frame(place.group("file"), int(line), function))
    return frames[::-1]
