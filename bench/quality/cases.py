"""Cases: pastes with what must come, in YAML, and the comparison of the two.

A case has `id`, `kind`, `input` and `expect`; `data` says whether the starter records are loaded
(`starter`, which is the default, or `none`), `records` adds records. `input` is a text, or a list
of texts and of `{times, text}` that are put together. A wanted text is the exact one (white space
at its ends does not count), null for none, or a mapping of `contains` and `not_contains`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from bench.quality.knowledge_base import KnowledgeBase, accepted, empty, starter

from errdex.matching.ranking import Answer, EventAnswer

EXPECTED = frozenset(
    """
    events root_message root_class root_code root_severity root_outcome root_is_error
    first_record fair_records captures event_records event_messages some_event no_event
    unknown_events not_records
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_KEYS = {"id", "kind", "control", "data", "records", "input", "expect"}
_ROOT = {
    "root_message": "message",
    "root_class": "class",
    "root_code": "code",
    "root_severity": "severity",
    "root_outcome": "outcome",
}


class CaseInvalid(Exception):
    """A file of cases that is not of the form above: `str(error)` says where and why."""


@dataclass(frozen=True)
class Case:
    """A paste and what must come of it."""

    id: str
    kind: str
    paste: str
    expect: Mapping[str, Any]
    data: str = "starter"
    records: tuple[Mapping[str, Any], ...] = ()
    control: bool = False


@dataclass(frozen=True)
class Fault:
    """What is not as wanted."""

    what: str
    wanted: object
    got: object

    def __str__(self) -> str:
        return f"{self.what}: wanted {shown(self.wanted)}, got {shown(self.got)}"


@dataclass
class Root:
    """An answer's events, and the one to look at first: the root cause, or where there is none
    the first one in reading order."""

    answer: Answer
    event: EventAnswer | None = field(init=False)

    def __post_init__(self) -> None:
        order = self.answer.reading_order
        first = self.answer.root_cause
        first = first if first is not None else (order[0] if order else None)
        self.event = None if first is None else self.answer.events[first]

    def facts(self) -> dict[str, Any]:
        """What is known of it; all None where there is no event."""
        return facts(self.event) if self.event else dict.fromkeys(_FACTS)


_FACTS = ("message", "class", "code", "severity", "language", "outcome", "record")


def facts(each: EventAnswer) -> dict[str, Any]:
    """What cases can ask of an event."""
    event = each.event
    return {
        "message": event.message,
        "class": event.error_class,
        "code": event.code,
        "severity": event.severity,
        "language": event.language or None,
        "outcome": each.outcome.value,
        "record": first_record(each),
    }


def first_record(each: EventAnswer | None) -> str | None:
    """The message of the record that is shown first for an event."""
    return each.matches[0].record.error_message if each and each.matches else None


def load_cases(path: Path) -> list[Case]:
    """The cases of a file. Raises CaseInvalid."""
    loaded = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) or []
    cases = [_case(path, each) for each in loaded]
    ids = [case.id for case in cases]
    if repeated := sorted({each for each in ids if ids.count(each) > 1}):
        raise CaseInvalid(f"{path}: used for several cases: {', '.join(repeated)}")
    return cases


def _case(path: Path, given: Mapping[str, Any]) -> Case:
    name = given.get("id", "?")
    expect = given.get("expect") or {}
    unknown = sorted({*given} - _KEYS | {*expect} - EXPECTED)
    if unknown or not expect or given.get("data", "starter") not in ("starter", "none"):
        raise CaseInvalid(f"{path}: case {name} is not well formed: {unknown or 'expect, data'}")
    return Case(
        id=name,
        kind=given.get("kind", ""),
        paste=_joined(given["input"]),
        expect=expect,
        data=given.get("data", "starter"),
        records=tuple(given.get("records") or ()),
        control=bool(given.get("control")),
    )


def _joined(given: object) -> str:
    parts = given if isinstance(given, list) else [given]
    texts: list[str] = []
    for part in parts:
        if isinstance(part, dict):
            texts += [part["text"].replace("{n}", str(n)) for n in range(part["times"])]
        else:
            texts.append(part)
    return "".join(texts)


