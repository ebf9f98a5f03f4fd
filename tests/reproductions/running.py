"""Runs a reproduction: the real tool, in a folder of its own, and what it printed.

A reproduction is data (`tests/reproductions/*.yaml`): the record that it must
show, the files to write, the command to run. The environment is pinned, so that
the same tool prints the same text: UTF-8, no colour, an empty home folder.
Nothing here reaches further than the loopback address.

Tools are looked for on the PATH; packages of Python and Node.js first in the
running interpreter, then in the environment that `prepare.py` makes. A tool that
is not there raises `ToolMissing`, whose text says what is missing.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

HERE = Path(__file__).parent
PREPARED = Path(
    os.environ.get("ERRDEX_REPRODUCTIONS", Path.home() / ".cache/errdex/reproductions")
).absolute()
TIMEOUT_S = 600


class ToolMissing(Exception):
    """The machine lacks something that the reproduction needs; the text names it."""


@dataclass(frozen=True)
class Reproduction:
    """One way to get a record's error out of the real tool."""

    topic: str
    record: str
    """The record's `errorMessage`."""
    run: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    setup: tuple[tuple[str, ...], ...] = ()
    """Commands to run before, whose output is not looked at."""
    needs: tuple[str, ...] = ()
    """Commands that `run` uses without naming them first."""
    modules: tuple[str, ...] = ()
    """Python modules that the interpreter must be able to import."""
    packages: tuple[str, ...] = ()
    """Packages of Node.js."""
    service: str = ""
    """A server that must be running: a name of `services.py`."""
    env: Mapping[str, str] = field(default_factory=dict)


def load_reproductions(folder: Path = HERE) -> list[Reproduction]:
    """Every reproduction of the folder's YAML files, in the order of the files."""
    found = []
    for file in sorted(folder.glob("*.yaml")):
        for entry in yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader):
            lists = {
                k: tuple(entry[k]) for k in ("run", "needs", "modules", "packages") if k in entry
            }
            setup = tuple(tuple(command) for command in entry.get("setup", []))
            rest = {k: v for k, v in entry.items() if k not in lists and k != "setup"}
            found.append(Reproduction(topic=file.stem, setup=setup, **lists, **rest))
    return found


def run_reproduction(case: Reproduction, folder: Path, service_env: Mapping[str, str]) -> str:
    """What the tool printed, standard output and error together as a terminal shows them.

    `folder` must be empty; `service_env` is what the running service wants known.
    Raises `ToolMissing`, and `subprocess.TimeoutExpired` after `TIMEOUT_S` seconds.
    """
    home, work = folder / "home", folder / "app"
    home.mkdir()
    work.mkdir()
    for name, text in case.files.items():
        target = work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")
    env = _environment(home, case) | dict(service_env) | dict(case.env)
    for tool in case.needs:
        _find_tool(tool, env)
    for package in case.packages:
        if not (PREPARED / "node/node_modules" / package).is_dir():
            raise ToolMissing(f"the npm package {package} (run tests/reproductions/prepare.py)")
    for command in case.setup:
        done = _run(command, case, work, env)
        if done.returncode:
            raise AssertionError(f"{command} failed:\n{_text(done)}")
    return _text(_run(case.run, case, work, env))


def clean_output(text: str, folder: Path) -> str:
    """The output as it may be pinned: no folder of this machine, no trailing blanks."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    swaps = {
        str(folder / "app"): "/home/dev/app",
        str(folder / "home"): "/home/dev",
        str(PREPARED / "python"): "/home/dev/app/.venv",
        str(PREPARED / "node"): "/home/dev/app",
        str(Path(sys.base_prefix) / "lib" / version): f"/usr/lib/{version}",
        sys.prefix: "/home/dev/app/.venv",
    }
    for old, new in swaps.items():
        text = text.replace(old, new)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def _environment(home: Path, case: Reproduction) -> dict[str, str]:
    node = PREPARED / "node/node_modules"
    path = os.environ.get("PATH", os.defpath) + os.pathsep + "/usr/sbin"
    real_home = Path.home()
    return {
        "PATH": f"{path}{os.pathsep}{node / '.bin'}" if case.packages else path,
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "LANGUAGE": "C",
        "TZ": "UTC",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "NODE_PATH": str(node) if case.packages else "",
        "NODE_DISABLE_COLORS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_ROOT_USER_ACTION": "ignore",
        "npm_config_update_notifier": "false",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Dev",
        "GIT_AUTHOR_EMAIL": "dev@example.com",
        "GIT_COMMITTER_NAME": "Dev",
        "GIT_COMMITTER_EMAIL": "dev@example.com",
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(real_home / ".rustup")),
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TERM_COLOR": "never",
        "GOPROXY": "off",
        "GOCACHE": str(PREPARED / "go-build"),
        "COMPOSER_ALLOW_SUPERUSER": "1",
        "COMPOSER_NO_INTERACTION": "1",
        "COMPOSER_DISABLE_NETWORK": "1",
        "CHECKPOINT_DISABLE": "1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _run(
    command: tuple[str, ...], case: Reproduction, work: Path, env: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    argv = [_find_tool(command[0], env, case.modules), *command[1:]]
    return subprocess.run(
        argv,
        cwd=work,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
    )


def _text(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stdout.decode("utf-8", "replace")


def _find_tool(name: str, env: Mapping[str, str], modules: tuple[str, ...] = ()) -> str:
    if name.startswith("./"):
        return name  # made by the reproduction itself
    if name == "python":
        return _find_python(modules)
    if name.startswith("python3."):
        return _find_python_version(name.removeprefix("python"))
    found = shutil.which(name, path=env["PATH"])
    if found is None:
        raise ToolMissing(f"the command {name}")
    if name in ("rustc", "cargo") and not _is_chosen(found):
        raise ToolMissing("a Rust toolchain (rustup is there, and none is chosen)")
    return found


@functools.cache
def _is_chosen(tool: str) -> bool:
    """Whether a command that may be rustup's stands for a real one."""
    return subprocess.run([tool, "--version"], capture_output=True).returncode == 0


@functools.cache
def _find_python(modules: tuple[str, ...]) -> str:
    for interpreter in (sys.executable, str(PREPARED / "python/bin/python")):
        if not Path(interpreter).exists():
            continue
        wanted = "; ".join(
            f"import importlib.util; assert importlib.util.find_spec({m!r})" for m in modules
        )
        if subprocess.run([interpreter, "-c", wanted or "0"], capture_output=True).returncode == 0:
            return interpreter
    raise ToolMissing(
        f"the Python modules {', '.join(modules)} (run tests/reproductions/prepare.py)"
    )


@functools.cache
def _find_python_version(version: str) -> str:
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    built = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    found = str(built[-1]) if built else shutil.which(f"python{version}")
    if found is None or "shims" in found:
        raise ToolMissing(f"Python {version}")
    return found
