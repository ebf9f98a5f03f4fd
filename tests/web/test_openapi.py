"""The OpenAPI description: each route has an example, and the examples are true."""

from __future__ import annotations

from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from app.web import schemas
from app.web.examples import EXAMPLES

MODELS = {
    "record": schemas.RecordEnvelope,
    "errors": schemas.ErrorList,
    "related": schemas.RelatedList,
    "repo": schemas.CountList,
    "tag": schemas.CountList,
    "class": schemas.CountList,
    "background": schemas.CountList,
    "one_repo": schemas.Repo,
    "stats": schemas.Stats,
    "health": schemas.Health,
    "ready": schemas.Health,
}


def test_every_route_has_an_example_and_its_problems(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert len(paths) >= 11
    for path, methods in paths.items():
        for operation in methods.values():
            responses = operation["responses"]
            assert responses["200"]["content"]["application/json"]["example"], path
            assert "application/problem+json" in responses["422"]["content"], path
            assert operation["summary"], path
            assert operation["description"], path


def test_each_example_has_the_form_of_its_answer() -> None:
    assert set(EXAMPLES) == set(MODELS)
    for name, model in MODELS.items():
        value = TypeAdapter(model).validate_python(EXAMPLES[name])
        assert value.model_dump(by_alias=True, mode="json").keys() == EXAMPLES[name].keys()


def test_the_examples_name_what_answers_name(client: TestClient) -> None:
    real = client.get("/api/errors?limit=1&q=basket").json()
    assert real.keys() == EXAMPLES["errors"].keys()
    example_item = EXAMPLES["errors"]["items"][0]
    assert real["items"][0]["record"].keys() == example_item["record"].keys()
