"""Lines that belong to an error of a tool without being its message: `npm ERR! code ENOENT`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from errdex import lazy_re as re
from errdex.matching.events import is_symptom
from errdex.matching.model import Event
from errdex.matching.reading import Paste

_MARK = re.compile(r"(?:[\w-]{1,20} (?:ERR!|error) ){1,3}")
"""What tools that pass on others' errors put before each line."""


class ToolSpans:
    """The stretches of a paste that tools' errors take, and Node.js', which has properties below
    its frames. Other stacks are left out: what stands between their lines may be another
    writer's."""

    def __init__(self, paste: Paste, events: Sequence[Event]) -> None:
        self._paste = paste
        self._spans = sorted(
            (event.first_line, event.last_line, index)
            for index, event in enumerate(events)
            if event.last_line > event.first_line
            and (event.language.startswith("tool:") or event.language in ("c", "node"))
        )
        self._writers = [event.writer for event in events]

    def owner(self, line: int) -> int | None:
        """The event in whose stretch a logical line stands, if any."""
        number = self._paste.numbers[line]
        at = bisect_right(self._spans, (number, float("inf"), 0)) - 1
        if at < 0:
            return None
        _, last, event = self._spans[at]
        same_writer = self._paste.writers.get(line, "") == self._writers[event]
        return event if number <= last and same_writer else None


def is_bare_symptom(line: str) -> bool:
    """Whether a line of a tool's error says only that something failed: `npm ERR! command
    failed`."""
    mark = _MARK.match(line)
    return is_symptom(None, line[mark.end() if mark else 0 :].strip())
