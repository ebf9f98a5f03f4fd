"""Writing the file that a command is asked for."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from errdex.cli.views.terminal import USAGE, fail


def check_output(path: Path | None) -> None:
    """Say what is wrong with the file to write before anything else is done."""
    if path is None or str(path) == "-":
        return
    if path.is_dir():
        fail(f"{path} is a folder: name a file.", USAGE)
    if not path.parent.is_dir():
        fail(f"The folder {path.parent} does not exist.", USAGE)


@contextmanager
def opened_output(path: Path | None) -> Iterator[BinaryIO]:
    """The file to write: it is there whole in the end, or as it was before. Standard output
    for None and for `-`; devices and pipes are written as they are."""
    if path is None or str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
            return
        with _replaced(Path(os.path.realpath(path))) as file:
            yield file
    except OSError as error:
        if error.filename is None and not isinstance(error, BrokenPipeError):
            error.filename = str(path)
        raise


def _opened(aside: Path, path: Path) -> BinaryIO:
    try:
        return aside.open("wb")
    except OSError as error:
        error.filename = str(path)  # which is the name that the caller knows
        raise


@contextmanager
def _replaced(path: Path) -> Iterator[BinaryIO]:
    aside = path.with_name(f".{path.name}.part")
    try:
        with _opened(aside, path) as file:
            yield file
        with suppress(FileNotFoundError):
            shutil.copymode(path, aside)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
