"""The statements that are kept compiled are those that queries.py makes."""

from __future__ import annotations

import inspect

from errdex.store.sqlite.statements import prepared
from errdex.store.sqlite.statements.prepare import compile_statements


def test_the_kept_statements_are_those_that_would_be_made() -> None:
    assert prepared.KEPT_IN.read_bytes() == compile_statements(), (
        "run python -m errdex.store.sqlite.statements.prepare"
    )


def test_each_can_be_had() -> None:
    made = [
        (name, function)
        for name, function in inspect.getmembers(prepared, inspect.isfunction)
        if function.__module__ == prepared.__name__ and not name.startswith("_")
    ]
    for name, function in made:
        choices = [{"bodies": True}, {"bodies": False}] if name == "records_by_key" else [{}]
        for choice in choices:
            assert function(**choice).sql.startswith("SELECT")
