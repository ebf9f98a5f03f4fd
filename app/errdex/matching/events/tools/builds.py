"""Build tools: Maven, Gradle, sbt, CMake, make, ninja, cargo's closing lines."""

from __future__ import annotations

from collections.abc import Sequence

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Shifted, Stream, Text
from errdex.matching.events.forms import form, parse_forms
from errdex.matching.model import Frame, Role

TRIGGERS = (
    "CMake Error", "CMake Warning", "CMake Deprecation", "*** ", "ninja: ", "What went wrong",
    "[ERROR] ", "BUILD FAIL", "\ne: ", "could not compile", "[error] ", "BUILD FAILURE",
    "aborting due to", "Execution failed", "FAILURE: ", "Failed to execute goal",
    " failed, to rerun", " targets failed:", "1 target failed:", "A problem occurred", "Could not ",
    "merger failed", "build commands failed:",
)  # fmt: skip

_CMAKE = re.compile(
    r"CMake (?P<level>Error|Warning|Deprecation Warning)(?: \(dev\))?(?: (?:at"
    r"|in) (?P<file>[^\n]{1,300}?):(?P<line>\d{1,7})(?: \((?P<function>[\w-]{1,80})\))?)?:"
    r"(?P<rest>.*)$"
)
_MAVEN_NOISE = re.compile(
    r"\s*(?:$|-> \[Help|To see the full stack|Re-run Maven|For more information|\[Help \d"
    r"|After correcting|COMPILATION ERROR|-+$"
    r"|\s*mvn <args>|Failures:|Errors:|Tests run:|.{0,300} <<< (?:ERROR|FAILURE)!)"
)
_MAVEN_BANNER = re.compile(r"BUILD (?:ERROR|FAILURE)\s*$")
_MAVEN_RULE = re.compile(r"\[INFO\] -{10,}\s*$")
_MAVEN_SAID = re.compile(r"\[INFO\] (?P<message>\S.*)$", re.DOTALL)
"""Below the banner of Maven 2 and a rule, the error."""
_MAVEN_COMPILE = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?/?[^\s:\[][^\n:]{0,300}):\[(?P<line>\d{1,7}),\d{1,6}\] (?:error: )?"
    r"(?P<message>\S.*)$",
    re.DOTALL,
)
_MAVEN_MORE = re.compile(
    r"\[ERROR\]   (?P<more>\S.*)$|  (?P<more2>(?:symbol|location|required|found|reason): .*)$"
)
_MAVEN_GOAL = re.compile(
    r"(?P<message>Failed to execute goal (?P<goal>\S+).*?)(?: -> \[Help \d+\])?\s*$", re.DOTALL
)

_FLAT = re.compile(r"(?!--|Call Stack|CMake |See also )\S")
"""A message that lost its indentation."""

_FORMS = (
    form(
        "tool:gradle",
        r"(?:Error: ?|ERROR: ?)?(?P<message>Manifest merger failed ?(?:with \w+ errors?)?\s?:.*)$",
        more=re.compile(r"\s+(?:is also present|Suggestion: )[^\n]*$"),
    ),
    form(
        "tool:make",
        r"(?P<tool>g?n?make(?:\[\d+\])?|mingw32-make): \*\*\* (?P<message>\[[^\]\n]+\] "
        r"(?:Error \d+|Killed|Segmentation fault).*)$",
        role=Role.SYMPTOM,
    ),
    form("tool:make", r"g?n?make(?:\[\d+\])?: \*\*\* (?P<message>.*?)(?:  Stop\.)?\s*$"),
    form(
        "tool:make",
        r"(?P<file>[\w./-]{1,200}):(?P<line>\d{1,6}): \*\*\* (?P<message>.*?)(?:  Stop\.)?\s*$",
    ),
    form("tool:ninja", r"ninja: (?P<message>build stopped: .*)$", role=Role.SYMPTOM),
    form("tool:ninja", r"ninja: (?:error|fatal): (?P<message>.*)$"),
    form(
        "tool:cargo",
        r"error: (?P<message>(?:could not compile |\w+ failed, to rerun|\d+ targets? failed:).*)$",
        role=Role.SYMPTOM,
    ),
    form("rust", r"error: (?P<message>aborting due to .*)$", role=Role.SYMPTOM),
    form(
        "kotlin",
        r"e: (?:file://)?(?P<file>[^\n]{1,300}?):(?P<line>\d{1,7}):\d{1,6}:? (?P<message>\S.*)$",
    ),
    form(
        "kotlin", r"e: (?P<file>[^\n(]{1,300}): \((?P<line>\d{1,7}), \d{1,6}\): (?P<message>\S.*)$"
    ),
    form(
        "scala",
        r"\[error\] (?P<file>[^\s:][^\n:]{0,300}):(?P<line>\d{1,7})(?::\d{1,6})?: "
        r"(?P<message>\S.*)$",
    ),
    form(  # Surefire's summary names tests again that it reported
        "tool:maven",
        r"(?:\[ERROR\] )? {1,3}(?P<message>[\w$]+(?:\.[\w$]+)+:\d+ (?:» |\S).*)$",
        role=Role.SYMPTOM,
    ),
    form(
        "tool:xcodebuild",
        r"(?P<message>The following build commands failed:)\s*$",
        role=Role.SYMPTOM,
        more=re.compile(r"\s+(?P<more>\S.*)$"),
    ),
    form("tool:gradle", r"(?P<message>BUILD FAILED)\b", role=Role.SYMPTOM),
    form("tool:maven", r"(?:\[INFO\] )?(?P<message>BUILD FAILURE)\b", role=Role.SYMPTOM),
)

