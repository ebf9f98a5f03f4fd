"""Every input that ever broke a promise, and made-up ones, keep it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.hostile.targets import TARGETS

CASES = Path(__file__).parents[1] / "cases" / "hostile"
KEPT = sorted(path for path in CASES.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_once_is_kept(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.one_of(st.binary(max_size=400), st.text(max_size=300).map(
    lambda text: text.encode(errors="surrogatepass")
)))  # fmt: skip
def test_any_bytes(target: str, data: bytes) -> None:
    TARGETS[target](data)


RECORD = '{"repo": "a/b", "errorMessage": "it broke: {x}"}'


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"repo": "a/b", "errorMessage": "x", "more": ' + "[" * 5000 + "]" * 5000 + "}",
        "- " * 20_000,
        "a: &a [*a, *a]\n",
        "a: &a\n  - x\n" + "".join(
            f"b{n}: &b{n} [{', '.join([f'*b{n - 1}' if n else '*a'] * 9)}]\n" for n in range(12)
        ),
        "!!python/object/apply:os.system [id]\n",
        "- !!binary aGVsbG8=\n",
        "repo: a/b\nerrorMessage: " + "x" * 60_000,
        "1e999999999",
        "9" * 10_000,
        f"[{RECORD}, " + "9" * 5000 + "]",
        RECORD.replace("broke", "\\ud800"),
        RECORD.replace("broke", "\\u0000"),
        RECORD.replace("broke", "\x1b]0;title\x07"),
        RECORD + "\n\x00\n" + RECORD,
    ],
    ids=range(16),
)  # fmt: skip
def test_deep_wide_and_odd_inputs_are_problems_or_records(text: str) -> None:
    data = text.encode(errors="surrogatepass")
    TARGETS["records"](data)
    TARGETS["records"](gzip.compress(data))
