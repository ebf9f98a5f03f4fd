"""The wheel, installed into an environment that holds nothing else of Errdex.

The environment borrows the packages that Errdex needs from the one that runs the tests, so
that nothing is downloaded: a path in a .pth file is searched, its own .pth files are not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
PASTE = """\
Traceback (most recent call last):
  File "shop/run.py", line 3, in <module>
    import basket_of_nobody
ModuleNotFoundError: No module named 'basket_of_nobody'
"""
OWN = {
    "repo": "acme/shop",
    "errorMessage": "Basket {basket_id} is empty",
    "errorClass": "ShopError",
}

pytestmark = pytest.mark.slow


def build_wheel(folder: Path, **environment: str) -> Path:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps",
         "--no-index", "--wheel-dir", folder, ROOT],
        env={**os.environ, "SOURCE_DATE_EPOCH": "1735689600", **environment},
        check=True,
        timeout=600,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def prefix(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel in it."""
    prefix = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True)
    python = prefix / "bin/python"
    install = ["install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel]
    subprocess.run([sys.executable, "-m", "pip", "--python", python, *install], check=True)
    (site,) = prefix.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return prefix


@pytest.fixture
def run(prefix: Path, tmp_path: Path):
    """Runs a program of the environment in an empty folder, by default without a home."""
    empty = tmp_path / "empty"
    empty.mkdir()

    def run(program: str, *words: object, stdin: str = "", **environment: str):
        return subprocess.run(
            [prefix / "bin" / program, *map(str, words)],
            cwd=empty,
            env=environment_of(prefix, **environment),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=600,
        )

    return run


def environment_of(prefix: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": f"{prefix}/bin",
        "HOME": str(prefix / "no-such-home"),
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }


def files_of(prefix: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder there, with its time and size: what is written shows."""
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in prefix.rglob("*")}


def test_the_same_files_make_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    again = build_wheel(tmp_path, PYTHONHASHSEED="7")
    assert again.read_bytes() == wheel.read_bytes()


def test_it_holds_the_program_alone(wheel: Path, prefix: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"errdex"}
    (record,) = prefix.glob("lib/python*/site-packages/errdex-*.dist-info/RECORD")
    paths = [line.partition(",")[0] for line in record.read_text().splitlines()]
    others = {path for path in paths if not path.startswith(("errdex/", record.parent.name))}
    assert others == {"../../../bin/errdex"}
    assert {"errdex/py.typed", "errdex/_starter/errdex.db"} <= set(paths)
    assert [path for path in paths if path.startswith("errdex/_starter/errdex.db.patterns/")]
    site = record.parent.parent
    assert {path.name for path in site.iterdir()} == {
        "errdex", record.parent.name, "borrowed.pth",
    }  # fmt: skip


def test_every_command_that_reads_answers_and_nothing_is_written(prefix: Path, run) -> None:
    before = files_of(prefix)
    matched = run("errdex", "match", "--json", stdin=PASTE)
    assert matched.returncode == 0, matched.stderr
    (event,) = json.loads(matched.stdout)["events"]
    assert event["matches"][0]["record"]["errorClass"] == "ModuleNotFoundError"
    record_id = event["matches"][0]["record"]["id"]
    unknown = run("errdex", "match", stdin="ShopError: Basket 4711 is empty\n")
    assert (unknown.returncode, unknown.stderr) == (1, "")
    assert record_id in run("errdex", "search", "No module named").stdout
    assert json.loads(run("errdex", "show", "--json", record_id).stdout)["record"]["id"]
    stats = json.loads(run("errdex", "stats", "--json").stdout)
    assert [each["name"] for each in stats["datasets"]] == ["starter"]
    exported = [json.loads(line) for line in run("errdex", "export").stdout.splitlines()]
    assert len([each for each in exported if "id" in each]) == stats["records"] > 1000
    assert len([each for each in exported if "checks" in each]) > 100
    assert run("errdex", "verify").returncode == 0
    assert files_of(prefix) == before


def test_first_starts_at_once_all_answer(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(PASTE)
    command = [prefix / "bin/errdex", "match", tmp_path / "log"]
    running = [
        subprocess.Popen(command, env=environment_of(prefix), stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    for each in running:
        output = each.communicate(timeout=600)[0]
        assert each.returncode == 0
        assert b"ModuleNotFoundError" in output


def test_what_writes_the_starter_database_is_refused(prefix: Path, run) -> None:
    (starter,) = prefix.glob("lib/python*/site-packages/errdex/_starter/errdex.db")
    before = files_of(prefix)
    done = run("errdex", "ingest", "-", "--database", f"sqlite:///{starter}", stdin="[]")
    assert done.returncode == 3
    assert "never changed" in done.stderr
    assert run("errdex", "reindex").returncode == 3
    assert files_of(prefix) == before


@pytest.fixture
def server(prefix: Path, port: int) -> Iterator[str]:
    command = [prefix / "bin/errdex", "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=environment_of(prefix), stdout=subprocess.DEVNULL)
    try:
        while True:
            assert process.poll() is None, "the server ended"
            try:
                with urlopen(f"http://127.0.0.1:{port}/readyz"):
                    break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=600)


def test_a_server_answers_from_it_and_writes_nothing(prefix: Path, server: str) -> None:
    before = files_of(prefix)
    with urlopen(f"{server}/api/errors?q=module&limit=1") as found:  # noqa: S310
        record = json.load(found)["items"][0]["record"]
    with urlopen(f"{server}/errors/{record['id']}") as page:  # noqa: S310
        assert b"<html" in page.read()
    assert files_of(prefix) == before


def test_an_ingestion_makes_a_database_with_the_starter_records(run, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    shipped = json.loads(run("errdex", "stats", "--json", **home).stdout)["records"]
    body = json.dumps([OWN])
    first = run("errdex", "ingest", "-", "--dataset", "shop", stdin=body, **home)
    assert first.returncode == 0, first.stderr
    assert f"starter records: {shipped:,} added" in first.stderr
    assert (tmp_path / "data/errdex/errdex.db").is_file()
    stats = json.loads(run("errdex", "stats", "--json", **home).stdout)
    held = {each["name"]: each["records"] for each in stats["datasets"]}
    assert held == {"starter": shipped, "shop": 1}
    for paste in (PASTE, "ShopError: Basket 4711 is empty\n"):
        assert run("errdex", "match", stdin=paste, **home).returncode == 0
    again = run("errdex", "ingest", "-", "--dataset", "shop", stdin=body, **home)
    assert "starter records" not in again.stderr

    # As after an upgrade: the starter records of this database are not those of the package.
    old = run("errdex", "ingest", "-", "--dataset", "starter", "--prune", stdin="[]", **home)
    assert old.returncode == 0, old.stderr
    third = run("errdex", "ingest", "-", "--dataset", "shop", stdin=body, **home)
    assert f"starter records: {shipped:,} added" in third.stderr


def test_a_place_that_is_named_is_the_only_one_that_counts(run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/none.db"
    named = {"ERRDEX_DATABASE_URL": url}
    for words in (["match"], ["search", "module"], ["show", "0" * 16], ["stats"], ["export"],
                  ["serve"], ["verify"], ["reindex"]):  # fmt: skip
        for done in (
            run("errdex", *words, stdin=PASTE, **named),
            run("errdex", *words, "--database", url, stdin=PASTE),
        ):
            assert done.returncode == 3, words
            assert f"There is no database at {tmp_path}/none.db" in done.stderr, words
            assert "errdex ingest" in done.stderr
    assert list(tmp_path.glob("none*")) == []
    done = run("errdex", "ingest", "-", "--database", url, stdin=json.dumps([OWN]))
    assert done.returncode == 0
    assert json.loads(run("errdex", "stats", "--json", **named).stdout)["records"] == 1
