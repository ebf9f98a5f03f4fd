"""compose.yaml: linted, and its commands run over a real PostgreSQL without a container engine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import yaml
from tests.loops import check_each
from tests.ports import reserved_port
from tests.postgres import PASSWORD, PostgresServer
from typer.main import get_command

from errdex.cli.app import app
from errdex.config import Settings

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "errdex"}
BIN = Path(sys.executable).parent
KEYS = {
    *("image", "build", "command", "environment", "volumes", "depends_on", "restart", "ports"),
    *("healthcheck", "configs", "read_only", "tmpfs", "cap_drop", "security_opt"),
}
RECORDS = 40
ROUNDS = 4


def test_services_name_what_there_is() -> None:
    assert COMPOSE.keys() == {"x-errdex", "services", "configs", "volumes"}
    for name, service in SERVICES.items():
        assert service.keys() <= KEYS, name
        assert set(service.get("depends_on", ())) <= SERVICES.keys(), name
        for volume in service.get("volumes", ()):
            assert volume.partition(":")[0] in COMPOSE["volumes"], name
        for config in service.get("configs", ()):
            assert config["source"] in COMPOSE["configs"], name
    used = [each.partition(":")[0] for one in SERVICES.values() for each in one.get("volumes", ())]
    assert sorted(used) == sorted(COMPOSE["volumes"]), "each service has a folder of its own"


def test_settings_and_commands_exist() -> None:
    known = {f"ERRDEX_{name.upper()}" for name in Settings.model_fields}
    commands = get_command(app)
    for name, service in OURS.items():
        settings = {each for each in service["environment"] if each.startswith("ERRDEX_")}
        assert settings <= known, name
        program, command, *words = service["command"]
        assert program == "errdex", name
        found = commands.get_command(None, command)  # type: ignore[attr-defined, arg-type]
        assert found is not None, name
        found.make_context(command, list(words), resilient_parsing=False)
    (password,) = re.findall(r"ERRDEX_PASSWORD\b", str(SERVICES["database"]["environment"]))
    assert password


def test_the_proxy_asks_servers_that_there_are() -> None:
    text = COMPOSE["configs"]["proxy"]["content"]
    assert text.count("{") == text.count("}")
    (upstreams,) = re.findall(r"reverse_proxy (.*) {", text)
    port = re.findall(r"ERRDEX_PORT=(\d+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"))[0]
    serving = {name for name, each in OURS.items() if "serve" in each["command"]}
    assert {each.partition(":")[0] for each in upstreams.split()} == serving
    assert {each.partition(":")[2] for each in upstreams.split()} == {port}
    assert "health_uri /readyz" in text


def environment_of(name: str, postgres: PostgresServer, url: str, folder: Path) -> dict[str, str]:
    """What the service has, with this machine's places."""
    given = {key: str(value) for key, value in SERVICES[name]["environment"].items()}
    there = given["ERRDEX_DATABASE_URL"]
    assert there == "postgresql+psycopg://errdex@database:5432/errdex"
    database = url.rpartition("/")[2]
    here = f"postgresql+psycopg://errdex@127.0.0.1:{postgres.port}/{database}"
    return {
        **given,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "ERRDEX_DATABASE_URL": here,
        "PGPASSWORD": PASSWORD,
        "ERRDEX_CACHE_FOLDER": str(folder / name),
    }


@contextmanager
def serving(name: str, environment: dict[str, str], log: Path) -> Iterator[str]:
    """A running server; gives its address."""
    with reserved_port() as port, log.open("wb") as out:
        process = subprocess.Popen(
            SERVICES[name]["command"],
            env=environment | {"ERRDEX_PORT": str(port)},
            stdout=out,
            stderr=out,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            while not _is_ready(address):
                assert process.poll() is None, log.read_text()
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()
            process.wait(600)


def _is_ready(address: str) -> bool:
    try:
        with urlopen(f"{address}/readyz", timeout=600) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except OSError:
        return False


def ask(address: str, path: str, body: bytes | None = None) -> dict[str, Any]:
    request = Request(  # noqa: S310
        f"{address}{path}", data=body, headers={"Content-Type": "text/plain"}
    )
    with urlopen(request, timeout=600) as answer:  # noqa: S310
        return dict(json.load(answer))


def bodies_of(number: int) -> list[dict[str, Any]]:
    """All records of a round, each changed since the one before."""
    return [
        {
            "id": f"{each:016x}",
            "repo": "acme/shop",
            "errorMessage": f"Basket {each} cannot be packed in round {number}",
            "errorClass": "PackingError",
            "tags": [f"round-{number}"],
        }
        for each in range(1, RECORDS + 1)
    ]


@pytest.mark.tools("postgres")
@pytest.mark.timeout(1800)
def test_its_servers_take_up_new_versions_and_never_mix_them(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = postgres.make_database()

    def ingest(number: int) -> str:
        file = tmp_path / "records.json"
        file.write_text(json.dumps(bodies_of(number)))
        program, verb, _, *options = SERVICES["ingest"]["command"]
        done = subprocess.run(
            [program, verb, str(file), *options, "--json"],
            env=environment_of("ingest", postgres, url, tmp_path),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return str(json.loads(done.stdout)["version"])

    rounds = {ingest(0): 0}
    with ExitStack() as stack:
        addresses = [
            stack.enter_context(
                serving(
                    name, environment_of(name, postgres, url, tmp_path), tmp_path / f"{name}.log"
                )
            )
            for name in ("server1", "server2")
        ]
        seen: list[tuple[str, str, frozenset[str]]] = []
        stop = threading.Event()
        threads = [
            threading.Thread(target=_watch, args=(address, seen.append, stop))
            for address in addresses
        ]
        for thread in threads:
            thread.start()
        try:
            for number in range(1, ROUNDS):
                version = ingest(number)
                rounds[version] = number
                for address in addresses:
                    while ask(address, "/readyz")["datasetVersion"] != version:
                        time.sleep(0.05)
                if number == 2:
                    postgres.stop()
                    assert ask(addresses[0], "/api/errors")["datasetVersion"] == version
                    postgres.start()
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    assert {rounds[version] for _, version, _ in seen} == set(rounds.values())

    def is_whole(answer: tuple[str, frozenset[str]]) -> None:
        version, tags = answer
        assert tags == {f"round-{rounds[version]}"}

    check_each(((what, answer) for what, *answer in seen), is_whole)


def _watch(
    address: str, note: Callable[[tuple[str, str, frozenset[str]]], object], stop: threading.Event
) -> None:
    """Ask for lists and searches until the end; notes the version and the tags of each answer."""
    while not stop.is_set():
        for path in ("/api/errors?limit=200", "/api/errors?q=basket+packed&limit=200"):
            answer = ask(address, path)
            tags = [tag for item in answer["items"] for tag in item["record"]["tags"]]
            if len(tags) != RECORDS:
                tags.append(f"{len(tags)} instead of {RECORDS}")
            note((f"{address}{path}", answer["datasetVersion"], frozenset(tags)))
