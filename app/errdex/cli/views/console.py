"""A rich console for untrusted text: no markup, no emoji, no highlighting."""

from __future__ import annotations

from rich.console import Console


class BareConsole(Console):
    """Shows text as it is."""

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = False) -> None:
        super().__init__(
            stderr=stderr, highlight=False, emoji=False, markup=False, soft_wrap=soft_wrap
        )

    def on_broken_pipe(self) -> None:
        """Leave it to plain_output_errors: rich would exit with another code."""
        raise BrokenPipeError
