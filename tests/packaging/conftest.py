from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.ports import reserved_port


@pytest.fixture
def port() -> Iterator[int]:
    """A port for a server."""
    with reserved_port() as reserved:
        yield reserved
