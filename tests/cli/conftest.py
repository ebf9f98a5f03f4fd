from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.cli.forked import ForkedCommand


@pytest.fixture(scope="session")
def forked() -> Iterator[ForkedCommand]:
    with closing(ForkedCommand()) as command:
        yield command
