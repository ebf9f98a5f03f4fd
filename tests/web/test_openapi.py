"""The OpenAPI description: each route has an example, the examples are true, and the
documentation page says the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter
from tests.web.html_page import HtmlPage, harmful

from errdex.formats.answer import PasteAnswer, to_wire
from errdex.web.api import schemas
from errdex.web.api.openapi import ProblemDocument

MODELS: dict[str, type] = {
    "/api/errors/match": PasteAnswer,
    "/api/errors/{record_id}": schemas.RecordEnvelope,
    "/api/errors": schemas.ErrorList,
    "/api/errors/{record_id}/related": schemas.RelatedList,
    "/api/repos": schemas.CountList,
    "/api/tags": schemas.CountList,
    "/api/classes": schemas.CountList,
    "/api/backgrounds": schemas.CountList,
    "/api/causes": schemas.CauseSummaries,
    "/api/causes/{tag}": schemas.CauseDocument,
    "/api/repos/{owner}/{name}": schemas.Repo,
    "/api/stats": schemas.Stats,
    "/healthz": schemas.Health,
    "/readyz": schemas.Readiness,
}


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    return client.get("/openapi.json").json()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for operation in methods.values():
            yield path, operation


def is_whole(model: type, value: dict[str, Any]) -> bool:
    """Whether the value has the model's form and leaves nothing out that may not be missing."""
    form = TypeAdapter(model)
    made = form.validate_python(value)
    if model is PasteAnswer:
        return to_wire(made) == value
    return form.dump_python(made, by_alias=True, mode="json", exclude_unset=True) == value


def example_of(document: dict[str, Any], path: str) -> dict[str, Any]:
    (operation,) = document["paths"][path].values()
    return operation["responses"]["200"]["content"]["application/json"]


def test_every_route_is_described(document) -> None:
    assert set(document["paths"]) == set(MODELS)
    for path, operation in operations(document):
        assert operation["summary"], path
        assert operation["description"], path
        for parameter in operation.get("parameters", ()):
            assert parameter["description"].endswith("."), (path, parameter["name"])
    ids = [operation["operationId"] for _, operation in operations(document)]
    assert len(set(ids)) == len(ids)


def test_every_field_of_an_answer_is_described(document) -> None:
    forms = document["components"]["schemas"]
    for name, form in forms.items():
        assert form["description"].endswith("."), name
        for key, field in form["properties"].items():
            assert field.get("description", ".").endswith("."), (name, key)
            assert "description" in field or "$ref" in field, (name, key)
    assert {tag["name"] for tag in document["tags"]} == {
        tag for _, operation in operations(document) for tag in operation["tags"]
    }


def test_every_form_of_a_body_is_described(document) -> None:
    (operation,) = document["paths"]["/api/errors/match"].values()
    for media_type, media in operation["requestBody"]["content"].items():
        assert media["schema"]["description"].endswith("."), media_type


@pytest.mark.parametrize("path", MODELS)
def test_an_example_has_the_form_of_its_answer(document, path: str) -> None:
    answer = example_of(document, path)
    schema = answer["schema"].get("anyOf", [answer["schema"]])[0]  # of a search before a match
    assert schema["$ref"] == f"#/components/schemas/{MODELS[path].__name__}"
    assert is_whole(MODELS[path], answer["example"])


def test_the_examples_of_problems_have_the_form_of_problems(document) -> None:
    for path, operation in operations(document):
        problems = {code: each for code, each in operation["responses"].items() if code != "200"}
        assert "422" in problems, path
        for code, response in problems.items():
            (media_type, media), *more = response["content"].items()
            assert (media_type, more) == ("application/problem+json", [])
            assert media["schema"] == {"$ref": "#/components/schemas/Problem"}
            example = media["example"]
            ProblemDocument.model_validate(example, extra="forbid")
            assert example["status"] == int(code)
            assert ("errors" in example) == (code == "422")