def answer_case(case: Case, base: KnowledgeBase | None = None) -> Answer:
    """The answer to a case's paste. `base`: loaded instead of the starter records."""
    below = (base or starter()) if case.data == "starter" else empty()
    if case.records:
        below = _with_records(below, json.dumps(case.records, sort_keys=True))
    return below.match(case.paste)


@cache
def _with_records(below: KnowledgeBase, records: str) -> KnowledgeBase:
    return KnowledgeBase(accepted(json.loads(records)), below)


def fits(wanted: object, got: str | None) -> bool:
    """Whether a text is the wanted one."""
    if wanted is None:
        return not got
    if isinstance(wanted, dict):
        inside, outside = _list(wanted.get("contains")), _list(wanted.get("not_contains"))
        if got is None:
            return not inside
        return all(part in got for part in inside) and not any(part in got for part in outside)
    return got is not None and str(wanted).strip() == got.strip()


def _list(value: object) -> list[str]:
    if value is None:
        return []
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]


def find_faults(expect: Mapping[str, Any], answer: Answer) -> list[Fault]:
    """What is not as wanted."""
    root = Root(answer)
    found = []
    for what, wanted in expect.items():
        if what in _ROOT:
            got = root.facts()[_ROOT[what]]
            good = root.event is not None and fits(wanted, got)
        else:
            good, got = _LOOKS[what](wanted, root)
        if not good:
            found.append(Fault(what, wanted, got if root.event else "(no error found)"))
    return found


Look = Callable[[Any, Root], tuple[bool, object]]


def _events(wanted: int, root: Root) -> tuple[bool, object]:
    found = len(root.answer.events)
    return found == wanted, found


def _root_is_error(wanted: bool, root: Root) -> tuple[bool, object]:
    got = root.event is not None and root.event.event.severity in ("error", "fatal")
    return got == wanted, got


def _first_record(wanted: object, root: Root) -> tuple[bool, object]:
    got = first_record(root.event)
    return fits(wanted, got), got


def _captures(wanted: Mapping[str, object], root: Root) -> tuple[bool, object]:
    matches = root.event.matches if root.event else ()
    got: dict[str, str] = {}
    for each in matches[0].captures if matches else ():
        got.setdefault(each.name, each.text)
    return all(name in got and fits(text, got[name]) for name, text in wanted.items()), got


def _of_each(name: str) -> Look:
    def look(wanted: list[object], root: Root) -> tuple[bool, object]:
        got = [facts(each)[name] for each in in_order(root.answer)]
        return len(got) == len(wanted) and all(map(fits, wanted, got)), got

    return look


def in_order(answer: Answer) -> list[EventAnswer]:
    """The events as the paste shows them."""
    return sorted(answer.events, key=lambda each: each.event.first_line)


def _fitting(wanted: Mapping[str, object], events: Iterable[EventAnswer]) -> list[EventAnswer]:
    return [
        each
        for each in events
        if all(fits(value, facts(each)[name]) for name, value in wanted.items())
    ]


def _some_event(wanted: Mapping[str, object], root: Root) -> tuple[bool, object]:
    events = root.answer.events
    got = [tuple(facts(each)[name] for name in ("class", "message", "record")) for each in events]
    return bool(_fitting(wanted, events)), got


def _no_event(wanted: Mapping[str, object], root: Root) -> tuple[bool, object]:
    bad = [facts(each)["message"] for each in _fitting(wanted, root.answer.events)]
    return not bad, bad


def _unknown_events(wanted: int, root: Root) -> tuple[bool, object]:
    got = sum(not each.matches for each in root.answer.events)
    return got == wanted, got


def _not_records(wanted: list[object], root: Root) -> tuple[bool, object]:
    shown_records = [
        match.record.error_message for each in root.answer.events for match in each.matches
    ]
    bad = [each for each in shown_records if any(fits(text, each) for text in wanted)]
    return not bad, bad


_LOOKS: dict[str, Look] = {
    "events": _events,
    "root_is_error": _root_is_error,
    "first_record": _first_record,
    "fair_records": lambda wanted, root: (True, None),
    "captures": _captures,
    "event_records": _of_each("record"),
    "event_messages": _of_each("message"),
    "some_event": _some_event,
    "no_event": _no_event,
    "unknown_events": _unknown_events,
    "not_records": _not_records,
}


def shown(value: object, size: int = 300) -> str:
    """A value on one line, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= size else text[: size - 1] + "…"
