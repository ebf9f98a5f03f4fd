"""The command in a process of its own that need not import everything first.

One process imports what commands use, then forks for each run. A run has its own arguments,
environment, folder and standard streams, and ends as the command ends. Tests of how a command
starts, or of signals and limits, start the real one.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

PRELOADED = (
    "errdex.cli.app",
    "errdex.cli.commands.follow",
    "errdex.cli.views.ingest",
    "errdex.cli.views.rows",
    "errdex.formats.records.text",
    "errdex.cli.views.search",
    "errdex.config",
    "errdex.formats.build",
    "errdex.harvest.run",
    "errdex.ingest",
    "errdex.knowledge.excerpts",
    "errdex.search.highlight",
    "errdex.search.whoosh.index",
    "errdex.search.whoosh.worker",
    "errdex.search.whoosh.writing",
    "errdex.store.schema.tables",
    "errdex.store.sqlite.writing",
)


class ForkedCommand:
    """`errdex`, as `subprocess.run` would run it."""

    def __init__(self) -> None:
        self._control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far:
            self._server = subprocess.Popen(
                [sys.executable, __file__, str(far.fileno())],
                pass_fds=[far.fileno()],
                env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"},
            )

    def close(self) -> None:
        """End the process that forks."""
        self._control.close()
        self._server.wait()

    def run(
        self,
        words: Sequence[object],
        *,
        env: Mapping[str, str],
        input: bytes | str = b"",  # noqa: A002 - as of subprocess.run
        stdout: int | IO[Any] | None = None,
        cwd: Path | None = None,
        text: bool = False,
    ) -> subprocess.CompletedProcess[Any]:
        """Run the command to its end. With a `stdout` of the caller's, none is returned."""
        assert env.get("LC_ALL") == "C.UTF-8", "another locale needs a process from the start"
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
            given.write(input.encode() if isinstance(input, str) else input)
            given.seek(0)
            target = out if stdout is None else stdout
            streams = [given, target, err]
            request = {"words": [*map(str, words)], "env": dict(env), "cwd": str(cwd or Path.cwd())}
            socket.send_fds(
                self._control,
                [json.dumps(request).encode()],
                [each if isinstance(each, int) else each.fileno() for each in streams],
            )
            code = int(self._control.recv(100))
            said = []
            for file in (out, err):
                file.seek(0)
                said.append(file.read().decode() if text else file.read())
        return subprocess.CompletedProcess(
            words, code, None if target is not out else said[0], said[1]
        )


def _serve(control: socket.socket) -> None:
    """Fork for each request. Returns in each child, which is to run the command, and at the end
    raises SystemExit."""
    while True:
        data, files, _, _ = socket.recv_fds(control, 1 << 18, 3)
        if not data:
            sys.exit()
        child = os.fork()
        if child == 0:
            control.close()
            _become(json.loads(data), files)
            return
        for file in files:
            os.close(file)
        _, status = os.waitpid(child, 0)
        control.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(request: dict[str, Any], files: Sequence[int]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.argv = ["errdex", *request["words"]]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        new = open(  # noqa: SIM115
            number, "r" if number == 0 else "w", encoding=old.encoding, errors=old.errors,
            closefd=False,
        )  # fmt: skip
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


if __name__ == "__main__":
    from importlib import import_module

    for module in PRELOADED:
        import_module(module)
    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    from errdex.cli import main

    main()
