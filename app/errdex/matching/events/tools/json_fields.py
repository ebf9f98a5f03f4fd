"""Errors in the fields of a JSON text that is no log: the outputs of a notebook (`ename`,
`evalue`), problems as an editor copies them (`code`, `severity`, `message`), what a server
answered (`{"error": {"message": …}}`), and Ansible's results (`FAILED! => {"msg": …}`)."""

from __future__ import annotations

from collections.abc import Mapping

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text, single
from errdex.matching.failure_words import says_failure
from errdex.matching.model import Frame, Role

TRIGGERS = (
    '"ename"', '"message": "', '"msg": "', '"detail": "', '"error_description": "',
    '"errorMessage": "', '": "', "! =>",
)  # fmt: skip

_STRING = r'"(?P<text>(?:[^"\\\n]|\\.){0,4000})"'
_NAME = re.compile(r'"ename"\s*:\s*"(?P<class>[\w.$:]{1,200})"')
_VALUE = re.compile(r'"evalue"\s*:\s*' + _STRING)
_MESSAGE = re.compile(
    r'\s*"(?:message|msg|detail|error_description|errorMessage)": ' + _STRING + r",?\s*$"
)
_ANY_TEXT = re.compile(r'\s*"(?P<key>[\w.@-]{1,40})": ' + _STRING + r",?\s*$")
_LOUD = re.compile(
    r'\s*"(?:level|severity|lvl|levelname|log\.level|loglevel)": '
    r'"(?:(?i:err|error|fatal|critical|crit|panic|alert|emerg|emergency|severe))",?\s*$'
)
_OF_ERROR = re.compile(
    r"(?i:.*(?:err|error|exception|cause|reason|problem|failure|fault|why|explanation))$"
)
"""A key of what an error says."""
_RESULT = re.compile(
    r"(?:fatal|failed): \[[^\]\n]{1,200}\](?:: | )(?:\(item=[^\n]{0,300}?\) )?(?:[A-Z]+! )?=> \{"
    r"|\S{1,200} \| (?:FAILED|UNREACHABLE)!? => \{"
)
"""A task of Ansible that failed, with its result."""
_YAML_RESULT = re.compile(
    r"(?:fatal|failed): \[[^\]\n]{1,200}\](?:: | )(?:\(item=[^\n]{0,300}?\) )?[A-Z]+! => ?"
    r"(?:changed=\w+ *)?$"
)
_YAML_FIELD = re.compile(r"  (?P<key>msg|stderr|exception): (?P<text>\S.*)$", re.DOTALL)
_YAML_BLOCK = re.compile(r"[|>][-+]?\s*$")
_SAID = re.compile(r'"(?P<key>msg|stderr|exception)": ' + _STRING)
_VAGUE = ("non-zero return code", "MODULE FAILURE", "All items completed")
_CLASS_KEYS = ("errorClass", "exception", "errorType", "__type", "name", "type", "class")
_CLASS = re.compile(r"(?:.*[#/])?(?P<class>[\w.$\\]*[A-Z]\w*(?:Error|Exception|Fault))")
_CODE_KEYS = ("code", "errorCode", "error_code", "error", "statusCode", "status")
_TELLING = frozenset(
    {"errorClass", "exception", "stack", "stackTrace", "trace", "errorCode", "error_code", "__type",
     "error", "error_description", "errorMessage", "documentation_url", "errorType"}
)  # fmt: skip
"""Fields that only an error has."""
_FIELD = re.compile(
    r'\s*"(?P<key>\w{1,40})": (?:"(?P<text>[^"\n]{0,400})"|(?P<number>\d{1,9})),?\s*$'
)
_OPENS = re.compile(r"\s*(?:[^\n{]{0,200}[:>] )?(?:\[)?\{\s*$")
_ERROR_KEY = re.compile(r".*\b(?:[Ee]rrors?|ERRORS?|exception|fault|failure)\"?: \[?\{\s*$")
_CLOSES = re.compile(r"\s*\}")
_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<char>.))")
_PLAIN = {"n": "\n", "t": "\t", "r": "", "b": "", "f": ""}
_LONGEST, _MOST, _FIELDS, _SAYS = 200_000, 50, 30, 500
_WARNING = 4
"""The severity that editors give a warning; less is a hint."""


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the outputs of a notebook or the problem that line `at` reports."""
    text = stream.texts[at]
    if '"ename"' in text:
        return _parse_outputs(stream, at)
    if "! => {" in text and _RESULT.match(stream.head(at)):
        return _parse_result(stream, at)
    if "! =>" in text and _YAML_RESULT.match(stream.head(at)):
        return _parse_yaml_result(stream, at)
    found = _MESSAGE.match(stream.head(at))
    if found:
        return _parse_problem(stream, at, found)
    other = _ANY_TEXT.match(stream.head(at))
    return _parse_any(stream, at, other) if other else None


def _parse_any(stream: Stream, at: int, found: re.Match[str]) -> Parsed | None:
    """A text under another key that says what failed, in an object of an error."""
    text = _unescape(found.group("text"))
    if " " not in text or not says_failure(text[:_SAYS]):
        return None
    fields, first, last = _fields_around(stream, at)
    if _OF_ERROR.match(found.group("key")):
        draft = single(stream, at, "", text, found.start("text"))
        draft.first, draft.last = _whole_record(stream, first), last
        return Parsed([draft], last + 1)
    return _parse_answer(stream, at, found, fields, first, last)


def _error_beside(stream: Stream, first: int, last: int) -> tuple[int, re.Match[str]] | None:
    """The line of an object that says what its message came from."""
    for position in range(first, last + 1):
        found = _ANY_TEXT.match(stream.head(position))
        if found is None or not _OF_ERROR.match(found["key"]):
            continue
        if " " in found["text"] and says_failure(found["text"][:_SAYS]):
            return position, found
    return None


def _whole_record(stream: Stream, first: int) -> int:
    """The first line of the record that an object is in, where its level is that of an error;
    else the object's."""
    for above in range(first - 1, max(stream.consumed, first - _FIELDS) - 1, -1):
        head = stream.head(above)
        if _LOUD.match(head):
            return above
        if head[:1] == "}" or not head.strip():
            break
    return first


