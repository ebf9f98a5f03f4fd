"""Two public classes share a name only where they are the same idea."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "app" / "errdex"

ALLOWED = {
    # What `import errdex` offers, and the room that it asks.
    "Knowledge",
    # A place in a paste, and one in a tree of syntax.
    "Place",
    # Of two halves of the same room.
    "Match", "Text",
}  # fmt: skip
"""Keep it short: it is here to become shorter."""


def public_classes() -> dict[str, list[str]]:
    """The modules of each public class, by its name."""
    modules = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(str(path.relative_to(PACKAGE)))
    return modules


def test_no_two_public_classes_share_a_name() -> None:
    twice = {name: found for name, found in public_classes().items() if len(found) > 1}
    assert not {name: found for name, found in twice.items() if name not in ALLOWED}


def test_every_room_is_in_the_import_contracts() -> None:
    """The layers are exhaustive, so that import-linter names a new room that is in none; the
    other contracts list their rooms."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {each["name"]: each for each in settings["tool"]["importlinter"]["contracts"]}
    rooms = {
        f"errdex.{path.stem}"
        for path in PACKAGE.iterdir()
        if (path.is_dir() and (path / "__init__.py").exists()) or path.suffix == ".py"
    } - {"errdex.__init__", "errdex.resources", "errdex.lazy_re"}
    for name, apart in (
        ("SQL stays in store", {"errdex.store"}),
        ("only store.opening knows which database is behind the store", {"errdex.store"}),
        ("Spark stays in its one package", {"errdex.spark"}),
        ("whoosh stays in its one package", {"errdex.search"}),
        (
            "settings are read only by main, cli and library",
            {"errdex.main", "errdex.cli", "errdex.library", "errdex.config"},
        ),
    ):
        assert rooms - apart <= set(contracts[name]["source_modules"]), name
    (layers,) = (each for each in contracts.values() if each["type"] == "layers")
    assert layers["exhaustive"]
