"""The files that are not code: templates, static files and the starter records.

An installed package carries them inside itself, a checkout at its top.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parent.parent


def find_folder(name: str) -> Path:
    """`templates`, `static` or `data`: inside the installed package, else at the top of the
    checkout.

    Raises FileNotFoundError when there is neither.
    """
    for folder in (_PACKAGE / f"_{name}", _CHECKOUT / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the folder {name}/ is missing: install Errdex again")


TEMPLATES = find_folder("templates")
STATIC = find_folder("static")
