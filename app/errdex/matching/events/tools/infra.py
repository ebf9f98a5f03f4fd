"""docker, kubectl, helm, Terraform's boxes, git, ssh."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text
from errdex.matching.events.forms import form, parse_forms
from errdex.matching.model import Frame, Role

TRIGGERS = (
    "Error response from daemon", "failed to solve", "failed to build", "executor failed running",
    "Cannot connect to the Docker",
    "invalid reference format", "Error from server", "The connection to the server",
    "Unable to connect to the server", "╷", "│ Error", "│ Warning", "fatal: ", "error: ",
    "CONFLICT ", "error occurred (", "error (", "[rejected]", "remote: ", "Permission denied (",
    "ERROR: Repository",
    " is invalid: ", "Error: ", "BackOff", "OOMKilled", "Host key verification", "ERROR [",
    "ssh: connect to host",
    "Could not resolve host", "[remote rejected]", "CrashLoopBackOff", "Insufficient ",
    "no space left on device", "ConfigError", "ContainerError", "InvalidImageName", "ErrImage",
    "Warning ", "Warning\t", "Killing", "Bad owner or", "Permissions 0", "Load key ",
    "identification: ", "negotiate with",
    "occurred:", "Too many authentication", "UNPROTECTED PRIVATE", "configuration option",
)  # fmt: skip

_HINT = re.compile(r"hint: (?P<note>.+)")
_BUILD_FAILED = (
    r"(?:(?:ERROR|Error): |buildx failed with: |target [\w.-]{1,80}: ){0,4}"
    r"(?:failed to (?:solve|build)(?: with frontend \S+)?: |rpc error: code = \w+ desc = ){1,4}"
)
_AGE = r"(?:\d{1,6}[smhdy]\w{0,12}|<\w{1,20}>)(?: \([^)\n]{1,60}\))?"
"""How long ago an event of Kubernetes was, and how often."""
_ALARM = r"(?:Warning|Normal(?=\s+Killing\s[^\n]{1,800}?(?:\bunhealthy\b|\bfailed \w+ probe\b)))"
"""The types of Kubernetes' events that tell of a failure: it calls it normal that a container is
killed."""
_FORMS = (
    form(
        "tool:docker",
        r"(?:docker: |ERROR: |Error: )?Error response from daemon: (?P<message>\S.*)$",
        more=re.compile(r"(?=[\w-]{2,40}: )[^\n]+: unknown\.?\s*$"),
    ),
    form(
        "tool:docker",
        rf"{_BUILD_FAILED}(?P<message>process .* did not complete successfully: exit code: \d+)",
        role=Role.SYMPTOM,
    ),
    form(
        "tool:docker",
        rf"(?:{_BUILD_FAILED})?(?P<message>executor failed running \[.*\]: exit code: \d+)",
        role=Role.SYMPTOM,
    ),
    form(
        "tool:docker",
        rf"{_BUILD_FAILED}(?P<message>.*)$",
    ),
    form(
        "tool:docker", r"(?:ERROR: |docker: )?(?P<message>Cannot connect to the Docker daemon .*)$"
    ),
    form("tool:docker", r"(?:docker: )?(?P<message>invalid reference format.*)$"),
    form("tool:docker", r"(?:#\d+ )?ERROR \[[^\]\n]{1,80}\] (?P<message>.*)$", role=Role.SYMPTOM),
    form("tool:kubectl", r"Error from server(?: \((?P<code>\w+)\))?: (?P<message>.*)$"),
    form(
        "tool:kubectl",
        r"(?P<message>(?:The connection to the server \S+ was refused"
        r"|Unable to connect to the server: ).*)$",
    ),
    form(
        "tool:kubectl",
        r"(?P<message>The \w+ \"[^\"\n]+\" is invalid: .*)$",
        more=re.compile(r"(?P<more>\* .*)$"),
    ),
    form(
        "tool:kubectl",
        rf"\s*(?:[\w-]{{1,63}}\s+)?(?:{_AGE}\s+)?{_ALARM}\s+(?P<code>[A-Z]\w{{1,60}})\s+"
        rf"(?:[a-z]{{2,40}}/\S+|{_AGE}\s+[\w./:-]+(?:, [\w.-]+)?)\s+(?P<message>\S.*)$",
    ),
    form(  # of older versions, which name the component in braces
        "tool:kubectl",
        r"\s*(?:[^\s{]{1,253}\s+){1,8}(?:[^\s{]{0,120}\{[^}\n]{1,120}\}\s+)?"
        rf"{_ALARM}\s+(?P<code>[A-Z]\w{{1,60}})\s+"
        r"(?:\{[^}\n]{1,120}\}\s+|(?<=\s))(?P<message>\S.*)$",
    ),
    form(  # a row of `kubectl get pods`, with or without the namespace: started again and again
        "tool:kubectl",
        r"(?:[\w-]{1,63}\s+)?[\w.-]{1,253}\s+\d+/\d+\s+(?P<message>(?:Init:)?CrashLoopBackOff)"
        r"\s+\d+\s.*$",
        role=Role.SYMPTOM,
    ),
    form(
        "tool:kubectl",
        r"(?:[\w-]{1,63}\s+)?[\w.-]{1,253}\s+\d+/\d+\s+(?P<message>(?:Init:)?(?:\w{0,40}(?:BackOff"
        r"|ConfigError|ContainerError)|ErrImage\w{0,20}|InvalidImageName|OOMKilled))\s+\d+\s.*$",
    ),
    form(
        "tool:helm",
        r"Error: (?P<message>(?:INSTALLATION|UPGRADE|ROLLBACK|UNINSTALL)[A-Z ]* FAILED: .*)$",
    ),
    form(
        "tool:git",
        r"(?P<level>fatal|error): (?P<message>.*)$",
        note=_HINT,
        more=re.compile(r"(?:\t\S|Please |Aborting|and the repository|If you|Make sure)[^\n]*$"),
    ),
    form(
        "",
        r"(?:[\w.]{1,80}: )?(?P<message>(?:An|A (?:client|server)) error "
        r"(?:occurred )?\((?P<code>[A-Z]\w{2,60})\) (?:occurred )?when calling the [^\n]{1,1800})$",
    ),
    form("tool:git", r"(?P<message>CONFLICT \([^)\n]+\): .*)$"),
    form("tool:git", r"\s?! \[(?:remote )?rejected\]\s+(?P<message>.*)$"),
    form(
        "tool:git",
        r"remote: (?:fatal: |error: |ERROR: )?(?P<message>(?:Permission to|Repository not found"
        r"|Invalid username|Support for password|HTTP Basic|error:|You are not allowed"
        r"|fatal error in|Internal Server Error"
        r"|GitLab:)[^\n]*)$",
    ),
    form("tool:git", r"ERROR: (?P<message>Repository not found\.?)"),
    form(
        "tool:ssh",
        r"(?:\S{1,100}: )?(?P<message>Permission denied \([\w,-]+\)\.?"
        r"|Host key verification failed\.?)\s*$",
    ),
    form(
        "tool:ssh",
        r"(?:\S{1,200}: (?:line \d{1,6}: )?)?(?P<message>(?:Bad owner or permissions on"
        r"|Bad configuration option|Permissions \d+ for '|Load key \"(?P<file>[^\"\n]{1,300})\""
        r"|Unable to negotiate with"
        r"|kex_exchange_identification: |ssh_exchange_identification: |Received disconnect from"
        r"|Too many authentication failures|WARNING: UNPROTECTED PRIVATE KEY FILE).*)$",
    ),
    form("tool:ssh", r"ssh: (?P<message>(?:Could not resolve hostname|connect to host) .*)$"),
)
_NOT_GIT = re.compile(
    r"(?:error|fatal): (?:unknown flag|unknown command|the server doesn't"
    r"|You must be logged in|no context|[^`\n]{0,200}`[^`'\n]{1,200}`)"
)

_BOX = re.compile(r"\s*│ ?(?P<text>.*?)\s*│?\s*$", re.DOTALL)
_BOX_TITLE = re.compile(r"(?P<level>Error|Warning): (?P<message>.*)$", re.DOTALL)
_BOX_PLACE = re.compile(
    r"\s+(?:on|in) (?P<file>[^\s]{1,300}) line (?P<line>\d{1,7})(?:, in "
    r"(?P<function>[^\n]{1,200}?))?:?\s*$"
)
_BOX_SOURCE = re.compile(r"\s*\d{1,6}: |\s+├|\s+│")
_LISTED = re.compile(r"(?:[^\n]{0,300}: )?\d{1,4} errors?(?:\(s\))? occurred:\s*$")
_ITEM = re.compile(r"\s*\* (?P<message>\S.*)$", re.DOTALL)
_MAX_BOX, _FEW = 400, 8
_PLAIN_TITLE = re.compile(r"(?:Error|Warning): \S")
_WITH = re.compile(r"\s+with \S")
_GIT_WORDS = re.compile(
    r"(?:fatal|error): (?:not a git|could not|couldn't|cannot|unable|repository|remote"
    r"|refusing|Authentication|the remote"
    r"|pathspec|failed to push|Your local changes|You have not|destination path|bad "
    r"|ambiguous|unknown|path|invalid"
    r"|The following|protocol|early EOF|index-pack|RPC failed|src refspec|cherry|merge|No "
    r"|need |detected dubious|branch"
    r"|'|Unable|Could|You|a branch|patch|object|reference|unrecognized|loose|unsafe"
    r"|transport|expected|pack|https?:|ssh|[\w-]{1,30} is not possible because"
    r"|[^\n:]{1,200}: (?:patch does not apply|does not (?:exist in|match) index|already exists in))"
)


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    stripped = head.strip()
    if stripped == "╷":
        return _parse_box(stream, at, at + 1)
    if "│" in head and _BOX_TITLE.match(_BOX.sub(r"\g<text>", head)):
        return _parse_box(stream, at, at)
    if _LISTED.match(head):
        return _parse_list(stream, at)
    if _PLAIN_TITLE.match(head) and not stream.head(at + 1).strip():
        plain = _parse_plain(stream, at)
        if plain:
            return plain
    if head.startswith(("fatal: ", "error: ")) and not _GIT_WORDS.match(head):
        return None
    if _NOT_GIT.match(head):
        return None
    return parse_forms(_FORMS, stream, at)


def _parse_list(stream: Stream, at: int) -> Parsed | None:
    """The list that Go's multierror makes of errors, an item each, with what is indented below."""
    drafts: list[Draft] = []
    position = at + 1
    while position < min(len(stream), at + _MAX_BOX):
        head = stream.head(position)
        item = _ITEM.match(head)
        if item:
            text = Text()
            text.add(
                position, item.start("message"), stream.texts[position][item.start("message") :]
            )
            drafts.append(Draft("", None, text, position, position))
        elif head.strip() and drafts and head[:1].isspace():
            column = len(head) - len(head.lstrip())
            drafts[-1].message.add(position, column, stream.texts[position].strip())
            drafts[-1].last = position
        elif head.strip():
            break
        position += 1
    return Parsed(drafts, drafts[-1].last + 1) if drafts else None


