"""The `errdex` command: wires the parts for a terminal. See app.py and commands/."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""What a shell says of a program that Ctrl-C ended."""


def main() -> None:
    """Run the command that the command line names. Ctrl-C ends it without a word, from its
    first moments on: nothing is imported before that is seen to."""
    try:
        from errdex.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
