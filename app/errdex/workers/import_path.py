"""What worker processes import from.

Python looks for modules in the current folder first when it is started with `-c` or `-m`, as
multiprocessing starts its processes, and others do. The current folder may be a stranger's
checkout, with modules of its own that are named as those of the standard library.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_VARIABLE = "PYTHONSAFEPATH"


@contextmanager
def no_current_folder() -> Iterator[None]:
    """Python processes that are started within the block import nothing from the current
    folder."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
