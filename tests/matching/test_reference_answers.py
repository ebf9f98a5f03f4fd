"""The reference documents' own errors, as a server prints them, find their records."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.ranking import Answer, Matcher, RecordFacts
from errdex.records.validation import parse_record

PREFIXES = (
    "",
    "(EngineCore_0 pid=4711) ",
    "[rank3]: ",
    "2026-11-29T12:00:01.123456Z ",
    "api-1  | [2026-11-29 12:00:01 TP0] ",
)
PAGE = "000_a1f9e0de342224c6"
FILLINGS = {"{cfg.speculative_eagle_topk!r}": "4"}


def page_record(text: str) -> dict[str, Any]:
    """The record that the page of the first document shows."""
    message = text.split("Error message\n\n", 1)[1].split("\n\n", 1)[0]
    place = re.search(r"Thrown at (\S+):(\d+)", text)
    assert place is not None
    source = text.split(place.group(), 1)[1].split("View on GitHub", 1)[0].strip("\n")
    repo, _, error_class = text.splitlines()[0].split(" · ")
    return {
        "id": PAGE.split("_")[1],
        "repo": repo,
        "errorMessage": message,
        "errorClass": error_class,
        "filePath": place.group(1),
        "lineNumber": int(place.group(2)),
        "sourceCode": source,
    }


@pytest.fixture(scope="module")
def documents(shared: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for path in sorted((shared / "seeds").glob("0*.txt")):
        text = path.read_text(encoding="utf-8")
        value = page_record(text) if path.stem == PAGE else json.loads(text)["record"]
        found[value["id"]] = value
    assert len(found) == 3
    return found


@pytest.fixture(scope="module")
def facts(documents: dict[str, dict[str, Any]]) -> dict[str, RecordFacts]:
    made = {}
    for value in documents.values():
        record = parse_record(value)
        made[record.id] = RecordFacts(
            record.id,
            record.repo,
            record.error_message,
            record.pattern,
            record.error_class,
            file_path=record.file_path,
            line_number=record.line_number,
        )
    return made


def answer(facts: dict[str, RecordFacts], paste: str) -> Answer:
    matcher = Matcher(PatternSet.compile((key, each.pattern) for key, each in facts.items()))
    return matcher.match(paste, lambda ids: {key: facts[key] for key in ids})


def traceback_of(value: dict[str, Any], *, frames: bool, prefix: str) -> str:
    message = value["errorMessage"]
    for hole, filling in FILLINGS.items():
        message = message.replace(hole, filling)
    lines = ["Traceback (most recent call last):"]
    if frames:
        place = f'"/sgl-workspace/sglang/{value["filePath"]}", line {value["lineNumber"]}'
        lines += [
            '  File "/opt/venv/lib/python3.12/site-packages/sglang/a.py", line 51, in <module>',
            "    run_server(server_args)",
            f"  File {place}, in check",
            "    raise ValueError(",
        ]
    lines.append(f"ValueError: {message}")
    return "".join(f"{prefix}{line}\n" for line in lines)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("frames", [True, False])
def test_each_document_is_found_first_and_alone(
    documents: dict[str, dict[str, Any]], facts: dict[str, RecordFacts], frames: bool, prefix: str
) -> None:
    for value in documents.values():
        found = answer(facts, traceback_of(value, frames=frames, prefix=prefix))
        assert found.root_cause is not None
        matches = found.events[found.root_cause].matches
        assert [match.record.id for match in matches] == [value["id"]]


def test_a_hole_is_captured_under_its_own_name(
    documents: dict[str, dict[str, Any]], facts: dict[str, RecordFacts]
) -> None:
    value = next(each for each in documents.values() if "{" in each["errorMessage"])
    found = answer(facts, traceback_of(value, frames=True, prefix=PREFIXES[1]))
    assert found.root_cause is not None
    (match,) = found.events[found.root_cause].matches
    assert [(each.name, each.text) for each in match.captures] == [
        ("cfg.speculative_eagle_topk", "4")
    ]


def test_an_excerpt_that_quotes_the_messages_matches_nothing(
    documents: dict[str, dict[str, Any]], facts: dict[str, RecordFacts]
) -> None:
    for value in documents.values():
        assert not answer(facts, value["sourceCode"]).found
        joined = re.sub(r'"\n\s+f?"', "", value["sourceCode"])
        assert joined != value["sourceCode"]
        assert not answer(facts, joined).found