def _parse_plain(stream: Stream, at: int) -> Parsed | None:
    """The same without the box, as in a pipe: a title, where, and the first paragraph below."""
    title = _BOX_TITLE.match(stream.texts[at])
    position = at + 2
    while _WITH.match(stream.head(position)) and position < at + _FEW:
        position += 1
    place = _BOX_PLACE.match(stream.head(position))
    if title is None or place is None:
        return None
    text = Text()
    text.add(at, title.start("message"), title.group("message"))
    frame = Frame(place.group("file"), int(place.group("line")), place.group("function"))
    severity = "error" if title.group("level") == "Error" else "warning"
    draft = Draft("tool:terraform", None, text, at, position, [frame], severity=severity)
    draft.role = Role.ALONE if severity == "warning" else None
    parsed = Parsed([draft], position + 1)
    position += 1
    while _BOX_SOURCE.match(stream.head(position)) and position < at + _MAX_BOX:
        parsed.quoted.append(position)
        position += 1
    if not stream.head(position).strip():
        position += 1
        while (said := stream.head(position)).strip() and not _BOX_TITLE.match(said):
            text.add(position, 0, stream.texts[position].rstrip())
            position += 1
    draft.last, parsed.end = position - 1, position
    return parsed


def _parse_box(stream: Stream, first: int, at: int) -> Parsed | None:
    """Terraform's box: a summary, where, and below it the detail, wrapped in the box."""
    found = _BOX.match(stream.head(at))
    title = _BOX_TITLE.match(found.group("text")) if found else None
    if found is None or title is None:
        return None
    text = Text()
    text.add(at, found.start("text") + title.start("message"), title.group("message"))
    severity = "error" if title.group("level") == "Error" else "warning"
    draft = Draft("tool:terraform", None, text, first, at, severity=severity)
    draft.role = Role.ALONE if severity == "warning" else None
    parsed = Parsed([draft], at + 1)
    position = at + 1
    while position < len(stream) and position < at + _MAX_BOX:
        line = _BOX.match(stream.head(position))
        if line is None:
            break
        said = line.group("text")
        place = _BOX_PLACE.match(said)
        if place:
            draft.frames.append(
                Frame(place.group("file"), int(place.group("line")), place.group("function"))
            )
        elif _BOX_SOURCE.match(said):
            parsed.quoted.append(position)
        elif said.strip():
            text.add(position, line.start("text"), said)
        position += 1
    if stream.head(position).strip() == "╵":
        position += 1
    draft.last = position - 1
    parsed.end = position
    return parsed
