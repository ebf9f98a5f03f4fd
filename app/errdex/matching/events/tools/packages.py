"""Package managers: npm, yarn, pnpm, pip, uv, poetry, conda, apt, bundler, composer."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text, single
from errdex.matching.events.forms import form, parse_forms
from errdex.matching.model import Role

TRIGGERS = (
    "npm ERR!", "npm error", "ERR_PNPM", "ELIFECYCLE", "error Command failed", "YN0",
    "error An unexpected", "ERROR: ", "error: subprocess-exited", "Failed building wheel",
    "\nerror: ", "× ", "\nE: ", "\nW: ", "dpkg: error", "\nErr:", "Failed to build ",
    "ResolutionImpossible",
    "note: This error",
    "error Couldn't", "error Error", "Could not find ", "error code ",
)  # fmt: skip

_NPM = re.compile(r"(?:npm (?:ERR!|error)|\d{1,6} error) ?(?P<text>.*)$", re.DOTALL)
_NPM_DEBUG = re.compile(r"(?:\d{1,6} )?error (?P<text>code [A-Z][A-Z0-9_]+\s*)$")
"""The first line of an error in npm's debug log, perhaps without the number of the step."""
_NPM_DEBUG_LINE = re.compile(r"(?:\d{1,6} )?error ?(?P<text>.*)$", re.DOTALL)
_NPM_FIELD = re.compile(
    r"(?!command failed)(?P<key>code|errno|syscall|path|dest|command|cwd|workspace|location|signal"
    r"|cmd|network|notsup|config|argv)\b ?(?P<value>.*)$"
    r"|(?:Linux|Darwin|Windows_NT|FreeBSD|SunOS) \d\S*$|node v\d\S*$|npm {1,2}v\d\S*$"
)
_NPM_LAST = re.compile(
    r"A complete log of this run|\s*(?:[A-Za-z]:)?[\\/]\S*-debug(?:-\d+)?\.log"
    r"|Please include the following file with"
    r"|This is probably not a problem with npm|There is likely additional logging"
)
_NPM_INNER = re.compile(
    r"(?:gyp ERR! stack )?(?:[A-Z]\w{0,60})?Error: (?!command failed"
    r"|Command failed)(?P<message>\S.*)$",
    re.DOTALL,
)
"""What a script said that npm ran: its error in npm's block."""
_NPM_SYMPTOM = re.compile(
    r"Lifecycle script|Exit status \d|Failed at the \S+ |command failed|Missing script:$"
)

_FORMS = (
    form("tool:pnpm", r"\s?(?P<code>ERR_PNPM_\w+)\s+(?P<message>\S.*)$"),
    form("tool:pnpm", r"\s?(?P<code>ELIFECYCLE)\s+(?P<message>\S.*)$", role=Role.SYMPTOM),
    form(
        "tool:yarn", r"error (?P<message>Command failed with exit code \d+\.?)", role=Role.SYMPTOM
    ),
    form(
        "tool:yarn",
        r"error (?P<message>(?:An unexpected error occurred|Couldn't|Error|Your lockfile|Package"
        r"|Incorrect|Found incompatible|No|Received|The engine)\b.*)$",
    ),
    form(
        "tool:yarn",
        r"➤ (?P<code>YN0(?!000)\d{3}): (?:[│┌└]\s?)?(?P<message>[^\n]*(?:rror|fail|couldn't"
        r"|forbidden|mismatch|[Ii]nvalid|cannot|can't|isn't|denied|unauthori[sz]ed|missing"
        r"|doesn't|Couldn't|not found|No candidates)[^\n]*)$",
    ),
    form(
        "tool:pip",
        r"\s*error: (?P<message>subprocess-exited-with-error|metadata-generation-failed"
        r"|legacy-install-failure)\s*$",
        role=Role.SYMPTOM,
    ),
    form("tool:pip", r"\s*error: (?P<message>externally-managed-environment)\s*$"),
    form(
        "tool:pip", r"\s*(?:ERROR: )?(?P<message>Failed building wheel for .*)$", role=Role.SYMPTOM
    ),
    form(
        "tool:pip",
        r"\s*(?:ERROR: )?(?P<message>Failed to build (?:installable wheels|[\w.-]+$).*)$",
        role=Role.SYMPTOM,
    ),
    form(
        "tool:pip",
        r"ERROR: (?P<message>(?:Could not|No matching|Cannot|ResolutionImpossible|Package|pip's"
        r"|Invalid|Could|Exception|THESE|Failed|Directory|Ignored|Double|unknown|HTTP|Wheel"
        r"|Skipping|Command)\b.*)$",
        more=re.compile(
            r"(?:(?=\S+ \S+ (?:requires|depends on))|The (?:conflict|user)|    )[^\n]+$"
        ),
    ),
    form("tool:pip", r"(?P<code>ResolutionImpossible): (?P<message>.*)$"),
    form(
        "tool:pip",
        r"\s*× (?P<message>Encountered error[^\n]*)$",
        role=Role.SYMPTOM,
    ),
    form(
        "tool:uv",
        r"\s*× (?P<message>(?!Building|Getting|Preparing|[^\n]{0,200} > )(?:[A-Z]|python |pip )"
        r".*)$",
        more=re.compile(r"\s+(?!╰─> \[\d+ lines)(?:╰─▶ |│ )?(?P<more>\S[^\n]*)$"),
    ),
    form(
        "tool:dpkg",
        r"dpkg: (?P<message>error processing [^\n]*:)\s*$",
        role=Role.ROOT_CAUSE,
        more=re.compile(r" (?P<more>\S.*)$"),
    ),
    form("tool:apt", r"W: (?P<message>(?:GPG error|Failed to fetch): .*)$"),
    form("tool:apt", r"E: (?P<message>\S.*)$"),
    form("tool:bundler", r"(?P<message>Could not find (?:gem|[\w-]+-\d|compatible versions).*)$"),
)
_APT_SOURCE = re.compile(r"Err:\d{1,5} \S")
_APT_REASON = re.compile(r" {2,4}(?P<message>\S+(?: \S+){4}.*)$", re.DOTALL)
_PIP_NOTE = re.compile(r"\s*note: This (?:error originates|is an issue)")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    if head.startswith("npm ") and _NPM.match(head):
        return _parse_npm(stream, at, _NPM)
    if _NPM_DEBUG.match(head):
        return _parse_npm(stream, at, _NPM_DEBUG_LINE)
    reason = _APT_REASON.match(stream.head(at + 1)) if _APT_SOURCE.match(head) else None
    if reason:
        draft = single(stream, at + 1, "tool:apt", reason.group("message"), reason.start("message"))
        draft.first = at
        return Parsed([draft], at + 2)
    if _PIP_NOTE.match(head):
        return Parsed([], at + 1)
    return parse_forms(_FORMS, stream, at)


