"""Commands that need more than the base install name the extra that is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from errdex.cli.views.terminal import fail


@contextmanager
def needs_extra(extra: str, command: str) -> Iterator[None]:
    """End the command with one clear line when a package of an extra cannot be imported."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("", "errdex"):  # a fault of our own
            raise
        fail(
            f"`errdex {command}` needs the package {missing}, which is not installed: "
            f"install it with `pip install 'errdex[{extra}]'`."
        )
