"""A user's home folder with a small knowledge base in it, for tests of the command."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cli.forked import ForkedCommand
from tests.knowledge_base import SHOP


def load_shop(
    forked: ForkedCommand, home: Path, records: Sequence[Any] = SHOP, **more: str
) -> dict[str, str]:
    """Ingest the records, all of which must be good. Returns the environment of a user who has
    nothing but this home folder, and `more`."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ERRDEX_DATABASE_URL": f"sqlite:///{home}/errdex.db",
        "LC_ALL": "C.UTF-8",
    } | more
    words = ("ingest", "-", "--dataset", "shop")
    done = forked.run(words, input=json.dumps(records), text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return environment
