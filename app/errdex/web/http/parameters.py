"""What is wrong with a request's parameters, in words that lead to a right one.

An unknown parameter is refused rather than ignored, and so is one that is given
twice: a misspelled or half-used filter would give wrong answers without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError


@dataclass(frozen=True, slots=True)
class Invalid:
    """One thing that is wrong with a request."""

    field: str
    reason: str
    remedy: str


def sentence(invalid: Invalid) -> str:
    """It in one sentence."""
    return f"{invalid.field}: {invalid.reason}; {invalid.remedy}."


async def refuse_repeated(request: Request) -> None:
    """A dependency of routes with parameters: each may be given once."""
    if b"&" not in request.scope["query_string"]:
        return
    given = Counter(name for name, _ in request.query_params.multi_items())
    repeated = [name for name, times in given.items() if times > 1]
    if repeated:
        raise RequestValidationError([_error("repeated", name) for name in repeated])


def refuse_parameters(request: Request) -> None:
    """For routes that take none."""
    if request.scope["query_string"]:
        given = dict.fromkeys(request.query_params)
        if given:
            raise RequestValidationError([_error("extra_forbidden", name) for name in given])


async def take_no_parameters(request: Request) -> None:
    """The same, as a dependency."""
    refuse_parameters(request)


def _error(kind: str, name: str) -> dict[str, object]:
    return {"type": kind, "loc": ("query", name), "msg": "", "ctx": {}}


def invalid_error(field: str, reason: str, remedy: str) -> dict[str, object]:
    """An entry of a RequestValidationError that is in our words already."""
    return {"type": "invalid", "loc": (field,), "msg": reason, "ctx": {"remedy": remedy}}


def describe(error: Mapping[str, Any], request: Request) -> Invalid:
    """A validation error in our words."""
    field = str(error["loc"][-1])
    kind, context = error["type"], error.get("ctx") or {}
    match kind:
        case "invalid":
            return Invalid(field, error["msg"], context["remedy"])
        case "extra_forbidden":
            known = known_parameters(request)
            return Invalid(field, "this route has no such parameter", _advise(field, known))
        case "repeated":
            return Invalid(field, "it is given more than once", "give it once")
        case "int_parsing" | "int_from_float":
            return Invalid(field, "it is not a whole number", "give one in digits, such as 20")
        case "greater_than_equal":
            return Invalid(field, "it is too small", f"give at least {context['ge']}")
        case "less_than_equal":
            return Invalid(field, "it is too large", f"give at most {context['le']}")
        case "string_too_long":
            most = context["max_length"]
            return Invalid(field, "it is too long", f"give at most {most} characters")
    reason = str(error["msg"])
    return Invalid(field, reason[:1].lower() + reason[1:], "leave it out or correct it")


def _advise(field: str, known: Sequence[str]) -> str:
    if not known:
        return "it takes none: leave it out"
    near = get_close_matches(field[:100], known, n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    return f"{meant}It takes {', '.join(known)}" if near else f"it takes {', '.join(known)}"


def known_parameters(request: Request) -> list[str]:
    """The names of the query parameters that the request's route has, as documented."""
    route = request.scope.get("route")
    path = getattr(route, "path_format", "")
    operation = request.app.openapi()["paths"].get(path, {}).get(request.method.lower(), {})
    return [each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"]
