"""Errors of no known form: `error: …`, `SomeException: …`, and records logged at a level of
an error. Asked last."""

from __future__ import annotations

import re

from errdex.matching.events.draft import Draft, Parsed, Stream, Text, single
from errdex.matching.events.messages import gather
from errdex.matching.reading.prefixes import LOUD, bare_level

TRIGGERS = (
    "rror:", "RROR:", "RROR ", "RROR]", "xception:", "FATAL", "CRITICAL", "SEVERE", "PANIC",
    "fatal:", "Fatal:", "Failure:", "rror]:", "xception in ", "Timeout:", "Interrupt", "panic:",
    "rror [", "errors.", "exceptions.",
)  # fmt: skip

_RAISED = re.compile(
    r"(?:(?:Uncaught|Unhandled)(?: \(in promise\))?:? |[Uu]nhandled [Ee]xception[.:] "
    r"|Caused by: |E {2,8}"
    r"|(?:[\w./-]{1,80}: )?(?:exception|Exception in thread \"[^\"\n]{0,80}\"):? )?"
    r"(?P<class>(?:[A-Za-z_$][\w$]{0,80}(?:\.|::|\\)){0,12}[A-Z][\w$]{0,80}"
    r"(?:Error|Exception|Failure|Fault|Timeout|Interrupt|Warning|Exit)"
    r"|(?:[A-Za-z_$][\w$]{0,80}(?:\.|::|\\)){1,12}(?:Error|Exception)\b"
    r"|Exception(?=: (?!(?:none|None|nil|null|0)\b))"
    r"|(?:[a-z_]\w{0,40}\.){0,6}(?:errors|exceptions)\.[A-Z]\w{0,80})(?: \["
    r"(?P<code>[A-Z][A-Z0-9_]+)\])?"
    r"(?:: ?(?P<message>.*))?$",
    re.DOTALL,
)
_TOOL = re.compile(
    r"(?:(?P<tool>[\w./+@-]{1,60}): )?(?:\[?(?P<word>(?:(?:fatal|FATAL|internal|syntax"
    r"|runtime|Fatal|Internal|Syntax"
    r"|Runtime|System|Unexpected|Unknown) )?(?:[Ee]rror|ERROR)|[Ff]atal|FATAL|CRITICAL|PANIC"
    r"|SEVERE|panic)\]?)"
    r"(?:\[(?P<code>[\w.-]{1,40})\]| (?P<number>[A-Z]{1,8}-?\d{1,6}))?(?::"
    r"|(?<=\])) {0,8}(?P<message>\S.*)$",
    re.DOTALL,
)
_LOUD_BARE = re.compile(
    r"(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)[ :\]-]+(?P<message>\S.*)$", re.DOTALL
)
_INLINE = re.compile(
    r"(?:^|[\s:(])(?P<class>(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception)"
    r"|(?:[A-Za-z_]\w{0,80}\.){1,8}(?:Error|Exception))(?:: |\()"
)
_NOTHING = re.compile(
    r"(?:nil|null|none|None|false|0|undefined|no|\[\]|\{\}|\"\"|''|-)[,;.]?\s*$"
    r"|\d+ (?:errors?|warnings?)|\d+[,;%]?\s*$|[|>][-+]?\d?\s*$"
)
_HARMLESS = re.compile(r"\b(?:0|no|No|without|zero) (?:errors?|failures?)\b")
_LISTING = re.compile(r"\d{1,6} (?:validation )?errors? (?:for|in|detected|found)\b")
"""Messages that announce a list of errors, which stands on the lines below."""
_UNITTEST = re.compile(r"(?:test\w*|setUpClass|tearDownClass|setUpModule) \(")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse line `at`."""
    head = stream.head(at)
    if not head.strip() or _is_harmless(head):
        return None
    start = len(head) - len(head.lstrip())
    raised = _RAISED.match(head, start)
    level = stream.level(at)
    if raised and (raised.group("message") is not None or raised.end() == len(head)):
        return _raised(stream, at, raised, level)
    if level and level not in LOUD:
        return None
    found = _TOOL.match(head, start)
    if found and not _NOTHING.match(found.group("message")):
        return _tool(stream, at, found, level)
    if level:
        return _logged(stream, at, start, level)
    bare = _LOUD_BARE.match(head)
    if bare and bare_level(head) in LOUD and not _NOTHING.match(bare.group("message")):
        return _logged(stream, at, bare.start("message"), bare_level(head))
    return None


def _is_harmless(head: str) -> bool:
    return (" error" in head or " failure" in head) and _HARMLESS.search(head) is not None


def _raised(stream: Stream, at: int, found: re.Match[str], level: str) -> Parsed:
    column = found.start("message") if found.group("message") is not None else found.end()
    said = stream.head(at)[column:].rstrip()
    message, end = Text(), at + 1
    following = stream.head(at + 1)[:1]
    if not said or said[-1] in ":,{[(" or following in (" ", "\t") or _LISTING.match(said):
        message, end = gather(stream, at, column)
    else:
        message.add(at, column, stream.texts[at][column:])
    name = found.group("class")
    draft = Draft("", name, message, at, end - 1, code=found.group("code"))
    if name.endswith("Warning") or level == "warning":
        draft.severity = "warning"
    draft.handled = bool(level) and level not in LOUD
    return Parsed([draft], end)


def _tool(stream: Stream, at: int, found: re.Match[str], level: str) -> Parsed | None:
    message = found.group("message")
    if _UNITTEST.match(message):
        return None
    tool = found.group("tool")
    if tool and tool.isdigit():
        tool = None
    draft = single(
        stream,
        at,
        f"tool:{tool.rsplit('/', 1)[-1]}" if tool else "",
        message,
        found.start("message"),
        code=found.group("code") or found.group("number"),
        severity="fatal" if found.group("word").lower() in ("fatal", "panic") else "error",
    )
    _add_class(draft, message)
    draft.logged = not tool and found.group("word").isupper()
    return Parsed([draft], at + 1)


def _logged(stream: Stream, at: int, column: int, level: str) -> Parsed:
    draft = single(
        stream,
        at,
        "",
        stream.head(at)[column:],
        column,
        severity="fatal" if level in ("fatal", "critical", "panic", "emerg") else "error",
    )
    _add_class(draft, str(draft.message))
    draft.logged = True
    return Parsed([draft], at + 1)


def _add_class(draft: Draft, message: str) -> None:
    """A class named inside a logged message: "Task failed: ValueError: bad"."""
    message = message[:1000]
    inline = _INLINE.search(message) if "Error" in message or "Exception" in message else None
    if inline:
        draft.error_class = inline.group("class")
