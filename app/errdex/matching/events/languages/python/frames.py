"""The frames of a Python traceback, whatever happened to their indentation."""

from __future__ import annotations

from dataclasses import dataclass, field

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Stream
from errdex.matching.model import Frame

FILE = re.compile(
    r"\s*(?:\| )?File \"(?:(?P<file>[^\"\n]{1,800})\", line (?P<line>\d{1,9})"
    r"(?:,? in(?: (?P<function>[^\n]{1,300}))?)?|(?P<cut>[^\"\n]{20,800})(?:\"[line, ]{0,7})?)\s*$"
)
"""A frame's line, which a pager may have cut."""
_IPYTHON_FILE = re.compile(
    r"(?:File (?P<file>[^\n,]{1,500}?):(?P<line>\d{1,9})|(?P<cell>(?:Cell )?In ?\[\d+\]"
    r"|Input In \[\d+\]"
    r"|<ipython-input[^>\n]{1,80}>)(?:, line (?P<cell_line>\d{1,9}))?"
    r"|(?P<old>[~/][^\n]{1,400}?\.pyx?))"
    r"(?:,? in (?P<function>[^\n(]{1,200})(?:\([^\n]{0,800})?)?\s*$"
)
_NUMBERED = re.compile(r"\s*(?:-+> ?)?\s*\d{1,7}(?: |$)")
_MARKED = re.compile(r"\s*-+> ?(\d{1,7})(?: |$)")
EXCEPTION = re.compile(
    r"(?P<class>[A-Za-z_][\w.]{0,200}(?:<locals>\.[\w.]{1,100})?(?:\(\w{1,80}\))?)"
    r"(?P<rest>: ?|$|:\s*$)"
)
CLASS_LIKE = re.compile(
    r"(?:[A-Za-z_][\w.]{0,160})?(?:Error|Exception|Warning|Interrupt|Exit|StopIteration"
    r"|Group|Timeout"
    r"|Cancelled|NotFound|Failure|Failed|DoesNotExist|Traceback|Refused"
    r"|Denied)(?:\(\w{1,80}\))?(?::|$)"
)
_REPEATED = re.compile(r"\s*\[Previous line repeated \d+ more times?\]")
_ANCHORS = re.compile(r"\s*[\^~][\^~ ]*$")
_BLANKS = 3
_SITE = re.compile(r"(?:site|dist)-packages[/\\]([\w.-]+)")
_STANDARD = re.compile(r"lib[/\\]python[\d.]+[/\\](\w+)")


@dataclass(slots=True)
class Stack:
    """Frames and the source lines that they quote."""

    frames: list[Frame] = field(default_factory=list)
    quoted: list[int] = field(default_factory=list)
    end: int = 0


def package_of(path: str) -> str | None:
    """The installed package (or module of the standard library) that a path belongs to."""
    found = _SITE.search(path) or _STANDARD.search(path)
    if found is None:
        return None
    return found.group(1).removesuffix(".py").removesuffix(".pyx")


def to_frame(found: re.Match[str]) -> Frame:
    """A frame from a `File "…", line N, in f` line."""
    path = found.group("file") or found.group("cut")
    function, line = found.group("function", "line")
    return Frame(
        path, int(line) if line else None, function.strip() if function else None, package_of(path)
    )


def read_stack(stream: Stream, at: int, base: int) -> Stack:
    """Read frames from position `at` on; `base` is the column of the traceback's header."""
    stack = Stack(end=at)
    start = at
    while at < len(stream):
        head = stream.head(at)
        found = FILE.match(head) if "File" in head else None
        if found:
            if len(stack.frames) < MAX_FRAMES:
                stack.frames.append(to_frame(found))
            at = _quoted_source(stream, at + 1, base, stack)
        elif _REPEATED.match(head):
            at += 1
        elif not head.strip() and (behind := _over_blank(stream, at, base)) is not None:
            at = behind
            if not FILE.match(stream.head(at)):
                at = _quoted_source(stream, at, base, stack)
        elif stream.kind(at) > stream.kind(start) and _frame_follows(stream, at + 1):
            at += 1  # another writer's record, in the middle of this one
        else:
            break
        stack.end = at
    return stack


def _over_blank(stream: Stream, at: int, base: int) -> int | None:
    """The position behind blank lines that a copy put between frames, or between a frame and its
    source; None where the stack ends there."""
    behind = at
    while behind < at + _BLANKS and behind < len(stream) and not stream.head(behind).strip():
        behind += 1
    head = stream.head(behind)
    if FILE.match(head):
        return behind
    indent = len(head) - len(head.lstrip())
    source = indent >= base + 4 and FILE.match(stream.head(at - 1)) is not None
    return behind if source and head.strip() else None


def _frame_follows(stream: Stream, at: int) -> bool:
    return any(FILE.match(stream.head(after)) for after in range(at, min(at + 3, len(stream))))


def _quoted_source(stream: Stream, at: int, base: int, stack: Stack) -> int:
    """Skip what a frame quotes: indented deeper than the frames, or (indentation lost) the
    one line behind the frame that is no exception."""
    start, depth = at, 0
    while at < len(stream):
        head = stream.head(at)
        stripped = head.strip()
        if not stripped or FILE.match(head) or _REPEATED.match(head):
            break
        indent = len(head) - len(head.lstrip())
        if at > start and indent < depth and CLASS_LIKE.match(stripped):
            break  # the exception, in a copy that lost the beginning
        depth = max(depth, indent)
        deeper = indent >= base + 2 or (indent > base and head.startswith("\t"))
        lost = not deeper and at == start and not CLASS_LIKE.match(stripped)
        lost = lost and not (EXCEPTION.match(stripped) and _ends(stream, at))
        if not (deeper or lost or (_ANCHORS.match(head) and at > start)):
            break
        if stream.kind(at) > stream.kind(start - 1):
            break
        stack.quoted.append(at)
        at += 1
    return at


def _ends(stream: Stream, at: int) -> bool:
    """Whether no further frame comes soon, so that a line may be the exception's own."""
    return not any(FILE.match(stream.head(after)) for after in range(at + 1, at + 4))


def read_ipython_stack(stream: Stream, at: int) -> Stack:
    """Read IPython's frames, whose source lines are numbered and marked with an arrow."""
    stack = Stack(end=at)
    blanks = 0
    while at < len(stream):
        head = stream.head(at)
        marked = _MARKED.match(head)
        found = _IPYTHON_FILE.match(head)
        if found:
            line = found.group("line") or found.group("cell_line")
            path = found.group("file") or found.group("cell") or found.group("old")
            function = found.group("function")
            stack.frames.append(
                Frame(
                    path,
                    int(line) if line else None,
                    function and function.strip(),
                    package_of(path),
                )
            )
        elif _NUMBERED.match(head) or _ANCHORS.match(head) or (head[:1] in " \t" and head.strip()):
            stack.quoted.append(at)
            if marked and stack.frames and stack.frames[-1].line is None:
                last = stack.frames[-1]
                stack.frames[-1] = Frame(
                    last.file, int(marked.group(1)), last.function, last.package
                )
        elif not head.strip() and blanks < 2:
            blanks += 1
            at += 1
            continue
        else:
            break
        blanks = 0
        at += 1
        stack.end = at
    return stack