def test_everything_referred_to_is_there(document) -> None:
    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from [value["$ref"]] if "$ref" in value else []
            value = list(value.values())
        for each in value if isinstance(value, list) else ():
            yield from references(each)

    found = set(references(document))
    there = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert found <= there


@pytest.mark.parametrize("path", MODELS)
def test_an_answer_has_the_keys_of_its_example(client: TestClient, document, path: str) -> None:
    record_id = client.get("/api/errors?q=basket").json()["items"][0]["record"]["id"]
    url = path.format(record_id=record_id, owner="acme", name="shop", tag="empty-input")
    if "post" in document["paths"][path]:
        real = client.post(url, json={"text": "ShopError: Basket 7 is empty"}).json()
    else:
        params = {"q": "basket holds"} if path == "/api/errors" else None
        real = client.get(url, params=params).json()
    example = example_of(document, path)["example"]
    assert is_whole(MODELS[path], real)
    assert real.keys() == example.keys()
    if "items" in real:
        assert real["items"][0].keys() == example["items"][0].keys()


def test_a_problem_has_the_form_of_problems(client: TestClient) -> None:
    for url in ("/api/nothing", "/api/errors?limit=0", "/api/errors/x"):
        ProblemDocument.model_validate(client.get(url).json(), extra="forbid")


def test_the_documentation_page_says_what_the_document_says(client: TestClient, document) -> None:
    page = HtmlPage(client.get("/docs").text)
    assert harmful(page) == []
    sections = {each.attributes.get("id"): each for each in page.named("section")}
    for path, operation in operations(document):
        text = sections[path].text
        assert f"curl 'http://testserver{path.split('{')[0]}" in text
        assert operation["summary"] in text
        for parameter in operation.get("parameters", ()):
            # The name and where it goes are neighbouring cells.
            assert parameter["name"] + parameter["in"] in text
            assert parameter["description"].replace("`", "") in text
        for code in operation["responses"]:
            assert code == "200" or f"problem-{code}" in {each[1:] for each in page.links}
        for media_type, media in operation.get("requestBody", {}).get("content", {}).items():
            said = media["schema"]["description"].replace("`", "")
            assert media_type + said in text
    for name, form in document["components"]["schemas"].items():
        text = sections[f"form-{name}"].text
        for key, field in form["properties"].items():
            assert key in text
            assert field.get("description", "").replace("`", "").replace("\n", " ") in text
    ids = {each.attributes.get("id") for each in page.elements}
    assert {each[1:] for each in page.links if each.startswith("#")} <= ids


def test_types_are_told_in_words(client: TestClient) -> None:
    page = HtmlPage(client.get("/docs").text)
    sections = {each.attributes.get("id"): each.text for each in page.named("section")}
    assert "eventslist of ErrorEvent" in sections["form-PasteAnswer"]
    assert "nextCursorstring or null" in sections["form-ErrorList"]
    assert "extractnull or FoundExtract" in sections["form-FoundError"]
    assert "facetsobject of list of Count" in sections["form-ErrorList"]
    assert "kindline, version" in sections["form-RecordDifference"]
    assert "spanslist of list of 2 integers" in sections["form-FoundExtract"]


def test_every_problem_s_type_leads_to_its_explanation(client: TestClient) -> None:
    page = HtmlPage(client.get("/docs").text)
    ids = {each.attributes.get("id") for each in page.elements}
    for status in (404, 405, 408, 413, 414, 415, 422, 500, 503):
        assert f"problem-{status}" in ids


def test_the_examples_of_the_page_can_be_run(client: TestClient) -> None:
    page = HtmlPage(client.get("/docs").text)
    commands = [each.text for each in page.named("pre") if each.text.startswith("curl ")]
    assert len(commands) == len(MODELS)
    for command in commands:
        assert "{" not in command
        _, url, *options = command.split("'")
        if any("--data-binary" in option for option in options):
            name, value = options[1].split(": ")
            answer = client.post(url, content=b"Basket 7 is empty", headers={name: value})
            assert answer.json()["found"]
            continue
        assert client.get(url).status_code == 200
