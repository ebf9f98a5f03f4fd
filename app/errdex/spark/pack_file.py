"""The pack on its way to the executors, each of which gets it once and maps it into memory; its
Python workers share the pages."""

from __future__ import annotations

import shutil
import tempfile
from functools import lru_cache
from hashlib import file_digest
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import finalize

from errdex.knowledge.packed import PackedKnowledge

if TYPE_CHECKING:
    from pyspark import SparkContext

_shipped: dict[tuple[str, str], Path] = {}
"""The copies that executors fetch, by application and name."""


def ship_pack(context: SparkContext, pack: str | PathLike[str]) -> str:
    """Give a pack to each executor, once for each application. Returns the name that
    `open_shipped` takes. Raises OSError, and PackError when it is no pack that this version
    of Errdex reads."""
    path = Path(pack)
    PackedKnowledge(path)
    with path.open("rb") as file:
        name = f"errdex-{file_digest(file, 'sha256').hexdigest()[:32]}.pack"
    key = str(context.applicationId), name
    if key not in _shipped:
        # Executors fetch it when their first task begins: by then its owner may have replaced it.
        folder = Path(tempfile.mkdtemp(prefix="errdex-spark-"))
        finalize(context, shutil.rmtree, folder, ignore_errors=True)
        shutil.copyfile(path, folder / name)
        context.addFile(str(folder / name))
        _shipped[key] = folder / name
    return name


@lru_cache(maxsize=4)
def open_shipped(name: str) -> PackedKnowledge:
    """The pack of that name on this executor. A Python worker keeps it open."""
    from pyspark import SparkFiles

    return PackedKnowledge(Path(SparkFiles.get(name)))
