"""Roles: the root cause of a chain, what only says that something failed, what was handled."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace

import re2

from errdex import lazy_re as re
from errdex.matching.events.vague_messages import says_nothing
from errdex.matching.failure_words import says_failure
from errdex.matching.model import Event, Role
from errdex.matching.reading import Paste

_SYMPTOM = re2.compile(
    r"[Ss]ee (?:the )?(?:root cause|error|stack ?trace|log|traceback|output|message"
    r"|exception)s? (?:above|for)"
    r"|[Ss]ee above|[Ee]rrors? (?:above|were detected above)"
    r"|(?:exit(?:ed)?|returned|completed|failed|died|terminated|finished)[^\n]{0,40}"
    r"(?:(?:exit|error|status|return|non-zero)[ -]?(?:code|status|value)?:?|with(?: code)?)"
    r"[ =]-?(?:\d{1,2}|[0-2]\d\d|\d{4,})\b"  # 404 and 503 are answers of a server
    r"|exit (?:code|status):? \d|[Ee]xit status \d|returned non-zero exit status|ELIFECYCLE"
    r"|Failed (?:building wheel|to build installable wheels)|Failed to build \S+$"
    r"|subprocess-exited-with-error"
    r"|returned a non-zero code|could not compile `|aborting due to|BUILD FAILED|Build failed$"
    r"|^Aborted(?: \(core dumped\))?$|subcommand failed|Job failed|Error \d+$"
    r"|due to previous errors?|metadata-generation-failed"
    r"|Encountered error while generating|did not run successfully|\.\.\. error$"
    r"|^note: This (?:error originates from|is an issue with)"
    r"|did (?:NOT|not) complete successfully|\(Exit \d+\)|^There were failing tests"
    r"|There are test failures|Compilation failed; see the compiler"
    r"|^Could not read from remote repository|Error occurred prerendering page"
    r"|returned an error code \(\d|^FAILURE: Build failed"
    r"|^(?:\S{1,200}: )?\d+ errors?(?:\(s\))? occurred:?$"
    r"|Export encountered (?:an error|errors) on|^Error applying plan:$"
    r"|bootstrap checks? failed"
)
_ACTIVITY = (
    r"(?:build|compilation|compile|publish|deploy(?:ment)?|install(?:ation)?|test|lint|job|step"
    r"|stage|task|run|script|command|process|pipeline|workflow|action|release|migration|upgrade"
    r"|execution|tests|jobs|tasks|goal|target|it)"
)
_GAVE_UP = re2.compile(
    r"(?i)(?:the |this |your )?(?:[\w.:@/'\"`-]{1,60} ){0,3}"
    + _ACTIVITY
    + r"(?: [\w.:@/'\"`-]{1,60}){0,2}"
    r" (?:(?:has|have|was|were|is|will be) )?(?:failed|aborted|aborting|terminated|cancell?ed"
    r"|stopped|given up|interrupted|skipped|unsuccessful"
    r"|not successful|did not (?:complete|succeed))"
    r"(?:,? (?:waiting for|because of|due to|see|after|in) .{0,60}| with (?:\d+ )?errors?)?"
    r"\s*[.!…]{0,3}"
)
"""A whole message that says that an activity ended, and nothing of why."""
_SYSTEM_ERROR = re2.compile(
    r"(?P<what>[^\n]{1,200}?) (?:returned|failed with) (?:OS |system )?error(?: code| number)? "
    r"\d{1,5}\b"
)
"""What failed, and the number that the operating system gave as the reason."""
_SAID = re.compile(
    r"\b(?:[Oo]utput|[Ss]td(?:err|out)|[Rr]eason|[Ee]rror|[Mm]essage)s?: +(?P<said>[^\n]*)"
)
_BEHIND = re.compile(r"\s*(?::|[-\u2013\u2014] )\s*(?P<said>[^\n]*)")
_ENDED = re.compile(r"\b(?:failed|failures?|errors?)\b")
"""Words that say no more than an exit status."""
_ACTIVITY_WORD = re2.compile(r"(?i)\b" + _ACTIVITY + r"\b")
_SYMPTOM_CLASSES = re.compile(
    r"(?:.*\.)?(?:CalledProcessError|ChildFailedError|ProcessExitedException)$"
)
_SUCCESS = re.compile(
    r"\b(?:succeeded|successful(?:ly)?|recovered|reconnected|completed|connected|OK)\b"
)
_RETRY = re.compile(r"\b[Rr]etr(?:y|ying|ies)\b|\b[Aa]ttempt \d")
_RETRY_WORDS = ("retry", "Retry", "retries", "Retries", "attempt ", "Attempt ")
"""Looked for in the whole text, before the regex is at single lines."""
_AHEAD = 200
_LEAST_QUOTED, _EVENTS_ABOVE, _COMPARED = 25, 20, 4_000
_WORDS_BEFORE = re.compile(r"(?:\W*\w+\b){2}")


def finish(paste: Paste, events: list[Event]) -> list[Event]:
    """Give each event its role; all other fields stay, but for causes found by what a
    message says ("see root cause above") and retries that the paste shows to succeed."""
    events = _with_quoted(events)
    causes = {event.cause for event in events if event.cause is not None}
    result = [_with_role(event, index in causes) for index, event in enumerate(events)]
    _link_symptoms(result)
    return _mark_retries(paste, result)


def _with_quoted(events: list[Event]) -> list[Event]:
    """Link each error that repeats the whole message of one above it, behind words of its own,
    to that one: it was made of it."""
    result = list(events)
    for index, event in enumerate(events):
        if event.cause is not None or event.severity == "warning":
            continue
        said = event.message[:_COMPARED]
        for above in range(index - 1, max(-1, index - _EVENTS_ABOVE), -1):
            inner = events[above].message
            if (
                _LEAST_QUOTED <= len(inner) < len(said)
                and events[above].cause is None
                and events[above].severity != "warning"
                and _WORDS_BEFORE.match(said.partition(inner)[0] if inner in said else "")
            ):
                result[index] = replace(event, cause=above)
                break
    return result


def is_symptom(error_class: str | None, message: str) -> bool:
    """Whether an error says only that something failed, not what."""
    symptom = _SYMPTOM.search(message[:_COMPARED])
    if error_class and _SYMPTOM_CLASSES.match(error_class):
        return symptom is None or not _says_why(message[symptom.end() :])
    if len(message) >= 500:
        return False
    if symptom is not None:
        return not (_says_system_error(message) or _says_why(message[symptom.end() :]))
    return not error_class and (_GAVE_UP.fullmatch(message) is not None or says_nothing(message))


def _says_why(rest: str) -> bool:
    """Whether what comes behind the words of a symptom shows what was said of the failure."""
    found = _SAID.search(rest[:_COMPARED])
    if found is None:
        found = _BEHIND.match(rest[:_COMPARED])
        if found is None or not says_failure(_ENDED.sub("", found.group("said"))):
            return False
    said = found.group("said")
    return " " in said and _SYMPTOM.search(said) is None and not says_nothing(said)


def _says_system_error(message: str) -> bool:
    """Whether what failed is one operation on something, no command or build that ended."""
    found = _SYSTEM_ERROR.match(message)
    return found is not None and _ACTIVITY_WORD.search(found.group("what")) is None


def _with_role(event: Event, is_cause: bool) -> Event:
    role = event.role
    if role is Role.ALONE:
        if event.cause is not None:
            role = Role.WRAPPER
        elif is_cause:
            role = Role.ROOT_CAUSE
        empty = role is Role.WRAPPER and says_nothing(event.message)
        panic = event.language == "rust" and event.severity == "fatal"
        if (
            event.severity != "warning"
            and not empty
            and not panic  # a build script's, which tells why the build failed
            and is_symptom(event.error_class, event.message)
        ):
            role = Role.SYMPTOM
    return event if role is event.role else replace(event, role=role)


def _link_symptoms(events: list[Event]) -> None:
    """Point each symptom without a cause to the last real error before it."""
    roots = _roots(events)
    last: int | None = None
    for index, event in enumerate(events):
        if event.role is Role.SYMPTOM:
            if event.cause is None and last is not None:
                events[index] = replace(event, cause=last)
                root = events[last]
                role = Role.ROOT_CAUSE if root.role is Role.ALONE else root.role
                # What ended in the symptom was not handled, though it was logged first.
                events[last] = replace(root, role=role, handled=root.handled and event.handled)
        elif (
            event.severity != "warning"
            and (not event.handled or event.role is Role.ROOT_CAUSE)
            and events[roots[index]].role is not Role.SYMPTOM
        ):
            last = roots[index]


def _roots(events: list[Event]) -> list[int]:
    """For each event the end of its chain of causes, each link looked at once."""
    roots: list[int | None] = [None] * len(events)
    for index in range(len(events)):
        path: list[int] = []
        at = index
        while roots[at] is None and at not in path[-1:]:
            path.append(at)
            cause = events[at].cause
            if cause is None or len(path) > len(events):
                break
            at = cause
        end = roots[at] if roots[at] is not None else at
        for member in path:
            roots[member] = end
    return [root if root is not None else index for index, root in enumerate(roots)]


def _mark_retries(paste: Paste, events: list[Event]) -> list[Event]:
    if not events or not any(word in paste.clean for word in _RETRY_WORDS):
        return events
    successes: dict[str, list[int]] | None = None
    for index, event in enumerate(events):
        if event.handled or not event.pieces:
            continue
        line = event.pieces[0].line
        near = "\n".join(text[:500] for text in paste.texts[max(0, line - 1) : line + 3])
        if not _RETRY.search(near):
            continue
        if successes is None:
            successes = _successes(paste)
        end = event.pieces[-1].line + 1
        lines = successes.get(paste.writers.get(line, ""), [])
        at = bisect_left(lines, end)
        if at < len(lines) and lines[at] < end + _AHEAD:
            events[index] = replace(event, handled=True)
    return events


def _successes(paste: Paste) -> dict[str, list[int]]:
    """The lines of each writer that report success."""
    lines: dict[str, list[int]] = {}
    last = -1
    for found in _SUCCESS.finditer(paste.clean):
        line = bisect_right(paste.starts, found.start()) - 1
        if line != last:
            lines.setdefault(paste.writers.get(line, ""), []).append(line)
            last = line
    return lines
