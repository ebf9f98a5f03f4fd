"""Scores real pastes: is the error found, is it first, and is its record the right one.

The pastes under `pastes/` have the forms in which people pass errors on (headers, prefixes,
indentation, cuts, markdown, the text around), with names and numbers of their own. By the digest
of its id each is in the half that is worked with or in the half that is set aside, of which only
the figures are shown: what was fixed for the one is measured on the other.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bench.quality.cases import (
    Case,
    Fault,
    Root,
    answer_case,
    facts,
    find_faults,
    first_record,
    fits,
    load_cases,
)
from bench.quality.knowledge_base import KnowledgeBase

from errdex.matching.ranking import Answer, EventAnswer

PASTES = Path(__file__).with_name("pastes")
_ROOT = {"root_message": "message", "root_class": "class", "root_code": "code"}


class Half(StrEnum):
    """A part of the pastes."""

    WORK = "work"
    ASIDE = "aside"
    ALL = "all"


class Verdict(StrEnum):
    """What came as the record of a paste's error."""

    RIGHT = "right"
    """The right one, or none where none is right."""
    FAIR = "fair"
    """A more general one that does not mislead."""
    WRONG = "wrong"
    NONE = "none"
    """None, where there is a right one."""


@dataclass(frozen=True)
class Score:
    """How a paste was answered."""

    case: Case
    event: bool
    """The error was found."""
    first: bool
    """It is the first one that a reader sees."""
    verdict: Verdict
    faults: tuple[Fault, ...]

    @property
    def good(self) -> bool:
        return self.first and self.verdict in (Verdict.RIGHT, Verdict.FAIR) and not self.faults


def load_pastes(half: Half = Half.ALL, folder: Path = PASTES) -> list[Case]:
    """The pastes of a half, in the order of their files."""
    cases = [case for file in sorted(folder.glob("*.yaml")) for case in load_cases(file)]
    return [case for case in cases if half in (Half.ALL, half_of(case.id))]


def half_of(paste_id: str) -> Half:
    """The half that a paste belongs to, by its id alone."""
    odd = hashlib.sha256(paste_id.encode()).digest()[0] % 2
    return Half.ASIDE if odd else Half.WORK


def score_paste(case: Case, base: KnowledgeBase | None = None) -> Score:
    """Answer a paste and compare."""
    return judge(case, answer_case(case, base))


def judge(case: Case, answer: Answer) -> Score:
    """Compare an answer with what must come."""
    root = Root(answer)
    wanted = {name: case.expect[key] for key, name in _ROOT.items() if key in case.expect}
    if not wanted:  # a paste without an error
        here = [each for each in answer.events if each.event.severity != "warning"]
        found = first = not here
        event = root.event
    else:
        fitting = [each for each in answer.events if _is(each, wanted)]
        found, first = bool(fitting), root.event in fitting
        event = root.event if first or not fitting else fitting[0]
    faults = tuple(
        fault
        for fault in find_faults(case.expect, answer)
        if fault.what not in (*_ROOT, "first_record")
    )
    return Score(case, found, first, _verdict(case, event), faults)


def _is(each: EventAnswer, wanted: dict[str, object]) -> bool:
    return all(fits(value, facts(each)[name]) for name, value in wanted.items())


def _verdict(case: Case, event: EventAnswer | None) -> Verdict:
    got = first_record(event)
    wanted = case.expect.get("first_record")
    fair = case.expect.get("fair_records") or []
    if got is None:
        return Verdict.RIGHT if wanted is None else Verdict.NONE
    if wanted is not None and fits(wanted, got):
        return Verdict.RIGHT
    return Verdict.FAIR if any(fits(each, got) for each in fair) else Verdict.WRONG


HEADER = (
    f"{'pastes':<14}{'number':>7}{'event':>8}{'first':>8}{'right':>7}{'fair':>6}"
    f"{'wrong':>7}{'none':>6}{'others wrong':>14}"
)


def row(name: str, scores: Iterable[Score]) -> str:
    """The figures of some pastes; shares in percent."""
    scores = list(scores)
    count = max(1, len(scores))
    verdicts = Counter(score.verdict for score in scores)
    event = 100 * sum(score.event for score in scores) / count
    first = 100 * sum(score.first for score in scores) / count
    figures = "".join(
        f"{verdicts[verdict]:>{width}}"
        for verdict, width in zip(Verdict, (7, 6, 7, 6), strict=True)
    )
    others = sum(bool(score.faults) for score in scores)
    return f"{name:<14}{len(scores):>7}{event:>7.1f}%{first:>7.1f}%{figures}{others:>14}"


def explain(score: Score, answer: Answer) -> str:
    """A paste that was answered wrongly: what was wanted, and what came."""
    case = score.case
    lines = [f"## {case.id} ({case.kind}): event {score.event}, first {score.first}, "
             f"record {score.verdict}", "", "```", case.paste.rstrip("\n"), "```"]  # fmt: skip
    lines += ["wanted:"] + [f"  {key}: {value!r}" for key, value in case.expect.items()]
    lines.append("got:")
    root = Root(answer).event
    for each in answer.events:
        event = each.event
        mark = "*" if each is root else " "
        lines.append(
            f" {mark} line {event.first_line}-{event.last_line} {event.severity} "
            f"{event.role.value} lang={event.language!r} class={event.error_class!r} "
            f"code={event.code!r} {event.message[:300]!r}"
        )
        lines += [f"     -> {match.record.error_message!r}" for match in each.matches[:2]]
    lines += [f"  fault: {fault}" for fault in score.faults]
    return "\n".join(lines) + "\n"
