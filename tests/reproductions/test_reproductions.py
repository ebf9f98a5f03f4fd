"""The real tool prints the error, and the matcher puts the right record first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.data.matched import best_of, load_known_wrong, match, told
from tests.data.starter_records import compiled, load_starter_records
from tests.reproductions import services
from tests.reproductions.running import (
    Reproduction,
    ToolMissing,
    load_reproductions,
    run_reproduction,
)

from errdex.records.model import Record

CASES = load_reproductions()
KNOWN_WRONG = load_known_wrong(samples=False)


@pytest.fixture(scope="session")
def running_services() -> Iterator[dict[str, services.Service | ToolMissing]]:
    """The servers started so far; all are stopped at the end."""
    running: dict[str, services.Service | ToolMissing] = {}
    yield running
    for service in running.values():
        if isinstance(service, services.Service):
            service.stop()


def _service_env(
    name: str, running: dict[str, services.Service | ToolMissing]
) -> Mapping[str, str]:
    if not name:
        return {}
    if name not in running:
        try:
            running[name] = services.start(name)
        except ToolMissing as missing:
            running[name] = missing
    service = running[name]
    if isinstance(service, ToolMissing):
        raise service
    return service.env


def _find_record(case: Reproduction) -> Record:
    found = [
        record
        for topic, record in load_starter_records()
        if topic == case.topic and record.error_message == case.record
    ]
    assert len(found) == 1, f"{case.topic} has {len(found)} records {case.record!r}"
    return found[0]


def _name(case: Reproduction) -> str:
    return f"{case.topic}-{_find_record(case).slug}"


def test_the_records_say_which_of_them_are_reproduced() -> None:
    reproduced = {(case.topic, case.record) for case in CASES}
    said = {
        (topic, record.error_message)
        for topic, record in load_starter_records()
        if record.verified_with
    }
    assert said == reproduced


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_the_real_error_is_recognised(
    case: Reproduction,
    tmp_path: Path,
    running_services: dict[str, services.Service | ToolMissing],
) -> None:
    record = _find_record(case)
    try:
        output = run_reproduction(case, tmp_path, _service_env(case.service, running_services))
    except ToolMissing as missing:
        pytest.skip(f"missing here: {missing}")
    assert compiled(record.pattern).search(output), f"{record.pattern} not in:\n{output}"
    answer = match(output)
    found = best_of(answer)
    if (record.error_message, found) not in KNOWN_WRONG:
        assert found == record.error_message, f"{told(answer)}\n\nof:\n{output}"
