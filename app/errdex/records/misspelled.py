"""Keys of a record that look like the name of a field, misspelled.

Unknown keys are allowed and kept, so that this is a hint and never a refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from errdex.records.fields import BY_NAME, KNOWN_KEYS, OTHER_NAMES

CLOSE = 0.84
"""Of difflib's ratio: `errorMesage` has 0.96 with `errorMessage`, `notes` 0.6 with `samples`."""
_LONGEST = 40
_MOST = 100
"""Unknown keys of one record that are looked at."""


def find_misspelled(keys: Iterable[str]) -> dict[str, str]:
    """For each key that is no field's name the name that is meant, where one is close and not
    there itself."""
    given = {key for key in keys if isinstance(key, str)}
    unknown = [key for key in given if key not in KNOWN_KEYS and key not in OTHER_NAMES]
    there = {OTHER_NAMES.get(key, key) for key in given}
    absent = [
        name for name in (*KNOWN_KEYS, *OTHER_NAMES) if OTHER_NAMES.get(name, name) not in there
    ]
    found = {}
    for key in sorted(unknown)[:_MOST]:
        if snake := BY_NAME.get(key):
            meant = [snake.wire] if snake.wire in absent else []
        else:
            meant = get_close_matches(key, absent, 1, CLOSE) if len(key) <= _LONGEST else []
        if meant:
            found[key] = OTHER_NAMES.get(meant[0], meant[0])
    return found
