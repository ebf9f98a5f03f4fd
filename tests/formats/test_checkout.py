"""Where in a checkout an error was raised, whatever machine wrote the log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.formats.test_table import KNOWN

from errdex.formats.answer import StackFrame
from errdex.formats.ci import checkout as module
from errdex.formats.ci.checkout import Place, SourceFolder, log_place, place_of

FILES = (
    "main.py",
    "shop/basket.py",
    "web/basket.py",
    "src/main/java/com/acme/shop/Orders.java",
    "src/app/index.ts",
    "lib/index.ts",
    "node_modules/express/index.js",
    ".venv/lib/secret.py",
    "tests/test basket.py",
)


@pytest.fixture
def checkout(tmp_path: Path) -> SourceFolder:
    for name in FILES:
        file = tmp_path / "work" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "outside.py").touch()
    return SourceFolder(tmp_path / "work")


def place(checkout: SourceFolder | None, *frames: StackFrame) -> Place | None:
    return place_of(replace(KNOWN, frames=frames), checkout)


def path(checkout: SourceFolder | None, file: str, package: str | None = None) -> str | None:
    found = place(checkout, StackFrame(file, 3, None, package))
    return found.path if found else None


FOUND = {
    "main.py": "main.py",
    "./main.py": "main.py",
    "shop/basket.py": "shop/basket.py",
    "/home/runner/work/x/x/shop/basket.py": "shop/basket.py",
    "/usr/src/app/main.py": "main.py",
    "C:\\agent\\_work\\1\\s\\web\\basket.py": "web/basket.py",
    "shop\\basket.py": "shop/basket.py",
    "file:///builds/x/src/app/index.ts": "src/app/index.ts",
    "basket.py": "basket.py",  # there are two: as the log says
    "/app/index.ts": "src/app/index.ts",
    "/srv/index.ts": None,
    "/opt/other/secret.py": None,  # hidden folders are not looked into
    "../outside.py": None,
    "shop/../../outside.py": None,
    "/etc/passwd": None,
    "gone/away.py": "gone/away.py",
    "<stdin>": None,
    "a\nb.py": None,
    "x" * 2_000: None,
    "": None,
}


def test_a_file_is_found_by_its_longest_ending(checkout: SourceFolder) -> None:
    assert {file: path(checkout, file) for file in FOUND} == FOUND


def test_an_absolute_path_below_the_checkout_is_made_relative(
    checkout: SourceFolder, tmp_path: Path
) -> None:
    assert path(checkout, str(tmp_path / "work/tests/test basket.py")) == "tests/test basket.py"
    assert path(checkout, str(tmp_path / "outside.py")) is None


def test_a_class_is_found_by_its_package(checkout: SourceFolder) -> None:
    java = "src/main/java/com/acme/shop/Orders.java"
    assert path(checkout, "Orders.java", "com.acme.shop") == java
    assert path(None, "Orders.java", "com.acme.shop") is None


def test_the_innermost_own_frame_of_the_checkout_is_the_place(checkout: SourceFolder) -> None:
    frames = (
        StackFrame("/x/shop/basket.py", 12, "checkout", None),
        StackFrame("/x/other/gone.py", 5, "call", None),
        StackFrame("/x/node_modules/express/index.js", 9, "send", "express"),
    )
    assert place(checkout, *frames) == Place("shop/basket.py", 12)
    assert place(checkout, *frames[1:]) is None
    assert place(checkout) is None


def test_without_a_checkout_relative_paths_count() -> None:
    assert path(None, "shop/basket.py") == "shop/basket.py"
    assert path(None, "/x/shop/basket.py") is None


def test_the_log_is_the_place_otherwise() -> None:
    assert log_place(KNOWN, "logs/build.log") == Place("logs/build.log", 2)
    assert log_place(KNOWN, "/home/ada/build.log") == Place("home/ada/build.log", 2)
    assert log_place(KNOWN, "../build.log") == Place("log", 2)


def test_a_large_tree_is_looked_at_in_part(
    checkout: SourceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 2)
    assert path(checkout, "/x/src/app/index.ts") is None
    assert path(checkout, "src/app/index.ts") == "src/app/index.ts"
