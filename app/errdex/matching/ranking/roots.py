"""Which of a paste's events to look at first."""

from __future__ import annotations

from collections.abc import Sequence

from errdex.matching.model import Event, Role

_COMPILERS = frozenset({"c", "typescript", "kotlin", "scala", "rust"})
_ALSO_RUNNING = frozenset({"go", "java", "python", "node", "ruby", "php", "csharp"})
"""Languages whose compilers' and checkers' errors differ from those of running programs by
having no class and one place."""


def find_root_cause(events: Sequence[Event]) -> int | None:
    """The index of the event that the others came from; None when the paste shows only that
    something failed. The end of the last unhandled event's chain of causes; of several
    writers' errors the earliest; of several that one error gathered that which it tells first;
    of a compiler's errors the first, since further ones often follow from it."""
    unhandled = [
        index
        for index, event in enumerate(events)
        if not event.handled and event.severity != "warning"
    ]
    members = _of_members(events)
    roots = [_root(events, index) for index in unhandled if index not in members]
    roots = roots or [_root(events, index) for index in unhandled]
    real = [root for root in roots if events[root].role is not Role.SYMPTOM]
    if not real:
        return None if unhandled else _milder(events)
    chosen = real[-1]
    if len({events[root].writer for root in real}) > 1:
        chosen = min(real)
    if _is_of_compiler(events[chosen]):
        language = events[chosen].language
        chosen = min(
            root
            for root in real
            if events[root].language == language and _is_of_compiler(events[root])
        )
    return chosen


def _root(events: Sequence[Event], index: int) -> int:
    seen = {index}
    while (cause := events[index].cause) is not None and cause not in seen:
        seen.add(cause)
        index = cause
    return index


def _of_members(events: Sequence[Event]) -> set[int]:
    """Events that others gathered beside the one that they tell as their cause."""
    first = {event.cause for event in events if event.role is not Role.MEMBER}
    found: set[int] = set()
    for index, event in enumerate(events):
        at: int | None = index
        while event.role is Role.MEMBER and not (at is None or at in found or at in first):
            found.add(at)
            at = events[at].cause
    return found


def _milder(events: Sequence[Event]) -> int | None:
    """Where nothing went unhandled: the last error that was handled, else the first warning."""
    handled = [
        index
        for index, event in enumerate(events)
        if event.severity != "warning" and event.role is not Role.SYMPTOM
    ]
    if handled:
        return _root(events, handled[-1])
    warnings = [index for index, event in enumerate(events) if event.severity == "warning"]
    return warnings[0] if warnings else None


def _is_of_compiler(event: Event) -> bool:
    if event.language in _ALSO_RUNNING:
        return len(event.frames) == 1 and not event.error_class and event.severity == "error"
    return not event.frames[1:] and (
        event.language in _COMPILERS or event.language.startswith("tool:")
    )