_TASK = re.compile(
    r"(?:Error: ?|ERROR: ?|> )?(?P<message>(?:Execution failed for task |A problem occurred "
    r"|Could not (?:determine the dependencies|resolve|create|open|find|download|get) ).*)$",
    re.DOTALL,
)
"""What Gradle could not do, without the heading above it."""
_REASON = re.compile(r"\s{0,8}> \S")
_CMAKE_LINES = 150
_CMAKE_CALL = re.compile(r"\s+(?P<file>[^\n]{1,300}?):(?P<line>\d{1,7}) \((?P<function>[\w-]+)\)")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    cmake = _CMAKE.match(head)
    if cmake:
        return _parse_cmake(stream, at, cmake)
    if head.lstrip().startswith("CMake "):
        return _parse_carried(stream, at, head)
    if head.startswith("* What went wrong:"):
        return _parse_gradle(stream, at, at + 1)
    if _TASK.match(head) and _REASON.match(stream.head(at + 1)):
        return _parse_gradle(stream, at, at)
    if head.startswith("FAILURE: Build failed"):
        return Parsed([], at + 1)
    parsed = parse_forms(_FORMS, stream, at)
    if parsed:
        return parsed
    if head.startswith("[ERROR] ") or (stream.level(at) == "error" and _MAVEN_GOAL.match(head)):
        return _parse_maven(stream, at)
    return None


def _parse_carried(stream: Stream, at: int, head: str) -> Parsed | None:
    """The same inside of another tool's output, which is indented."""
    indent = head[: len(head) - len(head.lstrip())]
    shifted = Shifted(stream, at, indent, _CMAKE_LINES)
    found = _CMAKE.match(shifted.head(0))
    return shifted.back(_parse_cmake(shifted, 0, found)) if found else None


