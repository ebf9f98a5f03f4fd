"""The OpenAPI description: FastAPI's, with examples that are whole and the form of problems.

FastAPI leaves nulls out of examples, which are then no longer examples of an answer.
So routes name theirs (see examples.py), and they are put in here.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

from app.web.examples import EXAMPLES, problems

ANYWHERE = (414, 429)
"""What any route may answer, before it is even asked."""


class InvalidParameter(BaseModel):
    """One thing that is wrong with a request."""

    field: str
    reason: str
    remedy: str


class Problem(BaseModel):
    """Every error: a problem document of RFC 9457."""

    model_config = ConfigDict(title="Problem")

    type: str = Field(description="Where this kind of error is explained.")
    title: str
    status: int
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
        schemas = document["components"]["schemas"]
        if "Problem" not in schemas:
            problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas |= problem.pop("$defs")
            schemas["Problem"] = problem
            for path in document["paths"].values():
                for operation in path.values():
                    content = operation["responses"]["200"]["content"]["application/json"]
                    content["example"] = EXAMPLES[content["example"]]
                    operation["responses"] |= problems(*ANYWHERE)
        return document
