"""What was harvested is found again when it is raised: random records, their holes filled."""

from __future__ import annotations

import random

import pytest
from bench.harvest import is_first
from bench.raised import printed_error
from tests.harvest.conftest import Harvested

from errdex.records.error_types import APART

RAISED = 1_000


@pytest.mark.slow
@pytest.mark.timeout(1800)  # all packages are harvested before
@pytest.mark.parametrize(("frames", "least"), [(True, 0.99), (False, 0.90)])
def test_a_random_thousand_is_found_again(harvested: Harvested, frames: bool, least: float) -> None:
    chance = random.Random(1129)
    wrong: list[str] = []
    records = harvested.records
    if not frames:  # without them, what is kept apart is no answer
        records = [each for each in records if each.get("errorType") not in APART]
    for record in chance.sample(records, RAISED):
        printed = printed_error(record, chance, frames=frames)
        answer = harvested.knowledge.match(printed).answer
        if not is_first(record["id"], answer.events):
            best = [match.record for event in answer.events for match in event.matches[:1]]
            wrong.append(
                f"{record['filePath']}:{record['lineNumber']} {record['errorMessage'][:200]!r}\n"
                f"{printed[-400:]}\n{[f'{each.file_path}:{each.line_number}' for each in best]}"
            )

    assert len(wrong) <= (1 - least) * RAISED, "\n\n".join(wrong)
