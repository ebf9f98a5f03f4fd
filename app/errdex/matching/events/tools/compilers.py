"""C and C++: gcc, clang, MSVC, nvcc, linkers, sanitizers, valgrind, aborts; also the C# and
Java compilers, which write in the same forms."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text
from errdex.matching.events.forms import form, parse_forms
from errdex.matching.model import Frame, Role
from errdex.records.languages import LanguageKind, family_of, find_by_suffix

TRIGGERS = (
    ": error", ": fatal error", ": Fatal error: ", ": Error ", ": Error: ", "warning: ",
    "warning C",
    "undefined reference",
    "undefined symbol", "ERROR: ", "runtime error: ", "WARNING: ThreadSanitizer",
    "Undefined symbols", "terminate called", "Assertion", "*** ", "multiple definition",
    "cannot find -l", "error while loading shared", "symbol lookup error", "GLIBC", "ld returned",
    "Invalid read", "Invalid write", "uninitialised", "double free", "malloc(): ", "free(): ",
    "what():", "Terminating app due", "linker command failed", "not found for architecture",
    ":(.text", ".py:", ".rb:", ".rs:", ".lua:", " - error",
    "\nError ", "\nError\t", "\nWarning\t",
    "erreur", "Fehler:", "errore:", "erro:",
    "\u043e\u0448\u0438\u0431\u043a\u0430:", "\u9519\u8bef",
    "\u30a8\u30e9\u30fc",
)  # fmt: skip

_SOURCE = re.compile(r"\s*\d{0,7}\s*\|.*|\s*[\^~][\^~ |]*$|\s+\S[^\n]*$")
_NOTE = re.compile(
    r"(?:[^\n]{1,300}?:\d+(?::\d+)?: )?note: (?P<note>.+)|\s{2,}(?P<note2>(?:symbol|location): .+)"
)
_GCC_TAIL = re.compile(
    r"\s*\d{0,7}\s*\|.*|\s*[\^~|][\^~ |]*$|    \s*\S[^\n]*$|\t\S[^\n]*$|  \S[^\n]*$"
)
_JAVAC_NOTE = re.compile(
    r"\s{2,6}(?P<note>(?:symbol|location|required|found|reason|where|first type|second type): .+)"
)

_PLACE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:()][^:\n()]{0,300}):(?P<line>\d{1,7})(?::\d{1,6})?: "
_END_OF_PLACE = r"(?:\d{1,7}:\d{1,6} (?=error: ))?"
"""Where the place ends, as rustc said before 1.12."""

_IN_OTHER_LANGUAGES = (
    r"erreur(?: fatale)?|(?:schwerwiegender )?Fehler|error fatal"
    r"|errore(?: irreversibile)?|erro(?: fatal)?"
    r"|(?:\u0444\u0430\u0442\u0430\u043b\u044c\u043d\u0430\u044f )?"
    r"\u043e\u0448\u0438\u0431\u043a\u0430"
    r"|(?:\u81f4\u547d)?\u9519\u8bef|(?:\u81f4\u547d\u7684)?\u30a8\u30e9\u30fc|b\u0142\u0105d"
)

_FORMS = (
    form(
        "",
        r"(?P<level>Error|Warning)(?:\t| )(?P<code>[A-Z]{1,6}\d{4})(?:\t| )(?P<message>\S[^\t\n]*)"
        r"(?:\t[^\n]*)?$",
    ),
    form(  # a row of the list of errors of Visual Studio up to 2013
        "c",
        r"(?P<level>Error|Warning)\t\d{1,6}\t(?:(?:fatal )?(?:error|warning) "
        r"(?P<code>[A-Z]{1,6}\d{4}): )?(?P<message>\S[^\t\n]*)(?:\t[^\n]*)?$",
    ),
    form(
        "java",
        r"(?P<file>[^\s:][^:\n]{0,300}\.java):(?P<line>\d{1,7}): (?P<level>error"
        r"|warning): (?P<message>\S.*)$",
        note=_JAVAC_NOTE,
        quoted=_GCC_TAIL,
    ),
    form(
        "c",
        r"(?:= note: )?(?:[\w./-]+/)?(?:ld|lld|gold)(?:\.\w+)?: (?P<message>cannot find -l\S+.*)$",
    ),
    form("c", r"(?:.{0,300}: )?(?P<message>undefined reference to [`'].*)$"),
    form("c", r"(?:.{0,300}: )?(?P<message>multiple definition of [`'].*)$"),
    form("c", r"ld\.lld: error: (?P<message>.*)$", note=re.compile(r">>> (?P<note>.+)")),
    form("c", r"(?P<message>collect2: \w{3,20}\s?: ld [^\n]*)$", role=Role.SYMPTOM),
    form(
        "c",
        r"(?:[^\n]{0,300}: )?[^\s:()]{1,300}:\([^()\s]{1,100}\+0x[0-9a-f]+\)\s?: "
        r"(?P<message>\S.*)$",
    ),
    form(
        "",
        r"(?P<file>[^\s:]{1,300}):(?P<line>\d{1,7}):\d{1,6}: (?P<code>[A-Z]{1,6}\d{2,5}):?"
        r"(?: \[\*\])? (?P<message>\S.*)$",
    ),
    form(
        "c",
        r"(?:clang(?:\+\+)?(?:-\d+)?: error: )(?P<message>linker command failed.*)$",
        role=Role.SYMPTOM,
    ),
    form(
        "c",
        r"ld: (?P<message>(?:symbol\(s\) not found|library not found|framework not found).*)$",
        role=Role.SYMPTOM,
    ),
    form(
        "c",
        r"(?P<message>Undefined symbols for architecture \w+:)",
        more=re.compile(r'\s+(?P<more>"[^\n]*|\S[^\n]* in \S[^\n]*)'),
    ),
    form(
        "c",
        _PLACE + _END_OF_PLACE + r"(?P<level>(?:fatal )?[Ee]rror|ERROR|warning"
        rf"|{_IN_OTHER_LANGUAGES})"
        r"\s?[:\uff1a] ?(?P<message>\S.*)$",
        note=_NOTE,
        quoted=_GCC_TAIL,
    ),
    form(
        "c",
        r"(?P<file>[^\s(][^(\n]{0,300})\((?P<line>\d{1,7})(?:,\d{1,6})?(?:,\d+,\d+)?\)\s?: "
        r"(?P<level>(?:fatal )?[Ee]rror|[Ww]arning) "
        r"(?P<code>(?:C|LNK|CS|MSB|NU|NETSDK|BC|FS|CA|IDE|VC"
        r"|RC)\w*\d{2,5}): (?P<message>\S.*?)(?: \[[^\]\n]+(?:proj|slnx?)\])?\s*$",
    ),
    form(
        "c",
        r"(?P<file>[^\s(][^(\n]{0,300})\((?P<line>\d{1,7})(?:,\d{1,6})?\)\s?: "
        r"(?P<level>(?:fatal )?error|warning)(?: #(?P<code>[\w-]+))?: (?P<message>\S.*)$",
    ),
    form(
        "c",
        r"(?P<file>[^\s:][^\n:]{0,300}?) ?: (?P<level>(?:fatal )?error"
        r"|warning) (?P<code>(?:LNK|MSB|NU|NETSDK|CS|C|D|RC)\d{3,5}): "
        r"(?P<message>\S.*?)(?: \[[^\]\n]+(?:proj|slnx?)\])?\s*$",
    ),
    form(
        "c",
        r"(?P<file>[^\s:][^\n:]{0,300}):(?P<line>\d{1,7}):\d{1,6}: runtime error: "
        r"(?P<message>.*)$",
    ),
    form(
        "c",
        r"(?:[^\n:]{1,200}: )?(?P<file>[^\s:]{1,300}):(?P<line>\d{1,7}): "
        r"(?P<function>[^\n]{1,300}?): (?P<message>Assertion [`'].*)$",
        severity="fatal",
    ),
    form(
        "",
        r"(?P<file>[^\s:]{1,300}\.swift):(?P<line>\d{1,7}): Fatal error: (?P<message>.*)$",
        severity="fatal",
    ),
    form(
        "c",
        r"Assertion failed: (?P<message>\(?.*?)(?:, function (?P<function>[^\n,]+), file "
        r"(?P<file>[^\n,]+), line (?P<line>\d+)\.?)\s*$",
        severity="fatal",
    ),
    form("c", r"(?:.{1,300}: )?(?P<message>error while loading shared libraries: .*)$"),
    form("c", r"(?:.{1,300}: )(?P<message>symbol lookup error: .*)$"),
    form("c", r"(?:.{1,300}: )(?P<message>version `\w+_[\d.]+' not found.*)$"),
    form(
        "c",
        r"\*{3} (?P<message>(?:stack smashing|buffer overflow) detected \*{3}: .*)$",
        severity="fatal",
    ),
    form(
        "c",
        r"(?P<message>(?:double free or corruption|malloc\(\): |free\(\): |corrupted size vs"
        r"|munmap_chunk).*)$",
        severity="fatal",
    ),
    form(
        "c",
        r"==\d+== (?P<message>(?:Invalid (?:read|write)|Conditional jump|Use of uninit"
        r"|Invalid free|Mismatched free).*)$",
    ),
)

_CODED_FORMS = (
    form(
        "",
        _PLACE.removesuffix(": ")
        + r" - (?P<level>error|warning)(?: (?P<code>[A-Z]{1,6}-?\d{2,6}))?: (?P<message>\S.*)$",
    ),
)
_OTHER_FORMS = (
    form(
        "objective-c",
        r"[^\n]{0,200}?\*\*\* Terminating app due to uncaught exception '(?P<class>[\w.]{1,120})', "
        r"reason: '(?P<message>.*?)'\s*$",
        severity="fatal",
    ),
    form(
        "lua",
        r"(?:lua[\d.]*: "
        r"|luajit: )?(?P<file>[^\s:]{1,300}\.lua):(?P<line>\d{1,7}): (?P<message>(?!in )\S.*)$",
    ),
)
"""Tried only where a word of theirs is in the line."""

_SANITIZER = re.compile(
    r"(?:==\d+==\s?ERROR: |WARNING: )(?P<tool>\w+Sanitizer): (?P<message>[^\n]{1,1500})$"
)
_SAN_FRAME = re.compile(
    r"\s+#\d+ (?:0x[0-9a-f]+ )?(?:in )?(?P<function>[^\n]{1,1500}?) "
    r"(?P<file>(?:\.{0,2}/|[A-Za-z]:[\\/])[^\n]{1,300}?|[^\s/:]\S{0,300}?)"
    r":(?P<line>\d{1,7})(?::\d+)?(?: \([^\n)]*\))*\s*$"
)
_SAN_ANY = re.compile(r"\s+#\d+ ")
_TERMINATE = re.compile(
    r"terminate called after throwing an instance of '(?P<class>[^'\n]{1,300})'"
    r"|(?P<message>terminate called without an active exception)"
)
_WHAT = re.compile(r"\s*what\(\):\s+(?P<message>.*)$", re.DOTALL)


_STACK_ENTRY = re.compile(
    r"(?:[^\n]{0,80}?[\s:])?at [\w.$<>/]{1,200}\([^()\s]{1,200}:\d{1,7}\)\s*$"
)
"""A frame, behind a header or not."""
_PLACE_ALONE = re.compile(_PLACE + r"(?P<level>error|warning):(?: \[[^\]\n]{1,60}\])*\s*$")
_BELOW_PLACE = re.compile(r"\s{2,}(?P<message>[^\s|].*)$", re.DOTALL)


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    if _STACK_ENTRY.match(head):
        return None
    sanitizer = _SANITIZER.match(head)
    if sanitizer:
        return _parse_sanitizer(stream, at, sanitizer)
    terminate = _TERMINATE.search(head)
    if terminate:
        return _parse_terminate(stream, at, terminate)
    if "Terminating app" in head or ".lua:" in head:
        other = parse_forms(_OTHER_FORMS, stream, at)
        if other:
            return other
    alone = _PLACE_ALONE.match(head) if head.rstrip()[-1:] in (":", "]") else None
    if alone and _BELOW_PLACE.match(stream.head(at + 1)):
        return _parse_below(stream, at, alone)
    indent = len(head) - len(head.lstrip())
    coded = " - error" in head or " - warning" in head
    forms = (*_CODED_FORMS, *_FORMS) if coded else _FORMS
    parsed = parse_forms(forms, stream, at, start=indent)
    for draft in parsed.drafts if parsed else ():
        file = draft.frames[0].file if draft.frames else None
        draft.language = _checked_language(file or "") or draft.language
    return parsed


def _parse_below(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    """Haskell's compiler: the place on a line, the message below it, further in."""
    text, position = Text(), at + 1
    while said := _BELOW_PLACE.match(stream.head(position)):
        column = said.start("message")
        text.add(position, column, stream.texts[position][column:].rstrip())
        position += 1
    frame = Frame(found.group("file"), int(found.group("line")))
    draft = Draft(_checked_language(found.group("file")) or "", None, text, at, position - 1)
    draft.frames.append(frame)
    if found.group("level") == "warning":
        draft.severity, draft.role = "warning", Role.ALONE
    return Parsed([draft], position)