def _parse_cmake(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    """CMake writes the message, indented, on the lines after the place."""
    text, position = _cmake_message(stream, at, found)
    frames = []
    if found.group("file"):
        frames.append(Frame(found.group("file"), int(found.group("line")), found.group("function")))
    if stream.head(position).startswith("Call Stack (most recent call first)"):
        position += 1
        while call := _CMAKE_CALL.match(stream.head(position)):
            frames.append(
                Frame(call.group("file"), int(call.group("line")), call.group("function"))
            )
            position += 1
        frames.reverse()
    severity = "error" if found.group("level") == "Error" else "warning"
    end = position
    while end > at + 1 and not stream.head(end - 1).strip():
        end -= 1
    draft = Draft("tool:cmake", None, text, at, end - 1, frames, severity=severity)
    draft.role = Role.ALONE if severity == "warning" else None
    return Parsed([draft], end)


def _cmake_message(stream: Stream, at: int, found: re.Match[str]) -> tuple[Text, int]:
    """The message, and the position behind it."""
    text = Text()
    position, flat = at + 1, False
    if found.group("rest").strip():
        start = found.start("rest") + 1
        text.add(at, start, stream.texts[at][start:])
    while position < len(stream) and position < at + 100:
        head = stream.head(position)
        flat = flat or (position == at + 1 and _FLAT.match(head) is not None)
        if stream.interrupts(position, at) or (flat and not head.strip()):
            break
        if head.strip() and not (flat or head.startswith("  ")):
            break
        if head.strip():
            if position - 1 > at and not stream.head(position - 1).strip() and text.size:
                text.add(position, 0, "")
            text.add(position, len(head) - len(head.lstrip()), stream.texts[position].strip())
        position += 1
    if not text.pieces:
        text.add(at, len(stream.head(at)), "")
    return text, position


_UP_TO_STACK, _STACK = 30, 2_000
"""Lines up to the heading of a stack, and of one."""
_GRADLE_CAUSE = re.compile(r"(?:Caused by: )?[\w.$]{1,300}(?:: (?P<message>[^\n]{0,1500}))?$")


def _parse_gradle(stream: Stream, at: int, begin: int) -> Parsed | None:
    """ "Execution failed for task …" and below it, behind `>`, why."""
    drafts: list[Draft] = []
    position = begin
    while position < len(stream) and position < at + 100:
        head = stream.head(position)
        stripped = head.strip()
        if not stripped or stripped.startswith(("* ", "BUILD FAILED")):
            break
        start = len(head) - len(head.lstrip("> "))
        task = _TASK.match(head, start) if not drafts else None
        start = task.start("message") if task else start
        if not drafts or stripped.startswith(">"):
            text = Text()
            text.add(position, start, stream.texts[position][start:])
            draft = Draft("tool:gradle", None, text, at if not drafts else position, position)
            if drafts:
                drafts[-1].cause = draft
            drafts.append(draft)
        else:
            drafts[-1].message.add(position, start, stream.texts[position][start:])
            drafts[-1].last = position
        position += 1
    if not drafts:
        return None
    end = _behind_stack(stream, position, drafts)
    return Parsed(drafts, end, list(range(position, end)))


def _behind_stack(stream: Stream, end: int, drafts: Sequence[Draft]) -> int:
    """The position behind the stack that Gradle adds for `--stacktrace`, where its causes say
    nothing that was not said of what went wrong; else `end`."""
    said = "\n".join(str(draft.message) for draft in drafts)
    section = range(end, min(end + _UP_TO_STACK, len(stream)))
    start = next((at for at in section if stream.head(at).strip() == "* Exception is:"), None)
    if start is None:
        return end
    position = start + 1
    while position < min(len(stream), start + _STACK):
        head = stream.head(position)
        if not head.strip() or head.startswith(("BUILD FAILED", "=====", "* ")):
            break
        cause = _GRADLE_CAUSE.match(head)
        if cause and (cause["message"] or "").strip() not in said:
            return end
        position += 1
    return position


def _parse_maven(stream: Stream, at: int) -> Parsed | None:
    whole = stream.texts[at]
    shift = 8 if whole.startswith("[ERROR] ") else 0
    said = stream.head(at)[shift:]
    if _MAVEN_NOISE.match(said):
        return Parsed([], at + 1)
    if _MAVEN_BANNER.match(said):
        return _parse_old_maven(stream, at)
    compiled = _MAVEN_COMPILE.match(said)
    goal = _MAVEN_GOAL.match(said)
    found = compiled or goal
    if found is None:
        return None
    text = Text()
    text.add(at, shift + found.start("message"), found.group("message"))
    draft = Draft("java" if compiled else "tool:maven", None, text, at, at)
    end = at + 1
    if compiled:
        draft.frames.append(Frame(compiled.group("file"), int(compiled.group("line"))))
        while end < at + 10 and (more := _MAVEN_MORE.match(stream.head(end))):
            draft.notes.append((more.group("more") or more.group("more2")).strip())
            end += 1
    elif "Compilation failure" in said or "There are test failures" in said:
        draft.role = Role.SYMPTOM
    draft.last = end - 1
    return Parsed([draft], end)


def _parse_old_maven(stream: Stream, at: int) -> Parsed:
    """Maven 2: a banner at the level of an error, and what failed at that of information."""
    ruled = _MAVEN_RULE.match(stream.head(at + 1)) is not None
    found = _MAVEN_SAID.match(stream.head(at + 2)) if ruled else None
    text = Text()
    if found is None or _MAVEN_RULE.match(found.group()):
        text.add(at, len("[ERROR] "), stream.texts[at][len("[ERROR] ") :])
        return Parsed([Draft("tool:maven", None, text, at, at, role=Role.SYMPTOM)], at + 1)
    column = found.start("message")
    text.add(at + 2, column, stream.texts[at + 2][column:].rstrip())
    return Parsed([Draft("tool:maven", None, text, at, at + 2)], at + 3)
