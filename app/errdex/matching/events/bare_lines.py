"""The line that reports the error where no form of any tool does.

People paste a message alone, and small programs print one without a level or class. Only where
nothing else in a paste says what failed, the words show it: the first line that says that something
is missing, refused or wrong is the error; in a paste of a single line it is what was pasted.
"""

from __future__ import annotations

from collections.abc import Iterable

from errdex import lazy_re as re
from errdex.matching.events.linking import is_symptom
from errdex.matching.events.own_lines import is_own_line
from errdex.matching.events.vague_messages import is_advice, is_outer
from errdex.matching.failure_words import says_failure
from errdex.matching.model import Event, Piece, Role
from errdex.matching.reading import Paste

_MOST_LINES, _HEAD = 300, 1_000
_CALM = frozenset({"trace", "debug", "info", "notice"})
_HARMLESS = re.compile(
    r"\b(?:0|no|No|without|zero) (?:\w+ )?(?:errors?|failures?|conflicts?|problems?)\b"
    r"|\bif not\b|\b--?no-|\b[Cc]ache (?:is |was |entry |file )?(?:not |miss)"
    r"|\b(?:0 failed|failed[:=] ?0|errors?[:=] ?0|on-failure|errors?[=-]\w)"
)
_TOOL_SAYS = re.compile(r"[a-z][\w.+-]{0,30}: (?![A-Za-z]+ing\b)(?=[^\n]*[A-Za-z])\S+(?: \S+){4}")
"""A tool's name before a sentence."""
_WELL = re.compile(
    r"\b(?:succe\w+|done|ready|complete(?:d|ly)?|finished|start(?:ed|ing)|listening|connected|installed|added|built"
    r"|created|deployed|passed|saved|loaded|running|up to date|healthy|ok(?:ay)?|well|fine|good"
    r"|welcome|hello)\b",
    re.IGNORECASE,
)
"""Words of a line that reports no error."""
_PERSON = re.compile(
    r"\b(?:I|I['\u2019](?:m|ve|d)|we|[Mm]y|[Oo]ur|[Aa]nyone|[Ss]omebody|[Tt]hanks|[Pp]lease help"
    r"|[Hh]ow (?:do|can|to|should)|[Ww]hy (?:is|does|do|am)|[Cc](?:ould|an) you"
    r"|[Tt]ell (?:me|us))\b"
)
"""Words of a person who asks."""
_LEAD = re.compile(rf"[^:\n]{{0,80}}{_PERSON.pattern}[^:\n]{{0,80}}: (?=\S)")
"""What a person says before a message."""
_MARKS = re.compile(
    r"(?:[>|\u2502*+\u2022-] +|= note: |(?:Message|Reason|Output|Details?):\s+)"
    r"(?:\s|[>|\u2502*+\u2022-] |= note: )*(?=\S)"
)
"""What stands before a message that quotes it, lists it, or names the field that it is of."""
_ANNOUNCES = re.compile(r"[^\n]*\b(?:message|reason|error|exception|failure):\s*$")
_NO_MESSAGE = re.compile(
    r"\S{1,80} \S{1,60} \S{1,60} \[\d\d/[A-Z][a-z]{2}/\d{4}[: ]"  # who asked a server for what
    r"|\s*(?:[\[({]?\d[\d\s.,:%/-]*[\])}]?|https?://\S+|(?:[A-Za-z]:)?[\w.~-]*[/\\]\S*|[$#>%] .*"
    r"|PS [A-Z]:.*"
    r"|[\w.-]+@[\w.-]+[:~].*[$#]\s.*|[-=*_#~+|`.\s]*|\W*(?:[A-Z]+ )*(?:FAILED|FAILURES?"
    r"|ERRORS?)\W*|\S+)\s*$"
)
"""Lines that are no sentence: requests, numbers, addresses, paths, commands, rules, one word."""


def find_bare(paste: Paste, events: Iterable[Event]) -> Event | None:
    """The line that reports the error, if `events` (the others of the paste) do not."""
    events = list(events)
    if any(each.severity != "warning" and each.role is not Role.SYMPTOM for each in events):
        return None
    filled = [index for index, text in enumerate(paste.texts) if text.strip()]
    if not filled or len(filled) > _MOST_LINES:
        return None
    if events:
        last = max(each.last_line for each in events)  # why, a tool says before it gives up
        filled = [index for index in filled if paste.numbers[index] < last]
    taken = {number for each in events for number in range(each.first_line, each.last_line + 1)}
    free = [index for index in filled if paste.numbers[index] not in taken]
    saying = [index for index in free if _says_failure(paste, index)]
    loud = (index for index in saying if paste.level(index) != "warning")
    found = next(loud, saying[0] if saying else None)
    if found is not None and _ANNOUNCES.match(paste.texts[found]) and found + 1 in free:
        found += 1
    if found is None and len(filled) == 1 and not taken:
        found = next((index for index in free if _is_message(paste, index)), None)
    if found is None and events:
        found = _said_last(paste, free, min(each.first_line for each in events))
    return None if found is None else _event(paste, found)


def _said_last(paste: Paste, free: list[int], below: int) -> int | None:
    """The line right above the first report that something failed, if a tool named itself
    before a sentence there that is none of its progress."""
    for index in free:
        if paste.numbers[index] == below - 1:
            head = paste.texts[index][:_HEAD]
            calm = paste.level(index) in _CALM or is_own_line(head, ())
            reports = _TOOL_SAYS.match(head) is not None and not (calm or _WELL.search(head))
            return index if reports else None
    return None


def _says_failure(paste: Paste, index: int) -> bool:
    head = _without_lead(paste.texts[index])
    said = head.strip()
    return (
        not (is_symptom(None, said) or is_outer(said) or is_advice(said))
        and paste.level(index) not in _CALM
        and says_failure(head)
        and _HARMLESS.search(head) is None
        and _PERSON.search(head) is None
        and _NO_MESSAGE.match(head) is None
    )


def _is_message(paste: Paste, index: int) -> bool:
    head = _without_lead(paste.texts[index])
    return paste.level(index) not in _CALM and not (
        _WELL.search(head)
        or _HARMLESS.search(head)
        or _PERSON.search(head)
        or _NO_MESSAGE.match(head)
    )


def _without_lead(text: str) -> str:
    return text[message_column(text) :][:_HEAD]


def message_column(text: str) -> int:
    """Where a message begins on a line of no known form: behind what a person says before it,
    the marks of a quotation or a list, the name of the field that it is of."""
    lead = _LEAD.match(text)
    return marks_end(text, lead.end()) if lead else marks_end(text)


def marks_end(text: str, begin: int = 0) -> int:
    """Where the text begins behind blanks and marks."""
    begin += len(text[begin:]) - len(text[begin:].lstrip())
    marks = _MARKS.match(text, begin)
    return marks.end() if marks else begin


def _event(paste: Paste, index: int) -> Event:
    whole = paste.texts[index]
    column = message_column(whole)
    message = whole[column:].strip()
    role = Role.SYMPTOM if is_symptom(None, message) else Role.ALONE
    return event_of_line(paste, index, message, column, role)


def event_of_line(
    paste: Paste, index: int, message: str, column: int, role: Role = Role.ALONE
) -> Event:
    """An event whose message stands in one line, from a column on."""
    place = paste.locate(index, column)
    return Event(
        language="",
        error_class=None,
        message=message,
        first_line=place.number,
        last_line=paste.last_number(index),
        message_line=place.number,
        message_offset=place.offset,
        role=role,
        writer=paste.writers.get(index, ""),
        pieces=(Piece(0, index, column),),
    )
