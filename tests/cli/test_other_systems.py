"""The command and the library without what only Unix has.

No Windows or macOS is at hand, so this hides from a fresh interpreter the modules and
attributes that these systems lack and changes `sys.platform`. Packages of others are imported
before that: they have code of their own for each system.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

ONLY_UNIX = {
    "win32": {
        "modules": ["fcntl", "grp", "pty", "pwd", "resource", "spwd", "syslog", "termios", "tty",
                    "uvloop"],
        "os": ["fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg",
               "getpgid", "getuid", "killpg", "mkfifo", "nice", "pread", "pwrite",
               "register_at_fork", "sched_getaffinity", "sched_yield", "setsid", "sysconf",
               "uname", "wait", "WNOHANG"],
        "signal": ["SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGTSTP",
                   "SIGUSR1", "SIGUSR2", "SIG_BLOCK", "SIG_SETMASK", "SIG_UNBLOCK", "alarm",
                   "pthread_kill", "pthread_sigmask", "sigwait"],
        "socket": ["AF_UNIX", "SO_REUSEPORT", "fromfd"],
    },
    "darwin": {
        "modules": ["spwd"],
        "os": ["memfd_create", "posix_fadvise", "posix_fallocate", "sched_getaffinity"],
        "signal": ["SIGPOLL", "SIGRTMAX", "SIGRTMIN", "SIGSTKFLT", "sigtimedwait", "sigwaitinfo"],
        "socket": ["AF_PACKET", "SOCK_CLOEXEC"],
    },
}  # fmt: skip

PROGRAM = """
import json, os, signal, socket, sys
import filelock, numpy, orjson, platformdirs, pydantic, re2, rich.console, rich.progress
import sqlmodel, subprocess, typer, typer.core, whoosh.index, yaml, zstandard, shutil, tempfile
import multiprocessing.context, concurrent.futures.process, ahocorasick_rs

system, lacks = sys.argv.pop(1), json.loads(sys.argv.pop(1))
for name in lacks["modules"]:
    sys.modules[name] = None
for module in (os, signal, socket):
    for name in lacks[module.__name__]:
        if hasattr(module, name):
            delattr(module, name)
sys.platform = system
"""
COMMAND = PROGRAM + "from errdex.cli import main\nmain()\n"
LIBRARY = (
    PROGRAM
    + "import errdex\nanswer = errdex.match(sys.stdin.read())\nprint(answer.events[0].outcome)\n"
)
RECORDS = [{"repo": "acme/shop", "errorMessage": "Basket {basket_id} is empty"}]
PASTE = "Basket 4711 is empty\n"


@pytest.fixture(params=ONLY_UNIX)
def run(request: pytest.FixtureRequest, tmp_path: Path):
    def run(
        program: str, *words: str, system: str, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        lacks = json.dumps(ONLY_UNIX[system])
        done = subprocess.run(
            [sys.executable, "-c", program, system, lacks, *words],
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(Path(__file__).parents[2] / "app"),
                "ERRDEX_DATABASE_URL": f"sqlite:///{tmp_path}/errdex.db",
            },
            input=stdin,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return partial(run, system=request.param)


@pytest.mark.slow
def test_the_command_and_the_library_work(run) -> None:
    assert run(COMMAND, "--version").stdout.startswith("errdex ")
    assert run(COMMAND, "ingest", "-", stdin=json.dumps(RECORDS)).returncode == 0
    again = run(COMMAND, "ingest", "-", stdin=json.dumps(RECORDS))
    assert "1 unchanged" in again.stdout
    found = run(COMMAND, "search", "--json", "basket")
    (item,) = json.loads(found.stdout)["items"]
    assert run(COMMAND, "show", item["record"]["id"]).returncode == 0
    assert run(COMMAND, "match", stdin=PASTE).returncode == 0
    assert run(COMMAND, "match", stdin="Basket 4711 is lost\n").returncode == 1
    assert run(COMMAND, "reindex").returncode == 0
    assert run(COMMAND, "export").stdout.count("\n") == 1
    ran = run(COMMAND, "run", "--", sys.executable, "-c", f"print('{PASTE.strip()}'); exit(7)")
    if run.keywords["system"] == "win32":
        assert (ran.returncode, ran.stdout) == (2, "")
        assert "Use `COMMAND 2>&1 | errdex match` here" in ran.stderr
    else:
        assert (ran.returncode, ran.stdout) == (7, PASTE)
        assert "1 of 1 error known" in ran.stderr
    assert run(COMMAND, "shell-hook", "zsh").returncode == 0
    assert run(LIBRARY, stdin=PASTE).stdout == "known\n"
