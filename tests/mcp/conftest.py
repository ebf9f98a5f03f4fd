from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.knowledge_base import SHOP
from tests.serving import served

OpenClient = Callable[..., Client]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """A server of the small knowledge base."""
    with served(folder, SHOP) as address:
        yield address


@pytest.fixture(params=["stdio", "http", "server"])
def open_client(request: pytest.FixtureRequest, folder: Path, address: str) -> OpenClient:
    """Makes a client of either transport, or of a command that asks a server."""

    def by_http(**options: Any) -> Client:
        return Client(f"{address}/mcp", **options)

    def by_stdio(**options: Any) -> Client:
        asked = {
            "stdio": ["--database", f"sqlite:///{folder / 'errdex.db'}"],
            "server": ["--server", address],
        }
        return Client(stdio_client(command(*asked[request.param])), **options)

    return by_http if request.param == "http" else by_stdio


def command(*options: str) -> StdioServerParameters:
    """`errdex mcp` with options."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-c", "from errdex.cli import main; main()", "mcp", *options],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2] / "app")},
    )
