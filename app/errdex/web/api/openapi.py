"""The OpenAPI description: FastAPI's, with examples that are whole and the form of problems.

FastAPI leaves nulls out of examples, which are then no longer examples of an answer.
So routes name theirs (see examples.py), and they are put in here.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

from errdex.records.fields import BY_WIRE
from errdex.web.api.examples import EXAMPLES, problems

TAGS = {
    "errors": "Known errors: one, a list, a search, and those that are in a log.",
    "lists": "What the knowledge base holds.",
    "operation": "For those who run it.",
}
ANYWHERE = (414, 429)
"""What any route may answer, before it is even asked."""


class InvalidParameter(BaseModel):
    """One thing that is wrong with a request."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    field: str
    """The parameter, or `body`."""
    reason: str
    """What is wrong with it."""
    remedy: str
    """What to give instead."""


class Problem(BaseModel):
    """Every error: a problem document of RFC 9457."""

    model_config = ConfigDict(title="Problem", use_attribute_docstrings=True)

    type: str = Field(description="Where this kind of error is explained.")
    title: str
    """The name of the status."""
    status: int
    """The status, as in the answer itself."""
    detail: str = Field(description="What is wrong, and what to do about it.")
    instance: str = Field(description="The path that was asked for.")
    requestId: str = Field(description="Under which a fault is logged.")  # noqa: N815 (as in JSON)
    errors: list[InvalidParameter] | None = Field(
        default=None, description="Of a 422: each thing that is wrong with the request."
    )


class DescribedApi(FastAPI):
    """FastAPI with that description."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        document = super().openapi()
        document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
        schemas = document["components"]["schemas"]
        if "Problem" not in schemas:
            problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
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
        return document
