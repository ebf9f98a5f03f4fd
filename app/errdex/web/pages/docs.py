"""`/docs`: the API's description as a page, built from the OpenAPI document. It needs no other
host and always agrees with the routes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Request, Response

from errdex import lazy_re as re
from errdex.knowledge import Knowledge
from errdex.web.http.cache_headers import check_freshness
from errdex.web.http.dependencies import KnowledgeBase
from errdex.web.http.site import Origin
from errdex.web.http.statuses import name_of
from errdex.web.pages.contexts import (
    DocsBody,
    DocsField,
    DocsForm,
    DocsPage,
    DocsParameter,
    DocsRoute,
)
from errdex.web.pages.manual import list_chapters
from errdex.web.pages.rendering.templating import render

router = APIRouter(include_in_schema=False)

STATUSES: Mapping[int, str] = {
    400: "The request is not valid HTTP, does not have exactly one Host header, or cannot be "
    "answered; `detail` says why.",
    404: "No such record, value or address.",
    405: "The address does not accept this method; Allow lists the methods that it accepts.",
    406: "Accept allows no format that the server can write; `detail` lists the formats.",
    408: "The request did not arrive in time.",
    413: "The request is larger than the server accepts.",
    414: "The address is longer than the server accepts.",
    415: "The server does not accept this type or compression of the body; `detail`, Accept-Post "
    "and Accept-Encoding list those that it accepts.",
    417: "The only expectation that the server supports is 100-continue.",
    422: "A parameter is wrong or unknown; `errors` lists each with the reason and a remedy.",
    429: "Too many requests from your address: try again after Retry-After.",
    431: "The headers are longer than the server accepts.",
    500: "A fault in the server; the request id leads to it in the server's log.",
    501: "CONNECT is not supported, nor is a Transfer-Encoding other than chunked.",
    503: "The database is busy, the index is being built, or too many pastes are being matched: "
    "try again after Retry-After.",
    505: "The server supports HTTP/1.1 and HTTP/1.0.",
}
_POSTED = "/api/errors/match"
_WORD = re.compile(r"[A-Za-z]{4,40}")


@router.get("/docs", dependencies=[Depends(check_freshness)])
def show_docs(request: Request, knowledge: KnowledgeBase, base: Origin) -> Response:
    """Every route with its parameters, an example, and code that calls it. The code asks for
    what this server has."""
    description = request.app.openapi()
    examples = _examples(knowledge)
    return render(
        DocsPage(
            title="The API",
            section="docs",
            site=base,
            path="/docs",
            json_url="/openapi.json",
            description="The routes of Errdex's JSON API, with examples.",
            routes=list(_routes(description, base, examples)),
            forms=[_form(*each) for each in description["components"]["schemas"].items()],
            manual=list_chapters(),
            statuses=[(code, name_of(code), text) for code, text in STATUSES.items()],
        )
    )


def _examples(knowledge: Knowledge) -> dict[str, str]:
    """A value for each parameter of a path, from a record; of a server without records, values
    that the server does not have."""
    examples = {
        "record_id": "25809e6e098d2d61",
        "owner": "acme",
        "name": "billing",
        "tag": "closed-period",
        "q": "closed",
    }
    records = knowledge.list_records(limit=1).items
    if records:
        owner, _, name = records[0].repo.partition("/")
        examples |= {"record_id": records[0].id, "owner": owner, "name": name}
        if word := _WORD.search(records[0].heading):
            examples["q"] = word.group().lower()
    if causes := knowledge.list_causes(limit=1).items:
        examples["tag"] = causes[0].tag
    return {name: quote(value, safe="") for name, value in examples.items()}


def _routes(
    description: Mapping[str, Any], base: str, examples: Mapping[str, str]
) -> Iterator[DocsRoute]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            content = operation["responses"]["200"]["content"]["application/json"]
            parameters = [_parameter(each) for each in operation.get("parameters", ())]
            yield DocsRoute(
                method=method.upper(),
                path=path,
                summary=operation["summary"],
                description=operation["description"],
                parameters=parameters,
                bodies=[
                    _body(*each)
                    for each in operation.get("requestBody", {}).get("content", {}).items()
                ],
                form=_name(content["schema"]),
                example=json.dumps(content["example"], indent=2, ensure_ascii=False),
                snippets=_snippets(path, f"{base}{_filled(path, parameters, examples)}"),
                problems=sorted(code for code in operation["responses"] if code != "200"),
            )


def _parameter(parameter: Mapping[str, Any]) -> DocsParameter:
    schema = parameter["schema"]
    kinds = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    kind = kinds[0]
    form = [str(kind.get("type", "string"))]
    if "minimum" in kind:
        form.append(f"{kind['minimum']} to {kind['maximum']}")
    if "maxLength" in kind:
        form.append(f"up to {kind['maxLength']:,} characters")
    if schema.get("default") not in (None, ""):
        form.append(f"{schema['default']} by default")
    return DocsParameter(
        name=parameter["name"],
        place=parameter["in"],
        description=parameter.get("description") or schema.get("description") or "",
        form=", ".join(form),
    )


def _body(media_type: str, media: Mapping[str, Any]) -> DocsBody:
    examples = [each["value"] for each in media.get("examples", {}).values()]
    given = [media["example"]] if "example" in media else examples
    texts = (
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in given
    )
    return DocsBody(
        media_type=media_type,
        description=media["schema"]["description"],
        example="\n".join(texts) if media_type != "multipart/form-data" else "",
    )


def _form(name: str, schema: Mapping[str, Any]) -> DocsForm:
    return DocsForm(
        name=name,
        description=schema["description"],
        fields=[_field(*each) for each in schema.get("properties", {}).items()],
    )


def _field(name: str, schema: Mapping[str, Any]) -> DocsField:
    kinds = schema.get("anyOf", [schema])
    return DocsField(
        name=name,
        form=" or ".join(_kind(each) for each in sorted(kinds, key=lambda each: "$ref" in each)),
        refers_to=next(filter(None, map(_name, kinds)), ""),
        description=schema.get("description", ""),
    )


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "prefixItems" in schema:
        of = schema["prefixItems"]
        return f"list of {len(of)} {_kind(of[0])}s"
    if "items" in schema:
        return f"list of {_kind(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_kind(schema['additionalProperties'])}"
    return str(schema.get("type", "" if "$ref" in schema else "any"))


def _name(schema: Mapping[str, Any]) -> str:
    """The type that the schema or its items refer to; empty for none."""
    if "anyOf" in schema:
        return next(filter(None, map(_name, schema["anyOf"])), "")
    inner = schema.get("items") or schema.get("additionalProperties")
    if "$ref" not in schema and isinstance(inner, dict):
        return _name(inner)
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _filled(path: str, parameters: list[DocsParameter], examples: Mapping[str, str]) -> str:
    for name, value in examples.items():
        path = path.replace(f"{{{name}}}", value)
    query = {each.name: examples[each.name] for each in parameters if each.name == "q"}
    return f"{path}?{urlencode(query)}" if query else path


def _snippets(path: str, url: str) -> list[tuple[str, str, str]]:
    """Code that calls an address: what it is written in, its language, and the code. The address
    has neither quotes nor backslashes."""
    if path == _POSTED:
        return [
            (
                "curl",
                "bash",
                f"curl '{url}' -H 'Content-Type: text/plain' --data-binary @build.log",
            ),
            ("Python", "python", _PYTHON_POST.replace("URL", url)),
            ("JavaScript", "javascript", _JAVASCRIPT_POST.replace("URL", url)),
        ]
    return [
        ("curl", "bash", f"curl '{url}'"),
        ("Python", "python", _PYTHON.replace("URL", url)),
        ("JavaScript", "javascript", _JAVASCRIPT.replace("URL", url)),
    ]


_PYTHON = """import json
from urllib.request import urlopen

with urlopen("URL") as response:
    print(json.load(response))
"""
_PYTHON_POST = """import json
from urllib.request import Request, urlopen

with open("build.log", "rb") as log:
    request = Request("URL", data=log.read(), headers={"Content-Type": "text/plain"})
with urlopen(request) as response:
    print(json.load(response))
"""
_JAVASCRIPT = """const response = await fetch("URL");
console.log(await response.json());
"""
_JAVASCRIPT_POST = """import { readFile } from "node:fs/promises";

const response = await fetch("URL", {
  method: "POST",
  headers: { "Content-Type": "text/plain" },
  body: await readFile("build.log"),
});
console.log(await response.json());
"""
