"""Errors of no known form: `error: …`, `SomeException: …`, and records logged at a level of
an error. Asked last."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text, single
from errdex.matching.events.messages import gather
from errdex.matching.model import Frame
from errdex.matching.reading.prefixes import LOUD, bare_level

TRIGGERS = (
    "rror:", "RROR:", "RROR ", "RROR]", "xception:", "FATAL", "CRITICAL", "SEVERE", "PANIC",
    "fatal:", "Fatal:", "Failure:", "rror]:", "xception in ", "Timeout:", "Interrupt", "panic:",
    "rror [", "errors.", "exceptions.", "rror ", "Error(", "Exception(", "NotFound:", "Denied:",
    "Violation:", "Refused:", "DoesNotExist:", "Unavailable:", "Failed:", "Rejection:", "Fault:",
    "xception (0x", "rror (0x", "atal ", "rror**", "xception**", "rror`", "xception`",
    "Exceptions::", "Exception\n", "Error\n", "rror code", "rror Code",
)  # fmt: skip

_NAME = r"(?:[A-Za-z_$][\w$]{0,80}(?:\.|::|\\))"
_CLASS = (
    rf"(?P<class>{_NAME}{{0,12}}_{{0,2}}[A-Z][\w$]{{0,80}}"
    r"(?:Error|Exception|Failure|Fault|Timeout|Interrupt|Warning|Exit|NotFound|Denied|Refused"
    r"|Violation|DoesNotExist|Unavailable|Rejection|Failed)"
    rf"|{_NAME}{{1,12}}(?:Error|Exception)\b"
    r"|Exception(?=: (?!(?:none|None|nil|null|0)\b))"
    r"|(?:[a-z_]\w{0,40}\.){0,6}(?:errors|exceptions)\.[A-Z]\w{0,80})"
)
"""A name that an error's class has in some language: by its ending, or by its module."""
FEW = 5
"""Lines of a paste in which any name like a class before a message is one."""
ANY_CLASS = re.compile(
    r"(?P<class>(?:[A-Za-z_$][\w$]{0,80}(?:\.|::|\\))+[A-Z][\w$]{2,80}"
    r"|_{0,2}[A-Z][a-z0-9]{1,40}[A-Z][\w$]{1,80}): (?P<message>\S.*)$",
    re.DOTALL,
)
_MARKS = re.compile(
    r"(?:\s+|[-*\u2022+>] +|\d{1,2}[.)] +|#{1,6} +|(?P<closed>\*{2,3}|_{2}(?=[^\W_])|`{1,3}"
    r"|<(?:b|strong|code|pre|p|em|i|li|tt|h[1-6])>)|//+ |[;%] )*"
)
"""What markup puts before a line: lists, headings, quotes, comments, bold, code."""
_END_MARKS = re.compile(
    r"(?:\s|\*{2,3}|_{2}|`{1,3}|</(?:b|strong|code|pre|p|em|i|li|tt|h[1-6])>)+$"
)
_LEVELS = r"(?:[Ee]rror|ERROR|[Ff]atal|FATAL|CRITICAL|PANIC|SEVERE|panic)"
_RAISED = re.compile(
    r"(?:(?:Uncaught|Unhandled)(?: \(in promise\))?:? |[Uu]nhandled [Ee]xception[.:] "
    r"|Caused by: |E {2,8}"
    r"|(?:[\w./-]{1,80}: )?(?:exception|Exception in thread \"[^\"\n]{0,80}\"):? )?"
    + _CLASS
    + r"(?:\*\*|`|</(?:b|strong|code)>)?(?: ?\([^\n]{0,300}?\)(?=: |$))?(?: \["
    r"(?P<code>[A-Z][A-Z0-9_]+)\])?"
    r"(?:: ?(?P<message>.*))?$",
    re.DOTALL,
)
_SCOPED = re.compile(
    r"(?:(?:[A-Z]\w{0,60}::){1,6}[A-Z]\w{1,60}: ){0,3}"
    r"(?P<class>(?:[A-Z]\w{0,60}::){1,6}[A-Z]\w{1,60}): (?P<message>\S.*)$",
    re.DOTALL,
)
"""Ruby's names, the innermost last: `ActiveRecord::StatementInvalid: PG::UndefinedTable: …`."""
_UNDERLINE = re.compile(r"(?:-{4,}|={4,})\s*$")
_UNDERLINED = re.compile(r"(?P<class>(?:[A-Z]\w{0,60}(?:::|\.|\\)){1,8}[A-Z]\w{0,80})")
"""A class as the heading of a report, as Chef writes it."""
_TICKET = re.compile(_CLASS + r"(?:\*\*|`)? (?:in|at|on|from) \S[^\n]{0,200}$")
"""A tracker's heading, below which the message stands."""
_TOOL = re.compile(
    rf"(?:\[[^\]\n]{{1,60}}\]:? )?(?:(?P<tool>(?!{_LEVELS}:)[\w./+@-]{{1,60}}): )?"
    r"(?:\[?(?P<word>(?:(?:fatal|FATAL|internal|syntax"
    r"|runtime|Fatal|Internal|Syntax"
    r"|Runtime|System|Unexpected|Unknown) )?(?:[Ee]rror|ERROR)|[Ff]atal|FATAL|CRITICAL|PANIC"
    r"|SEVERE|panic)\]?)"
    r"(?:\[(?P<code>[\w.-]{1,40})\]| (?P<number>[A-Z]{1,8}-?\d{1,6}))?(?::"
    r"|(?<=\])) {0,8}(?P<message>\S.*)$",
    re.DOTALL,
)
_PLACED = re.compile(
    r"(?P<tool>(?:[A-Za-z][\w+.-]{0,30} ){0,3})(?:[Ee]rror|ERROR|[Ff]ailure) (?:at |in )?"
    r"\(?(?P<file>(?:[A-Za-z]:[\\/])?[^\s():]{1,300}):(?P<line>\d{1,7})(?::\d{1,6})?\)?: ?"
    r"(?P<message>\S.*)$",
    re.DOTALL,
)
"""`CUDA error (kernel.h:188): invalid argument`."""
_NAMED_KIND = re.compile(
    r"(?P<message>[A-Z][\w-]{1,20} (?:[\w-]{1,20} ){0,2}[Ee]rror: (?P<said>[A-Za-z\"'`\[(<{].*))$",
    re.DOTALL,
)
"""`Internal server error: …`: words that say which kind of error it is belong to the message."""
_CODE_BELOW = re.compile(
    r"(?:[Ee]rror [Cc]ode|ERROR CODE|HRESULT)(?: is)?[:=] ?(?P<code>[\w/.-]{2,80})\.?\s*$"
)
_SENTENCE = re.compile(r"(?P<message>[A-Z][\w'-]*(?: {1,2}\S+){3,})$", re.DOTALL)
"""What failed, in words, above the line with its code."""
_FRAME = re.compile(r"\s*(?:at |from |File \"|#\d)")
_BELOW_TICKET = re.compile(r"(?!at |from |File |#)[A-Z][^\n]* ")
_IN_MODULE = re.compile(r"in [a-z_][\w.]{0,60}: ")
"""What Flask's log puts behind the level."""
_PYTEST_PLACE = re.compile(r"[^\s:]{1,300}\.py:\d{1,7}: \S+: ")
"""Where pytest says that it showed the error above."""
_CODED = re.compile(
    r"(?P<code>[A-Z]{1,6}-?\d{3,6}): (?P<message>[^\n]{0,40}\b[Ee]rror\b.*)$", re.DOTALL
)
_CODE_NAMED = re.compile(
    r"(?:[Ee]rror|ERROR) (?P<code>[A-Z]{1,4}\d{1,5}) \([^)\n]{1,80}\) -> (?P<message>\S.*)$",
    re.DOTALL,
)
"""`Error R10 (Boot timeout) -> Web process …`, of Heroku."""
CODE_BEFORE = re.compile(
    r"(?P<code>[A-Z]{1,8}[-_]?\d{2,6}[A-Z]?): (?P<message>[^\s\d][^\n]*? [^\n]*? \S.*)$", re.DOTALL
)
"""A code before a sentence, in a short paste."""
"""`E5108: Error executing …`: the code before the message."""
_LOUD_BARE = re.compile(
    r"(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)[ :\]-]+(?P<message>\S.*)$", re.DOTALL
)
_INLINE = re.compile(
    r"(?:^|[\s:(\[])(?P<class>(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception)"
    r"|(?:[A-Za-z_]\w{0,80}\.){1,8}(?:Error|Exception))(?:: |\()"
)
_CODE_AT_BEGIN = re.compile(r"(?P<code>[A-Z]{1,8}-?\d{3,6}): (?=\S)")
_AT_BEGIN = re.compile(
    r"(?P<class>(?:[A-Za-z_]\w{0,80}(?:\.|::)){0,8}[A-Z]\w{0,80}(?:Error|Exception)): +(?=\S)"
)
_WITHIN = re.compile(
    r"(?:[:\]] |\b(?:exception|error|with|got|by) |-> ?)"
    r"(?P<class>(?:[A-Za-z_]\w{0,80}(?:\.|::)){0,8}[A-Z]\w{0,80}(?:Error|Exception)"
    r"|(?:[A-Za-z_]\w{0,80}(?:\.|::)){1,8}(?:Error|Exception))(?:\([^()\n]{0,200}\))?: "
    r"(?P<message>\S.*)$",
    re.DOTALL,
)
"""A class with its message behind other words of a line that no level calls harmless."""
_IN_CODE_MARKS = re.compile(
    r"(?P<mark>`|\*\*)" + _CLASS + r": (?P<message>[^`*\n]{1,400}?[^\s`*])(?P=mark)"
)
"""An error in the middle of a sentence, in marks of its own."""
_NOTHING = re.compile(
    r"(?:nil|null|none|None|false|0|undefined|no|\[\]|\{\}|\"\"|''|-)[,;.]?\s*$"
    r"|at line \d+:?\s*$|\d+ (?:errors?|warnings?)|\d+[,;%]?\s*$|[|>][-+]?\d?\s*$"
)
_HARMLESS = re.compile(r"\b(?:0|no|No|without|zero) (?:errors?|failures?)\b")
_LISTING = re.compile(r"\d{1,6} (?:validation )?errors? (?:for|in|detected|found)\b")
"""Messages that announce a list of errors, which stands on the lines below."""
_RAISING = re.compile(r"\s*(?:raise|throw(?: new)?) [A-Za-z_][\w.:]{0,100}\([^\n]*$")
"""A line of source, which a log has from a stack that it passed on line by line."""
_OUTPUT = re.compile(
    r"(?:[^:\n]|:(?! )){0,200}?(?:\b(?P<tool>[A-Za-z]\w{0,20}) )?"
    r"\b(?:[Oo]utput|[Ss]td(?:err|out)|STD(?:ERR|OUT)): "
    r"(?=(?:[\w.-]{1,30}: )?(?:fatal|error): )"
)
"""What a log puts before another tool's output, at any level."""
_UNITTEST = re.compile(r"(?:test\w*|setUpClass|tearDownClass|setUpModule) \(")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse line `at`."""
    head = stream.head(at)
    if not head.strip() or _is_harmless(head):
        return None
    marks = _MARKS.match(head)
    start = marks.end() if marks else 0
    parsed = _parse_from(stream, at, start)
    if parsed and marks and marks.group("closed"):
        _trim_end(parsed.drafts[0])
    return parsed


def _trim_end(draft: Draft) -> None:
    """Take off what closes the marks before a line."""
    last = draft.message.parts[-1]
    end = _END_MARKS.search(last)
    if end:
        draft.message.parts[-1] = last[: end.start()]


def _parse_from(stream: Stream, at: int, start: int) -> Parsed | None:
    head, level = stream.head(at), stream.level(at)
    coded = _CODE_BELOW.match(head, start) if not level and at > stream.consumed else None
    said = _SENTENCE.match(stream.head(at - 1)) if coded else None
    if coded and said and not stream.interrupts(at, at - 1):
        draft = single(stream, at - 1, "", said.group("message"), 0, code=coded.group("code"))
        draft.last = at
        return Parsed([draft], at + 1)
    if level and ("raise " in head or "throw " in head) and _RAISING.match(head, start):
        return Parsed([], at + 1, [at])
    quotes = "error: " in head or "fatal: " in head
    output = _OUTPUT.match(head, start) if quotes else None
    if output:
        return _parse_output(stream, at, output)
    module = _IN_MODULE.match(head, start) if level and head.startswith("in ", start) else None
    start = module.end() if module else start
    raised = _RAISED.match(head, start)
    if raised and (raised.group("message") is not None or _is_alone(stream, at, raised)):
        return _raised(stream, at, raised, level)
    if level and level not in LOUD:
        return None
    scoped = _SCOPED.match(head, start) if "::" in head else None
    if scoped:
        return _raised(stream, at, scoped, level)
    ruled = stream.head(at + 1)[:1] in ("-", "=") and _UNDERLINE.match(stream.head(at + 1))
    lined = _UNDERLINED.fullmatch(head) if ruled else None
    if lined and stream.head(at + 2).strip():
        text, end = gather(stream, at + 2, 0)
        return Parsed([Draft("", lined.group("class"), text, at, end - 1)], end)
    ticket = _TICKET.match(head, start)
    if ticket and _BELOW_TICKET.match(stream.head(at + 1)) and not ticket.group("class").isalnum():
        text, end = gather(stream, at + 1, 0)
        return Parsed([Draft("", ticket.group("class"), text, at, end - 1)], end)
    return _parse_line(stream, at, start, level)


def _parse_output(stream: Stream, at: int, found: re.Match[str]) -> Parsed | None:
    """The first line of what another tool wrote."""
    parsed = _parse_line(stream, at, found.end(), "")
    for draft in parsed.drafts if parsed and found.group("tool") else ():
        draft.language = draft.language or f"tool:{found.group('tool').lower()}"
    return parsed


def _parse_line(stream: Stream, at: int, start: int, level: str) -> Parsed | None:
    """An error on one line, with a place, a code, a tool or a level."""
    head = stream.head(at)
    placed = _PLACED.match(head, start)
    if placed:
        frame = Frame(placed.group("file"), int(placed.group("line")))
        message, column = placed.group("message"), placed.start("message")
        return Parsed([single(stream, at, "", message, column, frames=[frame])], at + 1)
    coded = _CODED.match(head, start) or _CODE_NAMED.match(head, start)
    if coded:
        return _coded(stream, at, coded)
    found = _TOOL.match(head, start)
    if found and not _NOTHING.match(found.group("message")):
        return _tool(stream, at, found, level)
    if level:
        return _logged(stream, at, start, level)
    kind = _NAMED_KIND.match(head, start)
    if kind and not _NOTHING.match(kind.group("said")):
        message = kind.group("message")
        return Parsed([single(stream, at, "", message, kind.start("message"))], at + 1)
    bare = _LOUD_BARE.match(head, start)
    if bare and bare_level(head[start:]) in LOUD and not _NOTHING.match(bare.group("message")):
        return _logged(stream, at, bare.start("message"), bare_level(head[start:]))
    return _parse_words(stream, at, start, level)


def _coded(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    """A code before a message, which goes on below where it ends with a colon."""
    column, message = found.start("message"), found.group("message")
    draft = single(stream, at, "", message, column, code=found.group("code"))
    below = stream.head(at + 1)
    if message.rstrip().endswith(":") and below.strip() and not stream.interrupts(at + 1, at):
        draft.message.add(at + 1, 0, stream.texts[at + 1].rstrip())
        draft.last = at + 1
    return Parsed([draft], draft.last + 1)


def _is_alone(stream: Stream, at: int, found: re.Match[str]) -> bool:
    """Whether a class is all that a line has, and no stack begins below, which is read by its
    own parser."""
    return found.end() == len(stream.head(at)) and not _FRAME.match(stream.head(at + 1))


def _parse_words(stream: Stream, at: int, start: int, level: str) -> Parsed | None:
    """An error's class and message within other words of a line."""
    head = stream.head(at)
    marked = _IN_CODE_MARKS.search(head, start) if not level else None
    if marked and not _NOTHING.match(marked.group("message")):
        column, message = marked.start("message"), marked.group("message")
        name = marked.group("class")
        return Parsed([single(stream, at, "", message, column, error_class=name)], at + 1)
    code = CODE_BEFORE.match(head, start) if len(stream) <= FEW and not level else None
    if code:
        column, message = code.start("message"), code.group("message")
        return Parsed([single(stream, at, "", message, column, code=code.group("code"))], at + 1)
    alone = ANY_CLASS.match(head, start) if len(stream) <= FEW and not level else None
    if alone:
        return _raised(stream, at, alone, level)
    within = _WITHIN.search(head, start) if "rror" in head or "xception" in head else None
    if within and not _PYTEST_PLACE.match(head) and not _NOTHING.match(within.group("message")):
        return _raised(stream, at, within, level)
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
    draft = Draft("", name, message, at, end - 1, code=found.groupdict().get("code"))
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
    announced = message.rstrip().endswith(":") and stream.head(at + 1)[:2].isspace()
    draft = single(
        stream,
        at,
        f"tool:{tool.rsplit('/', 1)[-1]}" if tool else "",
        message,
        found.start("message"),
        code=found.group("code") or found.group("number"),
        severity="fatal" if found.group("word").lower() in ("fatal", "panic") else "error",
    )
    if announced:
        draft.message, end = gather(stream, at, found.start("message"))
        draft.last = end - 1
        return Parsed([draft], end)
    coded = _CODE_AT_BEGIN.match(message) if draft.code is None else None
    if coded:
        draft.code = coded.group("code")
        _cut_begin(draft, coded.end())
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
    """A class named inside a logged message: "Task failed: ValueError: bad". One that the message
    begins with is none of it."""
    text = draft.message
    while (named := _AT_BEGIN.match(text.parts[0][:1000])) and len(text.parts) == 1:
        draft.error_class = named.group("class")
        _cut_begin(draft, named.end())
    if draft.error_class:
        return
    message = message[:1000]
    inline = _INLINE.search(message) if "Error" in message or "Exception" in message else None
    if inline:
        draft.error_class = inline.group("class")


def _cut_begin(draft: Draft, length: int) -> None:
    """Take what names the class or the code off a message of one line."""
    text = draft.message
    offset, position, column = text.pieces[0]
    text.parts[0] = text.parts[0][length:]
    text.pieces[0] = (offset, position, column + length)
    text.size = len(text.parts[0])
