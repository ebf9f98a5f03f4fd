"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import gc
import importlib
import pickle
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import errdex
from errdex import lazy_re

_START = """
import re, sys
eager, compile = [], re._compiler.compile

def recorded(pattern, flags=0):
    caller = sys._getframe(1)
    while caller.f_globals["__name__"] in ("re", "errdex.lazy_re"):
        caller = caller.f_back
    module, function = caller.f_globals["__name__"], caller.f_code.co_name
    if module.startswith("errdex.") and function == "<module>":
        eager.append(f"{module}: {pattern!r}")
    return compile(pattern, flags)

re._compiler.compile = recorded
import errdex.cli.app, errdex.config, errdex.formats.build, errdex.knowledge
print(*eager, sep="\\n", end="")
"""


def module_of(source: str) -> ModuleType:
    module = ModuleType("constants")
    exec("from errdex import lazy_re as re\n" + source, module.__dict__)  # noqa: S102
    return module


def test_a_constant_is_compiled_when_it_is_first_used() -> None:
    module = module_of("A = B = re.compile('(?P<digits>[0-9]+)')\nC = re.compile('x')")
    assert module.A.pattern == "(?P<digits>[0-9]+)"
    assert not isinstance(module.A, re.Pattern)
    assert module.A.fullmatch("12")["digits"] == "12"
    assert isinstance(module.A, re.Pattern)
    assert module.A is module.B
    assert not isinstance(module.C, re.Pattern)


def test_a_pattern_that_is_kept_elsewhere_goes_on_to_work() -> None:
    kept = module_of("A = re.compile('a', re.IGNORECASE)").A
    assert [bool(kept.match(text)) for text in ("A", "b", "a")] == [True, False, True]
    assert kept.flags & re.IGNORECASE
    assert pickle.loads(pickle.dumps(kept)) == re.compile("a", re.IGNORECASE)  # noqa: S301


def test_a_wrong_one_is_an_error_at_its_use_and_in_a_function_at_once() -> None:
    wrong = module_of("A = re.compile('(')").A
    with pytest.raises(re.error, match="missing \\)"):
        wrong.search("")
    with pytest.raises(re.error, match="missing \\)"):
        lazy_re.compile("(")


def test_a_start_compiles_none() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _START],
        env={"PYTHONPATH": str(Path(errdex.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert ran.stdout == "", "import lazy_re as re there"


def test_every_one_can_be_compiled() -> None:
    """What compiling at the start would have shown."""
    for module in pkgutil.walk_packages(errdex.__path__, "errdex."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            if missing.name not in ("pyspark", "pyarrow"):  # which `make spark` alone installs
                raise
    wrong = []
    everywhere = [each for each in gc.get_objects() if type(each) is lazy_re._Deferred]
    deferred = [each for each in everywhere if each._constants.get("__name__") != "constants"]
    for each in deferred:
        try:
            re.compile(each.pattern, each._flags)
        except re.error as error:
            wrong.append(f"{each.pattern!r}: {error}")
    assert len(deferred) > 100
    assert wrong == []
