"""Where the state of harvests is kept, and what is said when it cannot be."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from errdex.cli.views.terminal import err, on_one_line

if TYPE_CHECKING:
    from errdex.harvest.state import HarvestState

MOST_STATES = 50
"""States in the cache folder. Those used longest ago are removed first."""


@contextmanager
def opened_state(path: Path | None, harvest: str, *, fresh: bool) -> Iterator[HarvestState | None]:
    """The state at a path, by default one in the user's cache folder for harvests that are named
    so; without what it holds for a `fresh` one. None where it cannot be opened, which is said: a
    harvest does not depend on it."""
    if path is None:
        name = hashlib.blake2b(harvest.encode("utf-8", "surrogatepass"), digest_size=10)
        path = _folder() / f"{name.hexdigest()}.state"
    from errdex.harvest.state import HarvestState

    try:
        if path.parent == _folder():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = HarvestState(path, fresh=fresh)
    except OSError as error:
        err().print(on_one_line(f"Every file is read: {path} cannot be opened ({error.strerror})."))
        yield None
        return
    with closing(state):
        if state.note:
            err().print(on_one_line(state.note))
            state.note = ""
        yield state


def save_state(state: HarvestState) -> None:
    """Keep it for the next harvest, or say why not."""
    if state.note:
        err().print(on_one_line(state.note))
    try:
        state.save()
    except OSError as error:
        said = f"The next harvest reads every file: {state.path} cannot be written"
        err().print(on_one_line(f"{said} ({error.strerror})."))
        return
    if state.path.parent == _folder():
        with suppress(OSError):
            _drop_old_states()


def _folder() -> Path:
    return user_cache_path("errdex") / "harvest"


def _drop_old_states() -> None:
    states = sorted(_folder().glob("*.state"), key=lambda each: each.stat().st_mtime)
    for state in states[:-MOST_STATES]:
        state.unlink(missing_ok=True)
