"""What the clients of bench.load ask, and whether an answer is right.

Most records stay as they are; a small dataset beside them is replaced again and again.
Each of its records says in every field of which generation it is, so that an answer
which mixes two datasets, or two answers of one version that differ, are seen.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

LASTING = 40
"""Records of the changing dataset that every generation has."""
HEALTHY = b"".join(
    b"2026-11-29T12:00:%02d INFO server: request %d took %d ms\n" % (n % 60, n, n * 7 % 90)
    for n in range(40)
)
_GENERATION = re.compile(rb"generation[- ](\d+)")


def changing_id(number: int) -> str:
    """The id of a lasting record; made-up records elsewhere do not begin so."""
    return f"{0xFEED0000 + number:016x}"


def changing_records(generation: int) -> list[dict[str, Any]]:
    """The dataset of a generation: lasting records that tell it, and some that come and go."""
    common = {"repo": "acme/changing", "errorClass": "ChangingError"}
    tags = [f"generation-{generation}"]
    return [
        {
            **common,
            "id": changing_id(number),
            "errorMessage": f"the changing pump {number:02} lost pressure: {{pressure}}",
            "documentation": f"As told in generation {generation}.",
            "tags": tags,
        }
        for number in range(LASTING)
    ] + [
        {
            **common,
            "errorMessage": f"the changing valve {generation} {number} is stuck: {{angle}}",
            "tags": tags,
        }
        for number in range(10)
    ]


class WrongAnswer(Exception):
    """An answer that is not the right one."""


@dataclass(frozen=True)
class Question:
    """One request, and a check that raises WrongAnswer."""

    kind: str
    path: str
    check: Callable[[bytes], None]
    body: bytes | None = None


@dataclass
class Questions:
    """Makes questions about the lasting records and about the changing ones."""

    records: dict[str, dict[str, Any]]
    chance: random.Random
    versions: dict[str, bytes] = field(default_factory=dict)
    """Of which generation each dataset version was found to be."""

    def next(self) -> Question:
        """One of the kinds, the cheap ones more often, as people ask."""
        (make,) = self.chance.choices(
            (self._json, self._page, self._search, self._changing, self._changing_search,
             self._match, self._healthy),
            (25, 30, 12, 10, 8, 10, 5),
        )  # fmt: skip
        return make()

    def _json(self) -> Question:
        record_id = self.chance.choice(list(self.records))
        expected = self.records[record_id]

        def check(body: bytes) -> None:
            if orjson.loads(body)["record"] != expected:
                raise WrongAnswer(f"the record {record_id} is another")

        return Question("record JSON", f"/api/errors/{record_id}", check)

    def _page(self) -> Question:
        record_id = self.chance.choice(list(self.records))
        slug = self.records[record_id]["slug"]

        def check(body: bytes) -> None:
            if f"/api/errors/{record_id}".encode() not in body or b"</html>" not in body:
                raise WrongAnswer(f"the page of {record_id} is another, or a part")

        return Question("page", f"/errors/{record_id}/{slug}", check)

    def _search(self) -> Question:
        record_id = self.chance.choice(list(self.records))
        number = re.findall(r"\[([0-9a-f]+)\]", self.records[record_id]["errorMessage"])[-1]
        words = re.findall(r"[a-z]{4,}", self.records[record_id]["errorMessage"])[:2]

        def check(body: bytes) -> None:
            ids = [item["record"]["id"] for item in orjson.loads(body)["items"]]
            if record_id not in ids:
                raise WrongAnswer(f"a search for {words} {number} does not find {record_id}")

        return Question("search", f"/api/errors?q={'+'.join([*words, number])}", check)

    def _agrees(self, version: str, body: bytes) -> None:
        found = set(_GENERATION.findall(body))
        if len(found) != 1:
            raise WrongAnswer(f"an answer of version {version} is of generations {found}")
        (generation,) = found
        if self.versions.setdefault(version, generation) != generation:
            raise WrongAnswer(f"two answers of version {version} differ")

    def _changing(self) -> Question:
        def check(body: bytes) -> None:
            self._agrees(orjson.loads(body)["datasetVersion"], body)

        number = self.chance.randrange(LASTING)
        return Question("changing record", f"/api/errors/{changing_id(number)}", check)

    def _changing_search(self) -> Question:
        def check(body: bytes) -> None:
            answer = orjson.loads(body)
            if not answer["total"] == len(answer["items"]) == LASTING:
                raise WrongAnswer(f"a search finds {answer['total']}, not {LASTING}")
            self._agrees(answer["datasetVersion"], body)

        return Question("changing search", "/api/errors?q=pump&repo=acme/changing&limit=50", check)

    def _match(self) -> Question:
        number, pressure = self.chance.randrange(LASTING), self.chance.randrange(10**6)
        line = f"ChangingError: the changing pump {number:02} lost pressure: {pressure} Pa\n"

        def check(body: bytes) -> None:
            answer = orjson.loads(body)
            matches = [match for event in answer["events"] for match in event["matches"]]
            ids = [match["record"]["id"] for match in matches]
            if ids[:1] != [changing_id(number)]:
                raise WrongAnswer(f"a paste about pump {number} matches {ids}")
            if [each["text"] for each in matches[0]["captures"]] != [f"{pressure} Pa"]:
                raise WrongAnswer(f"captures {matches[0]['captures']}")

        return Question("match", "/api/errors/match", check, HEALTHY + line.encode())

    def _healthy(self) -> Question:
        def check(body: bytes) -> None:
            if orjson.loads(body)["found"]:
                raise WrongAnswer("a healthy log is said to hold an error")

        return Question("match, healthy", "/api/errors/match", check, HEALTHY)
