"""The errors that AWS services declare, from the models in botocore."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import CatalogueError, Tool, ToolMessage
from errdex.harvest.catalogues.tools.programs import ask, find_program, read_file
from errdex.harvest.model import Fixed, SourceHole

_FIND = "import botocore; print(botocore.__version__); print(botocore.__path__[0])"
_MARKUP = re.compile(r"<[^>]*>")
_SHARED = 5
"""Services that declare an error of one name, from which on it is said to be of many."""


def read(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The errors of botocore in the Python at `where`, or of the python3 on PATH; `where` may be
    botocore's own folder as well."""
    if where is not None and where.is_dir():
        folder, version = where.resolve(), ""
    else:
        python = find_program("python3", where)
        try:
            version, path = ask(python, "-I", "-c", _FIND).splitlines()[:2]
        except CatalogueError as error:
            raise CatalogueError(
                f"botocore was not found ({error}) Name the Python that has it: "
                "--catalogue botocore=/path/to/python."
            ) from None
        folder = Path(path)
    if not (folder / "data").is_dir():
        raise CatalogueError(f"{folder} has no service models (no folder named data).")
    tool = Tool(name="aws", repo="boto/botocore", version=version, language=None)
    return tool, _entries(folder / "data")


def _entries(data: Path) -> Iterator[ToolMessage]:
    services: dict[str, dict[str, tuple[str, int | None]]] = {}
    for service in sorted(data.iterdir()):
        versions = sorted(service.glob("*/service-2.json*"))
        if versions:
            _add_errors(services, versions[-1])
    for code, by_service in sorted(services.items()):
        texts = dict.fromkeys(text for text, _ in by_service.values() if text)
        names = ", ".join(sorted(by_service)[:_SHARED])
        of = f"Declared by {names}" + (" and others." if len(by_service) > _SHARED else ".")
        yield ToolMessage(
            message="",
            parts=(
                Fixed(f"An error occurred ({code}) when calling the "),
                SourceHole("operation"),
                Fixed(" operation"),
            ),
            code=code,
            http_status=next((status for _, status in by_service.values() if status), None),
            title=f"AWS: {code}",
            documentation="\n\n".join([*list(texts)[:3], of]),
        )


def _add_errors(services: dict[str, dict[str, tuple[str, int | None]]], model_file: Path) -> None:
    content = read_file(model_file)
    model = json.loads(gzip.decompress(content) if model_file.suffix == ".gz" else content)
    name = model["metadata"].get("serviceId") or model["metadata"]["endpointPrefix"]
    for shape_name, shape in model["shapes"].items():
        if shape.get("exception"):
            error = shape.get("error", {})
            code = str(error.get("code") or shape_name)
            status = error.get("httpStatusCode")
            text = " ".join(unescape(_MARKUP.sub(" ", shape.get("documentation", ""))).split())
            services.setdefault(code, {})[name] = (text, status if status and status > 99 else None)
