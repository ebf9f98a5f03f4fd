"""The files that are not code: templates, static files, record files and the starter database.

An installed package carries them inside itself, a checkout at its top. Record files are only
in a checkout; there the starter database is built from them (see starter.py).
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parent.parent
DATABASE_NAME = "errdex.db"


def find_folder(name: str) -> Path:
    """`templates`, `static`, `docs` or `data`: inside the installed package, else at the top of the
    checkout.

    Raises FileNotFoundError when there is neither.
    """
    for folder in (_PACKAGE / f"_{name}", _CHECKOUT / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the folder {name}/ is missing: install Errdex again")


def find_packaged_starter() -> Path | None:
    """The starter database inside the installed package; None in a checkout."""
    database = _PACKAGE / "_starter" / DATABASE_NAME
    return database if database.is_file() else None


def package_folder() -> Path:
    """Where the code of the package is."""
    return _PACKAGE


def build_folder() -> Path:
    """Where a checkout keeps what it builds."""
    return _CHECKOUT / "build"


TEMPLATES = find_folder("templates")
STATIC = find_folder("static")
