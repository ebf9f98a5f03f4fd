"""Servers that reproductions talk to, each started once, on loopback or a socket file.

A server runs as an unprivileged user where the tool insists on it (PostgreSQL and
MariaDB refuse root), in a temporary folder that goes away with it.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.reproductions.running import ToolMissing

START_S = 300
START_COMMANDS = {
    "postgres": ("postgres", "initdb", "psql", "runuser"),
    "redis": ("redis-server",),
    "mysql": ("mariadbd", "mariadb-install-db", "runuser"),
}
"""What each service is started with."""
USERS = {"postgres": "postgres", "mysql": "mysql"}
"""Whom a service runs as where this process is root's."""


@dataclass
class Service:
    """A running server, and the environment that its clients need."""

    env: dict[str, str]
    process: subprocess.Popen[bytes]
    folder: Path

    def stop(self) -> None:
        """Ends the server and removes its folder."""
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def start(name: str) -> Service:
    """Starts `postgres`, `redis` or `mysql`; raises `ToolMissing` when it is not installed."""
    return {"postgres": _start_postgres, "redis": _start_redis, "mysql": _start_mysql}[name]()


def _start_postgres() -> Service:
    server, initdb = _find("postgres"), _find("initdb")
    folder, become = _make_folder(USERS["postgres"])
    data = folder / "data"
    subprocess.run(
        [*become, initdb, "-D", data, "-U", "postgres", "-A", "trust", "--no-sync",
         "-E", "UTF8", "--locale=C"],
        check=True, capture_output=True, cwd=folder,
    )  # fmt: skip
    hba = data / "pg_hba.conf"
    hba.write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
    port = _free_port()
    settings = ["-c", f"unix_socket_directories={folder}", "-c", "listen_addresses=127.0.0.1",
                "-c", f"port={port}", "-c", "fsync=off"]  # fmt: skip
    process = subprocess.Popen(
        [*become, server, "-D", data, *settings],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    env = {
        "PGHOST": str(folder),
        "PGPORT": str(port),
        "PGUSER": "postgres",
        "PGDATABASE": "postgres",
    }
    service = Service(env, process, folder)
    probe = [_find("psql"), "-X", "-c", "select 1"]
    return _wait(
        service, lambda: subprocess.run(probe, env=env, capture_output=True).returncode == 0
    )


def _start_redis() -> Service:
    server = _find("redis-server")
    folder = Path(tempfile.mkdtemp(prefix="errdex-redis-"))
    port = _free_port()
    process = subprocess.Popen(
        [server, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return _wait(Service({"REDIS_PORT": str(port)}, process, folder), lambda: _listens(port))


def _start_mysql() -> Service:
    server, install = _find("mariadbd"), _find("mariadb-install-db")
    folder, become = _make_folder(USERS["mysql"])
    data, sock = folder / "data", folder / "db.sock"
    subprocess.run(
        [*become, install, "--no-defaults", f"--datadir={data}",
         "--auth-root-authentication-method=normal", "--skip-test-db"],
        check=True, capture_output=True, cwd=folder,
    )  # fmt: skip
    port = _free_port()
    process = subprocess.Popen(
        [*become, server, "--no-defaults", f"--datadir={data}", f"--socket={sock}",
         f"--port={port}", "--bind-address=127.0.0.1"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    env = {"MYSQL_UNIX_PORT": str(sock), "MYSQL_PORT": str(port)}
    return _wait(Service(env, process, folder), lambda: _listens(port))


def _find(name: str) -> str:
    places = os.pathsep.join(
        [
            os.environ.get("PATH", os.defpath),
            "/usr/sbin",
            *map(str, Path("/usr/lib/postgresql").glob("*/bin")),
        ]
    )
    found = shutil.which(name, path=places)
    if found is None:
        raise ToolMissing(f"the server command {name}")
    return found


def _make_folder(user: str) -> tuple[Path, list[str]]:
    """A folder that `user` owns, and the words before a command that make it run as them."""
    folder = Path(tempfile.mkdtemp(prefix=f"errdex-{user}-"))
    if os.geteuid() != 0:
        return folder, []
    try:
        account = pwd.getpwnam(user)
    except KeyError:
        raise ToolMissing(f"the user {user}, since this server refuses to run as root") from None
    os.chown(folder, account.pw_uid, account.pw_gid)
    folder.chmod(0o755)
    return folder, [_find("runuser"), "-u", user, "--"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _wait(service: Service, ready: Callable[[], bool]) -> Service:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        if ready():
            return service
        if service.process.poll() is not None:
            break
        time.sleep(0.1)
    service.stop()
    raise ToolMissing("a server that starts (it ended or never answered)")