def _checked_language(file: str) -> str | None:
    """The language of a file whose checker writes in the form of C's compilers; None for C."""
    _, dot, ending = file.rpartition(".")
    language = find_by_suffix(dot + ending)
    if language is None or language.kind is not LanguageKind.PROGRAM:
        return None
    if family_of(language.name) == "c":
        return None
    return "node" if language.name == "javascript" else language.name


def _parse_sanitizer(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    text = Text()
    text.add(at, found.start("message"), found.group("message"))
    draft = Draft("c", found.group("tool"), text, at, at, severity="fatal")
    position = at + 1
    framed = False
    while position < len(stream) and position < at + 200:
        head = stream.head(position)
        if stream.interrupts(position, at) or _SANITIZER.match(head):
            break
        place = _SAN_FRAME.match(head)
        if place and not framed and len(draft.frames) < MAX_FRAMES:
            draft.frames.append(
                Frame(place.group("file"), int(place.group("line")), place.group("function"))
            )
        elif not _SAN_ANY.match(head) and draft.frames:
            framed = True
        position += 1
        if head.startswith(f"SUMMARY: {found.group('tool')}"):
            break
    else:
        position = at + 1 + len(draft.frames)
    draft.frames.reverse()
    draft.last = position - 1
    return Parsed([draft], position)


def _parse_terminate(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    """C++: the class on this line, the message on the next."""
    what = _WHAT.match(stream.head(at + 1)) if found.group("class") else None
    text = Text()
    end = at + 1
    if what:
        text.add(at + 1, what.start("message"), stream.texts[at + 1][what.start("message") :])
        end = at + 2
    elif found.group("message"):
        text.add(at, found.start("message"), found.group("message"))
    else:
        text.add(at, len(stream.head(at)), "")
    draft = Draft("c", found.group("class"), text, at, end - 1, severity="fatal")
    return Parsed([draft], end)