def _parse_outputs(stream: Stream, at: int) -> Parsed | None:
    drafts: list[Draft] = []
    whole = stream.texts[at][:_LONGEST]
    for name in _NAME.finditer(whole):
        line, start = at, name.end()
        value = _VALUE.search(whole, start, start + len(whole))
        if value is None:
            line, start = at + 1, 0
            value = _VALUE.search(stream.head(at + 1))
        if value is None or len(drafts) >= _MOST:
            break
        message = Text()
        message.add(line, value.start("text"), _unescape(value.group("text")))
        drafts.append(Draft("python", name.group("class"), message, at, line))
    return Parsed(drafts, drafts[-1].last + 1, [at]) if drafts else None


def _parse_result(stream: Stream, at: int) -> Parsed | None:
    """Ansible's result on one line or several: what it says, or what the command said."""
    said: dict[str, tuple[int, int, str]] = {}
    position = at
    while position < min(len(stream), at + _FIELDS):
        whole = stream.texts[position][:_LONGEST]
        for found in _SAID.finditer(whole):
            said.setdefault(found["key"], (position, found.start("text"), found["text"]))
        if position > at and _CLOSES.match(whole):
            break
        if position == at and whole.rstrip().endswith("}"):
            break
        position += 1
    key = _telling_key({key: text for key, (_, _, text) in said.items()})
    if key is None:
        return None
    line, start, text = said[key]
    message = Text()
    message.add(line, start, _unescape(text).strip())
    draft = Draft("tool:ansible", None, message, at, max(position, at), severity="fatal")
    return Parsed([draft], max(position, at) + 1)


def _telling_key(said: Mapping[str, str]) -> str | None:
    """The field of a result that says what failed."""
    vague = said["msg"].startswith(_VAGUE) if "msg" in said else True
    keys = ("stderr", "exception", "msg") if vague else ("msg",)
    return next((key for key in keys if said.get(key, "").strip()), None)


