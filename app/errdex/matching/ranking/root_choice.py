"""Which event to look at first, where the root cause itself says next to nothing.

The root cause comes first: that is the rule. Left aside it is only when it says nothing that
what came of it does not say too, and when what it says is no more than a name
(`KeyError: 'llama9'`) or that somebody did not answer (`[Errno 111] Connection refused`); and
when the package in which it was raised had given the reason in the lines above, or gives it in
an error of its own that it made of the language's.
"""

from __future__ import annotations

from collections.abc import Sequence

from errdex import lazy_re as re
from errdex.matching.model import Event, Role
from errdex.matching.ranking.answer import EventAnswer
from errdex.matching.ranking.comparison import contains_word, is_installed, last_part, names_in

_NUMBER = re.compile(r"^\[(?:Errno|WinError) -?\d{1,9}\] ")
_NAME = re.compile(r"(?:\S{0,300}|(?P<quote>['\"`]).{0,300}(?P=quote))\Z", re.DOTALL)
_UNREACHED = re.compile(
    r"(?:Connect(?:ion|ion attempt| call)? )?(?:refused|reset by peer|reset|failed|timed out)\b"
    r"|Broken pipe|Name or service not known|Temporary failure in name resolution"
    r"|No address associated|nodename nor servname|getaddrinfo failed"
    r"|No route to host|(?:Network|Host) is unreachable|No connection could be made"
    r"|(?:connect|getaddrinfo|read) E[A-Z_]{4,}\b"
    r"|Failed to fetch|Load failed|NetworkError when attempting",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"(?P<status>[45]\d\d) (?:Client|Server) Error\b")
"""That a server answered with no, for which the library that asked it may give the reason."""
_FAILED = re.compile(r"(?:[\w-]+ ){1,4}failed[.!]?\Z")
"""What failed, and not why: `Host key verification failed.`"""
_WORD = re.compile(r"\w+")
_RUNTIMES = frozenset(
    {"python/cpython", "nodejs/node", "openjdk/jdk", "ruby/ruby", "php/php-src", "dotnet/runtime"}
)
"""Repositories of languages, whose errors are raised by everybody's code."""
_COMPARED = 4_000
_LINKS = 20
_ABOVE = 15
"""Lines between what a package reported and the error that it then ended in."""


def find_first(answers: Sequence[EventAnswer], root: int | None) -> int | None:
    """The index of the event to look at first: the root cause, or what says more than it."""
    if root is None:
        return None
    for says_more in (_reported_above, _made_of_it):
        found = says_more(answers, root)
        if found is not None:
            return found
    return _above_bare_cause(answers, root)


def _above_bare_cause(answers: Sequence[EventAnswer], root: int) -> int:
    cause = answers[root].event
    if not _is_bare(cause):
        return root
    came_of = _came_of(answers)
    at = root
    for _ in range(_LINKS):
        if at not in came_of:
            return root
        at = came_of[at]
        wrapper = answers[at]
        if not _says_as_much(wrapper.event, cause):
            return root
        if wrapper.matches and _record(wrapper) != _record(answers[root]):
            return at
    return root


def _came_of(answers: Sequence[EventAnswer]) -> dict[int, int]:
    """The index of what was made of an error, by the error's."""
    return {
        each.event.cause: index
        for index, each in reversed(list(enumerate(answers)))
        if each.event.cause is not None and each.event.role is not Role.SYMPTOM
    }


def _made_of_it(answers: Sequence[EventAnswer], root: int) -> int | None:
    """A known error of the package in whose code one of the language's own was raised, which was
    made of that: what a missing module is the module of, the package says."""
    package = _raised_in(answers[root].event)
    if not package or not answers[root].matches:
        return None
    if answers[root].matches[0].record.repo not in _RUNTIMES:
        return None
    came_of, at = _came_of(answers), root
    for _ in range(_LINKS):
        if at not in came_of:
            return None
        at = came_of[at]
        if answers[at].matches and _project(answers[at]) == package.lower().replace("_", "-"):
            return at
    return None


def _raised_in(event: Event) -> str | None:
    """The installed package whose code called what raised an error: that of the innermost frame
    outside of the language's library; None where the program's own code did."""
    for frame in reversed(event.frames):
        if frame.file and is_installed(frame.file):
            return frame.package
        if frame.package is None and not (frame.file or "").startswith("<"):
            return None
    return None


def _is_bare(event: Event) -> bool:
    """Whether an error says no more than a name, or that another side cannot be reached."""
    said = _NUMBER.sub("", event.message.strip())
    return any(regex.match(said) for regex in (_NAME, _REFUSED)) or _is_unreached(said)


def _is_unreached(said: str) -> bool:
    return len(said) < 200 and _UNREACHED.match(said) is not None


def _says_as_much(wrapper: Event, cause: Event) -> bool:
    """Whether all words of a cause stand in what came of it, and not as a quotation of the
    cause, which names its class."""
    said = _NUMBER.sub("", cause.message.strip())
    refused = _REFUSED.match(said)
    said = refused.group("status") if refused else said
    message = wrapper.message[:_COMPARED]
    if not set(_WORD.findall(said)) <= set(_WORD.findall(message)):
        return False
    name = last_part(cause.error_class or "")
    return not (said and name and contains_word(message, name))


def _reported_above(answers: Sequence[EventAnswer], root: int) -> int | None:
    """A known line that stands right above an error, when the line is of the package in whose
    code the error was raised, and the error is the language's; or when both are of one project
    and the error says only that another side cannot be reached, or that something failed."""
    event = answers[root].event
    if not answers[root].matches:
        return None
    raised_in = names_in(event.frames[-1].file or "") if event.frames else set()
    project = _project(answers[root])
    if _is_unreached(event.message) or _FAILED.match(event.message):
        raised_in.add(project)
    elif project in raised_in:
        return None
    for index in range(root - 1, max(-1, root - _ABOVE), -1):
        above = answers[index]
        if (
            above.matches
            and above.event.error_class is None
            and above.event.severity != "warning"
            and above.event.writer == event.writer
            and 0 < event.first_line - above.event.last_line <= _ABOVE
            and _project(above) in raised_in
        ):
            return index
    return None


def _project(answer: EventAnswer) -> str:
    return answer.matches[0].record.repo.rpartition("/")[2].lower()


def _record(answer: EventAnswer) -> str | None:
    return answer.matches[0].record.id if answer.matches else None
