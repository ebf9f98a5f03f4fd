"""Asks an installed tool for its own catalogue: no shell, bounded time and output, nothing in
the current folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Container, Sequence
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import CatalogueError

SECONDS = 60.0
"""What one command may take."""
MAX_OUTPUT = 64 * 1024 * 1024
"""Bytes of one command's output."""
MAX_FILE = 64 * 1024 * 1024
"""Bytes of one file of a catalogue."""
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:[-+.]?\w+)*")


def find_program(name: str, where: Path | None = None) -> Path:
    """The program: the one at `where`, or else the one on PATH. Folders of PATH that are not
    absolute count for nothing: what lies in the current folder is never run. Raises
    CatalogueError where there is none."""
    if where is not None:
        if not where.is_file() or not os.access(where, os.X_OK):
            raise CatalogueError(f"{where} is no program.")
        return where.resolve()
    folders = [each for each in os.get_exec_path() if Path(each).is_absolute()]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        raise CatalogueError(
            f"{name} is not on PATH. Install it, or say where it is: --catalogue NAME=PATH."
        )
    return Path(found)


def ask(program: Path, *arguments: str, statuses: Container[int] = (0,)) -> str:
    """What the program prints on standard output. It runs in an empty folder and reads nothing.
    Raises CatalogueError when it ends with none of the statuses, takes more than SECONDS or
    prints more than MAX_OUTPUT."""
    command = [str(program), *arguments]
    shown = " ".join([program.name, *arguments])[:100]
    with (
        tempfile.TemporaryDirectory(prefix="errdex-") as folder,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        try:
            done = subprocess.run(  # noqa: S603 - the tool that the user named or has on PATH
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=folder,
                timeout=SECONDS, env=_environment(), check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise CatalogueError(f"{shown} took more than {SECONDS:.0f} seconds.") from None
        except OSError as error:
            raise CatalogueError(f"{shown} cannot be run: {error.strerror}.") from None
        if output.tell() > MAX_OUTPUT:
            raise CatalogueError(f"{shown} printed more than {MAX_OUTPUT // 1024**2} MB.")
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
        if done.returncode not in statuses:
            errors.seek(0)
            said = errors.read(2000).decode("utf-8", "replace").strip().splitlines() or [""]
            raise CatalogueError(f"{shown} failed with status {done.returncode}. {said[-1]}")
    return text


def version_of(program: Path, *arguments: str) -> str:
    """The version that it prints, "" where it prints none."""
    found = _VERSION.search(ask(program, *(arguments or ("--version",))))
    return found[0] if found else ""


def read_file(path: Path) -> bytes:
    """A file of a catalogue. Raises CatalogueError."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise CatalogueError(f"{path} is larger than {MAX_FILE // 1024**2} MB.")
        return path.read_bytes()
    except OSError as error:
        raise CatalogueError(f"{path} cannot be read: {error.strerror}.") from None


def existing(paths: Sequence[Path], what: str) -> Path:
    """The first of the paths that is there. Raises CatalogueError with `what` is missing."""
    for path in paths:
        if path.exists():
            return path
    raise CatalogueError(f"{what} was not found. Say where it is: --catalogue NAME=PATH.")


def _environment() -> dict[str, str]:
    """English, without colours, and nothing that makes an interpreter load more."""
    kept = (
        "PATH",
        "HOME",
        "SYSTEMROOT",
        "TEMP",
        "TMPDIR",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "LD_LIBRARY_PATH",
    )
    named = {name: os.environ[name] for name in kept if name in os.environ}
    return {**named, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PYTHONSAFEPATH": "1"}