def _parse_yaml_result(stream: Stream, at: int) -> Parsed | None:
    """The same as Ansible's callback for YAML writes it: a field a line, or a block of lines."""
    said: dict[str, Text] = {}
    position = at + 1
    while position < min(len(stream), at + _FIELDS) and stream.head(position)[:2] == "  ":
        found = _YAML_FIELD.match(stream.head(position))
        position += 1
        if found is None:
            continue
        text = said.setdefault(found["key"], Text())
        if _YAML_BLOCK.match(found["text"]):
            while stream.head(position)[:4] == "    ":
                text.add(position, 4, stream.texts[position][4:].rstrip())
                position += 1
        else:
            whole = stream.texts[position - 1][found.start("text") :].strip()
            quote = whole[0] if whole[0] in "'\"" and whole[-1] == whole[0] else ""
            begin = found.start("text") + len(quote)
            text.add(position - 1, begin, whole[len(quote) : len(whole) - len(quote)])
    key = _telling_key({key: str(text) for key, text in said.items()})
    if key is None:
        return None
    draft = Draft("tool:ansible", None, said[key], at, position - 1, severity="fatal")
    return Parsed([draft], position)


def _parse_problem(stream: Stream, at: int, found: re.Match[str]) -> Parsed | None:
    fields, first, last = _fields_around(stream, at)
    if "code" not in fields or not fields.keys() & {"severity", "source", "owner"}:
        return _parse_answer(stream, at, found, fields, first, last)
    language = fields.get("owner", fields.get("source", "")).lower()
    typescript = language in ("typescript", "ts", "deno-ts")
    code = fields["code"]
    draft = single(
        stream,
        at,
        "typescript" if typescript else f"tool:{language}" if language else "",
        _unescape(found.group("text")),
        found.start("text"),
        code=f"TS{code}" if typescript and code.isdigit() else code,
    )
    severity = fields.get("severity", "")
    if severity.isdigit() and int(severity) <= _WARNING:
        draft.severity, draft.role = "warning", Role.ALONE
    if "resource" in fields:
        line = fields.get("startLineNumber", "")
        draft.frames.append(Frame(fields["resource"], int(line) if line.isdigit() else None))
    draft.first, draft.last = first, last
    return Parsed([draft], last + 1)


def _parse_answer(
    stream: Stream, at: int, found: re.Match[str], fields: dict[str, str], first: int, last: int
) -> Parsed | None:
    """What a server answered, in an object that only an error has or under the key of one."""
    opener = stream.head(first - 1) if first > 0 else ""
    status = next((fields[key] for key in ("status", "statusCode", "code") if key in fields), "")
    named = (_CLASS.fullmatch(fields[key]) for key in _CLASS_KEYS if key in fields)
    name = next((each.group("class") for each in named if each), None)
    failed = status.isdigit() and len(status) == 3 and status[0] in "45"
    top = _whole_record(stream, first)
    loud = top < first or any(_LOUD.match(stream.head(each)) for each in range(first, last + 1))
    if not (failed or name or loud or fields.keys() & _TELLING or _ERROR_KEY.match(opener)):
        return None
    code = next((fields[key] for key in _CODE_KEYS if " " not in fields.get(key, " ")), None)
    at, found = _error_beside(stream, first, last) or (at, found)
    text = _unescape(found.group("text"))
    draft = single(stream, at, "", text, found.start("text"), error_class=name, code=code or None)
    draft.first, draft.last = top, last
    return Parsed([draft], last + 1)


def _fields_around(stream: Stream, at: int) -> tuple[dict[str, str], int, int]:
    """The plain fields of the object that a line is in, and its first and last line."""
    fields: dict[str, str] = {}
    first = last = at
    for step in (-1, 1):
        position = at + step
        while stream.consumed <= position < len(stream) and abs(position - at) < _FIELDS:
            head = stream.head(position)
            if (_OPENS if step < 0 else _CLOSES).match(head):
                break
            field = _FIELD.match(head)
            if field:
                fields.setdefault(field.group("key"), field.group("text") or field.group("number"))
            first, last = min(first, position), max(last, position)
            position += step
    return fields, first, last


def _unescape(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        if found.group("code"):
            return chr(int(found.group("code"), 16))
        char = found.group("char")
        return _PLAIN.get(char, char)

    return _ESCAPE.sub(plain, text)
