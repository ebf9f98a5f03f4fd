"""Builds the starter database into a wheel: the records of data/, their index and patterns.

The wheel is the same bytes wherever it is built from the same files with the same versions of
what it depends on; SOURCE_DATE_EPOCH, which `make wheel` sets to the time of the commit, names
the day of the dataset's version.
"""

from __future__ import annotations

import os
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StarterDatabase(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling for each wheel. An editable install gets no starter database: a
    checkout builds its own when it is needed."""

    folder: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build it into a folder that goes into the wheel as `errdex/_starter`."""
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "app"))
        from errdex.starter import build_starter

        self.folder = Path(mkdtemp(prefix="errdex-starter-"))
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        released = datetime.fromtimestamp(int(epoch), UTC) if epoch else None
        build_starter(root / "data", self.folder, released)
        build_data["force_include"][str(self.folder)] = "errdex/_starter"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove that folder."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
