"""One test for many cases: every case is checked, and each that fails is named."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Cases = Iterable[tuple[str, Any]]
"""Each case with its name."""
REASON_CHARACTERS = 2_000
"""Of the reason of each case, so that a fault that all cases share can still be read."""


def for_each(cases: Callable[[], Cases]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make one test of a check whose first parameter is a case. Its other parameters are those
    of any test; a fixture is made once for all cases.

    As cases of pytest, thousands of cheap checks take ten times as long and crowd out the rest.
    """

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(check)
        def test(**given: object) -> None:
            check_each(cases(), functools.partial(check, **given))

        del test.__wrapped__
        _, *others = inspect.signature(check).parameters.values()
        test.__signature__ = inspect.Signature(others)
        return test

    return decorate


def check_each(cases: Cases, check: Callable[[Any], object]) -> None:
    """Call `check` with each case and fail once, with the name and the reason of each failure.

    A case that cannot be checked is to be left out of `cases`: a skip is a failure here, and so
    is a loop without cases.
    """
    failures = []
    count = 0
    for name, case in cases:
        count += 1
        try:
            check(case)
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001 - the rest counts too
            failures.append(f"{name}\n{_reason(error)}")
    assert count, "there is no case to check"
    if failures:
        said = "\n\n".join(failures)
        pytest.fail(f"{len(failures)} of {count} cases fail\n\n{said}", pytrace=False)


def _reason(error: BaseException) -> str:
    """Where the check failed, and what it says."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    place = f"{Path(frames[0].filename).name}:{frames[0].lineno}: " if frames else ""
    text = f"{place}{type(error).__name__}: {error}"
    if len(text) > REASON_CHARACTERS:
        text = f"{text[:REASON_CHARACTERS]} …"
    return "\n".join(f"    {line}" for line in text.splitlines())
