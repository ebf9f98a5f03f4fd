"""Writes and reads a record as JSON, exactly.

orjson is the fast path. It refuses integers beyond 64 bits and lone surrogates,
which JSON allows; then the standard library takes over, so that nothing a file
may hold is changed on its way through.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson


def dump_wire(body: Mapping[str, object], *, sort_keys: bool = False) -> bytes:
    """Write a wire object as compact JSON. Raises ValueError for what JSON has no form for."""
    try:
        return orjson.dumps(body, option=orjson.OPT_SORT_KEYS if sort_keys else 0)
    except orjson.JSONEncodeError:
        return _dump_exactly(body, sort_keys)


def _dump_exactly(body: Mapping[str, object], sort_keys: bool) -> bytes:
    try:
        text = json.dumps(body, sort_keys=sort_keys, separators=(",", ":"), allow_nan=False)
    except (TypeError, RecursionError) as problem:
        raise ValueError(f"not a JSON object: {problem}") from problem
    return text.encode("ascii")


def load_wire(text: str | bytes) -> dict[str, Any]:
    """Read back what `dump_wire` wrote. Raises ValueError when it is not a JSON object."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value
