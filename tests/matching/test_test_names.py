"""The test that an error belongs to, in the output of test runners."""

from __future__ import annotations

import pytest

from errdex.matching.events import find_events
from errdex.matching.reading import read_paste

TRACE = """Traceback (most recent call last):
  File "t.py", line 3, in f
ValueError: bad
"""
PYTEST = """=================================== FAILURES ===================================
__________________________________ test_one ____________________________________

>       table[name]
E       KeyError: 'tenant'

shop/lookup.py:4: KeyError
______________________________ TestSum.test_two ________________________________

E       assert 2 == 3

tests/test_sum.py:9: AssertionError
=========================== short test summary info ============================
FAILED tests/test_lookup.py::test_one - KeyError: 'tenant'
FAILED tests/test_sum.py::TestSum::test_two - assert 2 == 3
========================= 2 failed, 1 passed in 0.12s ==========================
"""
RUNNERS = {
    "pytest": (PYTEST, ["tests/test_lookup.py::test_one", "tests/test_sum.py::TestSum::test_two"]),
    "go": (
        "=== RUN   TestAdd\n--- FAIL: TestAdd/empty (0.00s)\n"
        "panic: runtime error: index out of range [5] with length 3\n",
        ["TestAdd/empty"],
    ),
    "rust": (
        "---- tests::adds stdout ----\nthread 'tests::adds' panicked at src/lib.rs:9:9:\nno\n",
        ["tests::adds"],
    ),
    "jest": (
        "  ● math › adds\n\n    TypeError: Cannot read properties of null (reading 'x')\n",
        ["math › adds"],
    ),
    "unittest": (
        f"{'=' * 70}\nERROR: test_add (tests.MathTest.test_add)\n{'-' * 70}\n{TRACE}",
        ["test_add (tests.MathTest.test_add)"],
    ),
    "junit": (
        "[ERROR] com.acme.FooTest.testBar -- Time elapsed: 0.01 s <<< ERROR!\n"
        "java.lang.IllegalStateException: closed\n\tat com.acme.Foo.bar(Foo.java:3)\n",
        ["com.acme.FooTest.testBar"],
    ),
    "gradle": (
        "FooTest > testBar() FAILED\n    java.lang.IllegalStateException: closed\n"
        "        at com.acme.Foo.bar(Foo.java:3)\n",
        ["FooTest > testBar()"],
    ),
    "rspec": (
        "Failures:\n\n  1) Basket is empty\n     ArgumentError:\n       no basket\n",
        ["Basket is empty"],
    ),
}


def names_in(text: str) -> list[str]:
    return [each.test for each in find_events(read_paste(text)).events]


@pytest.mark.parametrize("name", RUNNERS)
def test_each_runner_names_the_test_of_an_error(name: str) -> None:
    text, wanted = RUNNERS[name]
    assert names_in(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        f"test started\n1) first do this\n{TRACE}",
        f"{PYTEST}\n{TRACE}",
        f"ok  \tacme/shop\t0.1s\n{TRACE}",
        "--- FAIL: TestAdd (0.00s)\nError: Process completed with exit code 1.\n",
        f"--- FAIL: TestAdd (0.00s)\nFAIL\n{TRACE}",
        f"--- FAIL: TestAdd (0.00s)\n{'quiet' * 3}\n" + "line\n" * 500 + TRACE,
    ],
)
def test_what_follows_the_tests_belongs_to_none(text: str) -> None:
    assert names_in(text)[-1] == ""
