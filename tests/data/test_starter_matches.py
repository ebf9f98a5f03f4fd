"""Whoever pastes one of a record's samples finds that record first.

What comes out wrong, and is to be put right in the ranking, stands in
`known_wrong_matches.yaml`, with what is wanted and what is found.
"""

from __future__ import annotations

import pytest
from tests.data.matched import best_of, load_known_wrong, match, told
from tests.data.starter_records import load_starter_records

pytestmark = pytest.mark.slow


def test_each_sample_finds_its_own_record_first() -> None:
    wrong = dict.fromkeys(load_known_wrong(samples=True), 0)
    problems = []
    for topic, record in load_starter_records():
        for sample in record.samples or []:
            answer = match(sample)
            found = best_of(answer)
            if found == record.error_message:
                continue
            if (record.error_message, found) in wrong:
                wrong[record.error_message, found] += 1
            else:
                problems.append(f"{topic}: {record.error_message!r}, {sample!r}:\n{told(answer)}")
    assert not problems, "\n\n".join(problems)
    assert all(wrong.values()), f"no longer wrong: {[k for k, n in wrong.items() if not n]}"
