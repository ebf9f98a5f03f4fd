"""Finding the errors in a paste.

`find_events(paste) -> Found`: the events in the order of the paste, each with its place,
frames, role and cause, and the lines that only quote source. `units(paste, found) -> Units`:
the texts to match patterns against (`Units.texts`), with `locate(unit, offset)` and
`event_of(unit)`.

A parser a module; `registry` says in which order they are asked, `finder` where. `linking`
assigns roles once all events are known.
"""

from errdex.matching.events.bare_lines import find_bare, marks_end
from errdex.matching.events.finder import EventLimits, Found, find_events
from errdex.matching.events.linking import is_symptom
from errdex.matching.events.mapped_text import Extra, Units, units
from errdex.matching.events.vague_messages import is_advice, is_outer, says_nothing

__all__ = [
    "EventLimits",
    "Extra",
    "Found",
    "Units",
    "find_bare",
    "find_events",
    "is_advice",
    "is_outer",
    "is_symptom",
    "marks_end",
    "says_nothing",
    "units",
]
