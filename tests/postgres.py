"""A real PostgreSQL for tests: started on a free port, in a temporary folder, by a user without
rights, since it refuses root."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.ports import reserved_port

USER, PASSWORD = "errdex", "s3cret&word"
_ESCAPED = "s3cret%26word"
_USERS = ("postgres", "nobody")
"""Whom it runs as where this process is root's; the first there is."""
_START_SECONDS = 300


def find_server_program(name: str) -> str | None:
    """Where a program is, those of PostgreSQL included, which Debian keeps off the PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(
        name, path=os.pathsep.join([os.environ.get("PATH", os.defpath), *map(str, versions)])
    )


@dataclass
class PostgresServer:
    """A server, which can be stopped and started again at the same port."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    _numbers: count[int] = field(default_factory=count)

    @property
    def data(self) -> Path:
        """Its data folder."""
        return self.folder / "data"

    @property
    def programs(self) -> str:
        """The folder of its programs."""
        return str(Path(str(find_server_program("postgres"))).parent)

    def url(self, database: str, user: str = USER, password: str = _ESCAPED) -> str:
        """The database URL of a database."""
        return f"postgresql+psycopg://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def make_database(self) -> str:
        """A new, empty database; gives its URL."""
        name = f"knowledge_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name}")
        return self.url(name)

    def run(self, statement: str, database: str = "postgres") -> list[Any]:
        """Run a statement as the owner of everything."""
        import psycopg

        with psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, password=PASSWORD, dbname=database,
            autocommit=True,
        ) as connection:  # fmt: skip
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",
            "max_connections": 60,
            "shared_buffers": "32MB",
            "max_wal_senders": 2,
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(find_server_program("postgres")), "-D", self.data, *options],
                stdout=log, stderr=log, cwd=self.folder, **_become(),
            )  # fmt: skip
        end = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it; connections are dropped."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown
            self.process.wait(_START_SECONDS)
            self.process = None

    def make_standby(self, port: int) -> PostgresServer:
        """A read-only copy of this server as it is now; not started."""
        other = PostgresServer(_make_folder(), port)
        subprocess.run(
            [str(find_server_program("pg_basebackup")), "-D", other.data, "-h", "127.0.0.1",
             "-p", str(self.port), "-U", USER, "--write-recovery-conf", "--checkpoint=fast"],
            check=True, capture_output=True, cwd=other.folder,
            env=os.environ | {"PGPASSWORD": PASSWORD}, **_become(),
        )  # fmt: skip
        return other

    def remove(self) -> None:
        """Stop it and remove its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        import psycopg

        try:
            self.run("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True


def start_postgres() -> PostgresServer:
    """A server with an empty cluster. Its folder stays until `remove`."""
    folder = _make_folder()
    secret = folder / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    try:
        subprocess.run(
            [str(find_server_program("initdb")), "-D", folder / "data", "-U", USER, "-A",
             "scram-sha-256", f"--pwfile={secret}", "--no-sync", "-E", "UTF8", "--locale=C"],
            check=True, capture_output=True, cwd=folder, **_become(),
        )  # fmt: skip
        with reserved_port() as port:
            server = PostgresServer(folder, port)
            server.start()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return server


def _account() -> pwd.struct_passwd | None:
    """Whom to become; None to stay who this is."""
    if os.geteuid() != 0:
        return None
    accounts = {each.pw_name: each for each in pwd.getpwall()}
    return next(accounts[name] for name in _USERS if name in accounts)


def _become() -> dict[str, Any]:
    account = _account()
    return {} if account is None else {
        "user": account.pw_uid, "group": account.pw_gid, "extra_groups": [],
    }  # fmt: skip


def _make_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="errdex-postgres-"))
    if (account := _account()) is not None:
        os.chown(folder, account.pw_uid, account.pw_gid)
    return folder
