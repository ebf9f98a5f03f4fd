"""The places of a record: where a program says one and the same message.

A record has the first place in its own fields, and the others in `places`. A place has what
differs from place to place; the rest of the record holds for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

PLACE_KEYS = (
    *("filePath", "lineNumber", "function", "raisedWhen", "sourceCode", "sourceCodeStart"),
    *("sourceCodeEnd", "githubUrl", "documentation"),
)
"""What a place has; the type `Place` says more."""
_REPLACED = tuple(key for key in PLACE_KEYS if key != "documentation")


class PlaceFacts(NamedTuple):
    """What ranking asks of a place; the names are those of the record."""

    file_path: str
    line_number: int | None
    function: str | None


def list_places(body: Mapping[str, Any]) -> list[PlaceFacts]:
    """The places of a record's wire object besides the first."""
    return [
        PlaceFacts(each["filePath"], each.get("lineNumber"), each.get("function"))
        for each in _places(body)
    ]


def count_places(body: Mapping[str, Any]) -> int:
    """How many places a record's wire object has besides the first, listed or not."""
    left_out = body.get("placesLeftOut")
    return len(_places(body)) + (left_out if isinstance(left_out, int) else 0)


def at_place(body: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """A record's wire object as if one of its places were the only one: 0 is its own, 1 the first
    in `places`."""
    alone = {key: value for key, value in body.items() if key not in ("places", "placesLeftOut")}
    if number == 0:
        return alone
    place = _places(body)[number - 1]
    return {
        **{key: value for key, value in alone.items() if key not in _REPLACED},
        **{key: place[key] for key in PLACE_KEYS if key in place},
    }


def _places(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The places; none where an earlier version took the key for one that it did not know."""
    places = body.get("places")
    return [
        each
        for each in (places if isinstance(places, list) else ())
        if isinstance(each, dict) and isinstance(each.get("filePath"), str)
    ]
