"""The OpenAPI description: FastAPI's, with complete examples and the schema of problems.

FastAPI drops nulls from examples, so that they no longer match the schema. Therefore routes name
their example (see examples.py), and it is inserted here.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

from errdex.formats.answer import read_answer
from errdex.formats.options import WriteOptions
from errdex.formats.table import FORMATS
from errdex.records.fields import BY_WIRE
from errdex.web.api.examples import EXAMPLES, problems

TAGS = {
    "errors": "Known errors: one record, lists, search, and the errors in a log.",
    "lists": "Contents of the knowledge base.",
    "operation": "For operators.",
}
ANYWHERE = (414, 429)
"""Statuses that any route may return, before it is called."""


class InvalidParameter(BaseModel):
    """One problem of a request."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    field: str
    """The parameter, or `body`."""
    reason: str
    """Why it is invalid."""
    remedy: str
    """How to correct it."""


class ProblemDocument(BaseModel):
    """The body of every error response: a problem document (RFC 9457)."""

    model_config = ConfigDict(title="Problem", use_attribute_docstrings=True)

    type: str = Field(description="An address that explains this kind of error.")
    title: str
    """The name of the status."""
    status: int
    """The HTTP status."""
    detail: str = Field(description="What is wrong and what to do about it.")
    instance: str = Field(description="The path of the request.")
    requestId: str = Field(description="The id under which a fault is logged.")  # noqa: N815 (as in JSON)
    errors: list[InvalidParameter] | None = Field(
        default=None, description="For a 422: each problem of the request."
    )


_DOCUMENTS = (
    {
        "title": "rdjson",
        "description": "With `format=rdjson`: reviewdog's diagnostics.",
        "type": "object",
        "required": ["source", "diagnostics"],
    },
    {
        "title": "slack",
        "description": "With `format=slack`: a message of Slack's Block Kit.",
        "type": "object",
        "required": ["blocks"],
    },
    {
        "title": "gitlab",
        "description": "With `format=gitlab`: a code quality report of GitLab.",
        "type": "array",
        "items": {"type": "object"},
    },
)
"""Formats that are JSON as well, which only `format` selects."""


def _describe_documents(paths: dict[str, Any]) -> None:
    """What else a paste is answered with: an example of each type, and all that is JSON."""
    matched = paths["/api/errors/match"]["post"]["responses"]["200"]["content"]
    json = matched["application/json"]
    json["schema"] = {"anyOf": [json["schema"], *_DOCUMENTS]}
    answer, options = read_answer(EXAMPLES["match"]), WriteOptions(site="https://errdex.example")
    for form in FORMATS.values():
        if "example" not in matched[form.kind]:
            matched[form.kind]["example"] = form.write(answer, options).decode()


def _describe_line(paths: dict[str, Any]) -> None:
    """With `line`, the search answers as the route that matches a log does."""
    listed = paths["/api/errors"]["get"]["responses"]["200"]["content"]
    matched = paths["/api/errors/match"]["post"]["responses"]["200"]["content"]
    either = [each["application/json"]["schema"] for each in (listed, matched)]
    listed |= {kind: each for kind, each in matched.items() if kind not in listed}
    listed["application/json"]["schema"] = {"anyOf": either}


class DescribedApi(FastAPI):
    """FastAPI with that description."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        document = super().openapi()
        document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
        schemas = document["components"]["schemas"]
        if "Problem" not in schemas:
            problem = ProblemDocument.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas |= problem.pop("$defs")
            schemas["Problem"] = problem
            for key, described in schemas["NamedRecord"]["properties"].items():
                if key in BY_WIRE:
                    described.setdefault("description", BY_WIRE[key].about)
            for path in document["paths"].values():
                for operation in path.values():
                    content = operation["responses"]["200"]["content"]["application/json"]
                    content["example"] = EXAMPLES[content["example"]]
                    operation["responses"] |= {
                        str(code): each for code, each in problems(*ANYWHERE).items()
                    }
            _describe_documents(document["paths"])
            _describe_line(document["paths"])
        return document
