"""Made-up records and knowledge bases, made once and then copied.

`python -m bench` names a folder in the environment, so that all benchmarks of a run share
what was made; else it lasts as long as the process.
"""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from bench.generate import write_records

from errdex.config import Settings, open_store
from errdex.ingest import ingest

KEPT = "ERRDEX_BENCH_KEPT"
"""The variable that names the folder."""


def records_file(count: int) -> Path:
    """A file of so many records, a line each. Not to be changed."""
    path = folder_kept() / f"{count}.jsonl"
    if not path.exists():
        unfinished = path.with_suffix(".unfinished")
        larger = [each for each in folder_kept().glob("*.jsonl") if int(each.stem) > count]
        if larger:
            with larger[0].open("rb") as lines, unfinished.open("wb") as written:
                written.writelines(itertools.islice(lines, count))
        else:
            write_records(unfinished, count)
        unfinished.rename(path)
    return path


def keep_knowledge_base(folder: Path, count: int) -> None:
    """Hands over a knowledge base that was made of `records_file(count)`, for `knowledge_base` to
    copy. The folder is gone then."""
    folder.rename(_kept(count))


def knowledge_base(folder: Path, count: int) -> str:
    """Puts a knowledge base of so many records into the folder, unless one is there; gives
    its URL."""
    if (folder / "errdex.db").exists():
        return _url(folder)
    made = _kept(count)
    if not made.exists():
        unfinished = made.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        store, indexes = open_store(Settings(database_url=_url(unfinished)))
        ingest([records_file(count)], store=store, indexes=indexes, dataset="bench")
        store.close()
        unfinished.rename(made)
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return _url(folder)


def _kept(count: int) -> Path:
    return folder_kept() / f"{count}-knowledge-base"


def _url(folder: Path) -> str:
    return f"sqlite:///{folder / 'errdex.db'}"


@lru_cache(maxsize=1)
def folder_kept() -> Path:
    """Where all of it is: what is to be kept is best made on the same disk."""
    if named := os.environ.get(KEPT):
        return Path(named)
    made = tempfile.TemporaryDirectory(prefix="errdex-bench-")
    atexit.register(made.cleanup)
    return Path(made.name)
