"""Fixtures for every room's tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


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
