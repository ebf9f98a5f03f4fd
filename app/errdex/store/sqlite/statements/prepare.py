"""Compiles the prepared statements: `python -m errdex.store.sqlite.statements.prepare`."""

from __future__ import annotations

from dataclasses import asdict

import orjson

from errdex.store.sqlite.statements import queries
from errdex.store.sqlite.statements.prepared import KEPT_IN


def compile_statements() -> bytes:
    """The statements, as the file is to hold them."""
    made = {
        "version": queries.version(),
        "record": queries.record(),
        "records_by_key": queries.records_by_key(bodies=True),
        "summaries_by_key": queries.records_by_key(bodies=False),
        "bodies_of": queries.bodies_of(),
        "patterns": queries.patterns(),
        "patterns_since": queries.patterns_since(),
        "pattern_state": queries.pattern_state(),
        "every_count": queries.every_count(),
        "most_counted": queries.kept_counts(after=False),
    }
    statements = {name: asdict(query) for name, query in made.items()}
    return orjson.dumps(statements, option=orjson.OPT_INDENT_2) + b"\n"


if __name__ == "__main__":
    KEPT_IN.write_bytes(compile_statements())
