"""Where templates and static files lie."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent.parent


def find_folder(name: str) -> Path:
    """`templates` or `static`: inside the installed package, else at the top of the checkout.

    Raises FileNotFoundError when there is neither.
    """
    for folder in (_PACKAGE / f"_{name}", _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the folder {name}/ is missing: install Errdex again")


TEMPLATES = find_folder("templates")
STATIC = find_folder("static")
