"""Which of a paste's events to look at first.

Each chain of causes has one candidate, its innermost error that says something. Candidates are
compared by what kind of error they are; of equal ones the first in the paste comes first, since
a tool prints what is wrong before it gives up, and independent failures are read in order.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from errdex import lazy_re as re
from errdex.matching.events import is_advice, is_outer, says_nothing
from errdex.matching.model import Event, Role
from errdex.matching.ranking.comparison import last_part

_STOPPED = re.compile(
    r"(?:.*[a-z])?(?:Interrupt|Interrupted|Cancell?ed)(?:Error|Exception)?|(?:System|Generator)Exit"
    r"|AbortError"
)
"""Classes that say that something was stopped from outside, as it is after a failure."""
_NAMES = re.compile(
    r"[\w.$:\\]*[A-Z][\w$]*(?:Error|Exception|Iteration|Exit)\b|[\w$]+(?:\.[\w$]+)+"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LEAST_WORDS = 2
_LINKS = 20
"""Wrappers of an error without a message that are looked at."""


class _Rank(NamedTuple):
    """What makes an event a worse root cause, the weightiest first."""

    empty: bool
    """A stack whose class and message were cut off."""
    stopped: bool
    outer: bool
    """Says which activity failed, and not why, or only what one may do."""
    lone: bool
    """A line of no known form, without a class, a code or a place."""
    handled: bool
    unknown: bool
    """No record matches the line; where a class or a place is known, that is no argument."""
    unexplained: bool
    """The same of records that say what helps: what was harvested may be a line of any log."""
    place: int


def find_root_cause(
    events: Sequence[Event], known: Collection[int] = (), explained: Collection[int] = ()
) -> int | None:
    """The index of the event that the others came from; None when the paste shows only that
    something failed. `known`: the indexes of events that a record matches;
    `explained`: of those, the ones whose record says what helps."""
    failures = [index for index, event in enumerate(events) if event.severity != "warning"]
    inner = _of_members(events) | {events[index].cause for index in failures}
    heads = [index for index in failures if index not in inner] or failures
    roots = [_root(events, index, known) for index in heads]
    real = [root for root in roots if events[root].role is not Role.SYMPTOM]
    if real:
        return min(
            _rank(events[root], root, root in known, root in explained) for root in real
        ).place
    if any(not events[index].handled for index in failures):
        return None
    return next((index for index, event in enumerate(events) if event.severity == "warning"), None)


def _rank(event: Event, index: int, known: bool, explained: bool) -> _Rank:
    lone = not (event.error_class or event.code or event.frames or event.language)
    return _Rank(
        empty=not (event.message or event.error_class),
        stopped=_STOPPED.fullmatch(last_part(event.error_class or "")) is not None,
        outer=_is_vague(event),
        lone=lone,
        handled=event.handled,
        unknown=lone and not known,
        unexplained=lone and not explained,
        place=index,
    )


def _is_vague(event: Event) -> bool:
    """Whether neither the words nor a code with a place in source say what failed."""
    if is_advice(event.message):
        return True
    vague = is_outer(event.message) or says_nothing(event.message)
    return vague and not (event.code and event.frames)


def _root(events: Sequence[Event], index: int, known: Collection[int]) -> int:
    """The innermost cause of an event, or what was made of it where that says more."""
    path, seen = [index], {index}
    while (cause := events[path[-1]].cause) is not None and cause not in seen:
        path.append(cause)
        seen.add(cause)
    root = path[-1]
    if events[root].message or root in known:
        return root
    for wrapper in path[-2:-_LINKS:-1]:
        if _says_more(events[wrapper]):
            return wrapper
    return root


def _says_more(event: Event) -> bool:
    """Whether a message is more than names of classes."""
    if event.role is Role.SYMPTOM or says_nothing(event.message):
        return False
    words = _WORD.findall(_NAMES.sub("", event.message[:1_000]))
    return len(words) >= _LEAST_WORDS


def _of_members(events: Sequence[Event]) -> set[int]:
    """Events that others gathered beside the one that they name as their cause."""
    first = {event.cause for event in events if event.role is not Role.MEMBER}
    found: set[int] = set()
    for index, event in enumerate(events):
        at: int | None = index
        while event.role is Role.MEMBER and not (at is None or at in found or at in first):
            found.add(at)
            at = events[at].cause
    return found
