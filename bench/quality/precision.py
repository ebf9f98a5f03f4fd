"""What is wrongly called known with a large knowledge base: records that are harvested from
installed packages are loaded beside the starter records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bench.harvest import list_trees
from bench.quality.cases import Case, answer_case
from bench.quality.knowledge_base import KnowledgeBase, accepted, starter_records
from bench.quality.pastes import Score, Verdict, judge

from errdex.harvest.run import harvest
from errdex.harvest.sources.selection import Selection
from errdex.matching.ranking import MatchLimits

HEALTHY_SECONDS = 300


def large_base(packages: Path | None) -> KnowledgeBase:
    """The starter records, and those of the standard library, of what is installed and of the
    packages in a folder."""
    lines = harvest(list_trees(packages), Selection())
    harvested = accepted(json.loads(line) for line in lines)
    return KnowledgeBase([*harvested, *starter_records()])


def wrong_matches(base: KnowledgeBase, cases: Sequence[Case]) -> list[tuple[Score, str]]:
    """Pastes in which a record is called known that is not the wanted one, with that record."""
    found = []
    for case in cases:
        answer = answer_case(case, base)
        score = judge(case, answer)
        if score.verdict is Verdict.WRONG:
            shown = [each.matches[0].record for each in answer.events if each.matches]
            names = "; ".join(f"{each.repo}: {each.error_message[:90]}" for each in shown[:3])
            found.append((score, names))
    return found


def healthy_matches(base: KnowledgeBase, folder: Path) -> tuple[int, list[str]]:
    """Lines of healthy programs that are looked at, and what is wrongly found in them."""
    from tests.data.test_healthy_logs import PROGRAMS

    lines, wrong = 0, []
    for program in PROGRAMS:
        if not program.there:
            continue
        place = folder / program.name.replace(" ", "-")
        place.mkdir()
        said = program.lines(place)
        lines += len(said)
        answer = base.match("\n".join(said), MatchLimits(seconds=HEALTHY_SECONDS))
        wrong += [
            f"{program.name}: {each.event.message[:150]!r} -> "
            f"{each.matches[0].record.repo}: {each.matches[0].record.error_message[:100]!r}"
            for each in answer.events
            if each.matches
        ]
    return lines, wrong
