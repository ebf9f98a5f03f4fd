"""Fixtures for every room's tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.postgres import PostgresServer, find_server_program, start_postgres
from tests.skips import SkipCount, tools_of

ROOT = Path(__file__).parent.parent

# How long an example takes depends on the machine: no test is to fail for that.
settings.register_profile("errdex", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Where a run decides whether a commit is good, the same commit gets the same examples.
settings.register_profile("fixed", settings.get_profile("errdex"), derandomize=True)
settings.load_profile(os.environ.get("ERRDEX_TEST_EXAMPLES", "errdex"))

FOLDERS = {
    "bench": ("slow",),
    "browser": ("browser",),
    "hostile": ("slow",),
    "limits": ("slow",),
    "lsp": ("slow",),
    "mcp": ("slow",),
    "packaging": ("slow",),
    "pipelines": ("slow",),
    "reproductions": ("tools", "slow"),
    "spark": ("slow",),
}
"""The marks of every test in a folder. Other tests bear theirs themselves."""


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(SkipCount())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for mark in FOLDERS.get(item.path.parent.name, ()):
            item.add_marker(mark)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for name in tools_of(item):
        if name == "postgres" and find_server_program(name) is None and os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed, which CI must have")
        if find_server_program(name) is None:
            pytest.skip(f"{name} is not installed")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL, for tests that are marked with `tools("postgres")`."""
    server = start_postgres()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference documents beside the checkout; missing in CI is a failure, elsewhere a skip."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        reason = f"the reference documents are not there: {folder}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
