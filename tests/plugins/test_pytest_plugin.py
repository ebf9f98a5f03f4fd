"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow
PLUGIN = "errdex.plugins.pytest_plugin"
SHOP = """
class ShopError(Exception):
    pass

def checkout(basket_id):
    raise ShopError(f"Basket {basket_id} is empty")

def test_known():
    checkout(4711)

def test_unknown():
    raise RuntimeError("the flux gate is out of tune")

def test_good():
    pass
"""
CARD = [
    "*Known error: Basket {basket_id} is empty  (acme/shop*",
    "*Fix: Add an article to basket `4711` before checkout.",
    "*More: errdex show *",
]
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, database: str) -> Run:
    """Runs pytest with the plugin, which is loaded as its entry point would."""
    monkeypatch.setenv("ERRDEX_DATABASE_URL", database)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "app"))
    pytester.makepyfile(test_shop=SHOP)

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider", *arguments)

    return run


def test_the_entry_point_is_the_plugin() -> None:
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    (name,) = project["entry-points"]["pytest11"].values()
    assert name == PLUGIN
    assert import_module(name).pytest_addoption


def test_without_the_option_nothing_is_done_and_nothing_is_imported(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure():
            loaded = sorted(name for name in sys.modules if name.startswith("errdex"))
            print("loaded:", *loaded)
        """
    )
    done = run()
    done.assert_outcomes(failed=2, passed=1)
    done.stdout.fnmatch_lines(["loaded: errdex errdex.plugins errdex.plugins.pytest_plugin"])
    done.stdout.no_fnmatch_line("*Known error*")


@pytest.mark.parametrize(
    "arguments",
    [(), ("-q",), ("--tb=short",), ("--tb=long",), ("--tb=native",), ("-q", "--tb=short"),
     ("--show-capture=no",), ("-p", "xdist.plugin", "-n", "2"), ("--tb=line",), ("--tb=no",)],
    ids=" ".join,
)  # fmt: skip
def test_below_a_failing_test_is_what_is_known(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("--errdex", *arguments)
    done.assert_outcomes(failed=2, passed=1)
    done.stdout.fnmatch_lines(CARD)
    assert done.stdout.str().count("Known error:") == 1


def test_the_configuration_turns_it_on(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nerrdex = true\n")
    run().stdout.fnmatch_lines(CARD)


def test_the_output_of_a_program_that_a_test_runs_counts(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(
        test_shop="""
        import subprocess, sys

        def test_program():
            code = "class ShopError(Exception): pass\\nraise ShopError('Basket 4711 is empty')"
            assert subprocess.run([sys.executable, "-c", code]).returncode == 0
        """
    )
    run("--errdex").stdout.fnmatch_lines(CARD)


def test_a_file_that_cannot_be_collected_has_its_card(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_shop=SHOP + "\ncheckout(4711)\n")
    done = run("--errdex")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(CARD)


def test_what_a_test_patches_is_not_in_the_way(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_shop="""
        import os, sqlite3, time

        def test_known(monkeypatch):
            monkeypatch.setenv("ERRDEX_DATABASE_URL", "sqlite:////none/errdex.db")
            monkeypatch.setattr(sqlite3, "connect", None)
            monkeypatch.setattr(time, "monotonic", None)
            raise ValueError("Basket 4711 is empty")
        """
    )
    done = run("--errdex", "-W", "error")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(CARD[:1])


def test_tests_are_reported_whatever_happens_here(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ERRDEX_DATABASE_URL", f"sqlite:///{tmp_path}/none.db")
    done = run("--errdex")
    done.assert_outcomes(failed=2, passed=1)
    done.stdout.fnmatch_lines(["errdex: Nothing could be looked up: There is no database at *"])


def test_texts_of_records_begin_no_line(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_shop="""
        class CurseError(Exception):
            pass

        def test_it():
            raise CurseError("Cart 7 is cursed")
        """
    )
    done = run("--errdex")
    done.stdout.fnmatch_lines(["Known error: Cursed?u202e title*", "Fix: ::set-output*"])
    assert [line for line in done.outlines if line.strip().startswith("::")] == []