def _parse_npm(stream: Stream, at: int, line: re.Pattern[str]) -> Parsed:
    """A block of npm's lines is one error: its fields, then its text."""
    text = Text()
    code: str | None = None
    symptom = False
    notes: list[str] = []
    position = end = at
    while position <= at + 400:
        position, found = _next_of_npm(stream, position, line, skip=not text.size)
        if found is None:
            break
        said = found.group("text")
        if said.startswith("code ") and code is not None and text.size:
            break
        field = _NPM_FIELD.match(said)
        if _NPM_LAST.match(said):
            pass
        elif field and (
            text.size == 0 or field.group("key") in ("path", "command", "errno", "code")
        ):
            code = field.group("value").strip() if field.group("key") == "code" else code
        elif said.strip() or text.size:
            symptom = symptom or _NPM_SYMPTOM.search(said) is not None
            column = found.start("text") + _repeated_code(said, code)
            text.add(position, column, stream.texts[position][column:].rstrip())
        position = end = position + 1
    if not text.pieces and code is None:
        return Parsed([], end)
    if not text.pieces:
        text.add(at, len(stream.head(at)), "")
    draft = Draft("tool:npm", None, text, at, end - 1, code=code, notes=notes)
    _strip_blank_end(text)
    if code == "ELIFECYCLE" or symptom or (code or "").isdigit() or not text.size:
        draft.role = Role.SYMPTOM
        _say_inner(stream, draft, line)
    return Parsed([draft], end)


def _next_of_npm(
    stream: Stream, at: int, line: re.Pattern[str], *, skip: bool
) -> tuple[int, re.Match[str] | None]:
    """The next line of a block of npm's, and where it is; `skip`: below an empty line as well,
    which npm 2 leaves between an error's fields and its text."""
    found = line.match(stream.head(at))
    if found is None and skip and not stream.head(at).strip():
        at += 1
        found = line.match(stream.head(at))
    return at, found


def _repeated_code(said: str, code: str | None) -> int:
    """The length of a code that stands before each line: `npm error enoent …`."""
    return len(code) + 1 if code and said.startswith(f"{code.lower()} ") else 0


def _say_inner(stream: Stream, draft: Draft, line: re.Pattern[str]) -> None:
    """Put what a script said that npm ran in the place of npm's own words."""
    for position in range(draft.first, draft.last + 1):
        found = line.match(stream.head(position))
        said = _NPM_INNER.match(found.group("text")) if found else None
        if found and said:
            column = found.start("text") + said.start("message")
            draft.message, draft.role, draft.code = Text(), None, None
            draft.message.add(position, column, stream.texts[position][column:].rstrip())
            return


def _strip_blank_end(text: Text) -> None:
    while len(text.parts) > 1 and text.parts[-1] in ("", "\n"):
        text.parts.pop()
    size = sum(map(len, text.parts))
    text.pieces[:] = [piece for piece in text.pieces if piece[0] < size] or text.pieces[:1]
