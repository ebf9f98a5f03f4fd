"""What the OpenAPI description says is what the server does, whatever is sent to it.

Requests are made from the description, right ones and wrong ones. Every answer must have
a status and a form that the description names. ERRDEX_FUZZ_EXAMPLES says how many of each
route there are (20 unless it is set).
"""

from __future__ import annotations

import os
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store
from errdex.main import create_app

load_all_checks()
EXAMPLES = int(os.environ.get("ERRDEX_FUZZ_EXAMPLES", "20"))
HELD = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
        "response_headers_conformance", "response_schema_conformance",
        "allow_header_conformance")  # fmt: skip
ROUTES = (
    "GET /api/backgrounds",
    "GET /api/causes",
    "GET /api/causes/{tag}",
    "GET /api/classes",
    "GET /api/errors",
    "GET /api/errors/{record_id}",
    "GET /api/errors/{record_id}/related",
    "GET /api/repos",
    "GET /api/repos/{owner}/{name}",
    "GET /api/stats",
    "GET /api/tags",
    "GET /healthz",
    "GET /readyz",
    "POST /api/errors/match",
)

CAN_BE_ASKED_WRONGLY = (
    "GET /api/backgrounds",
    "GET /api/causes",
    "GET /api/errors",
    "GET /api/errors/{record_id}/related",
    "GET /api/repos",
    "POST /api/errors/match",
)
"""Any path and any text is a right question elsewhere."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    folder = tmp_path_factory.mktemp("described")
    config = Settings(database_url=f"sqlite:///{folder / 'errdex.db'}")
    load(folder, *open_store(config), SHOP)
    return create_app(config)


@pytest.fixture(scope="module")
def operations(app: FastAPI) -> dict[str, Any]:
    description = schemathesis.openapi.from_asgi("/openapi.json", app)
    found = [result.ok() for result in description.get_all_operations()]
    return {f"{each.method.upper()} {each.path}": each for each in found}


def test_every_route_is_asked(operations: dict[str, Any]) -> None:
    assert sorted(operations) == sorted(ROUTES)


@pytest.mark.parametrize(
    ("route", "mode"),
    [(route, GenerationMode.POSITIVE) for route in ROUTES]
    + [(route, GenerationMode.NEGATIVE) for route in CAN_BE_ASKED_WRONGLY],
)
def test_every_answer_is_described(
    operations: dict[str, Any], route: str, mode: GenerationMode
) -> None:
    checks = [CHECKS.get_one(name) for name in HELD]

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operations[route].as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        case.call_and_validate(checks=checks)

    ask()
