"""`errdex match` of archives and test reports, and formats with places in the checkout."""

from __future__ import annotations

import io
import json
import os
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.forked import ForkedCommand
from tests.cli.shop import load_shop

from errdex.cli import archives

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
KNOWN = "ShopError: Basket 7 is empty\n"
TRACEBACK = f"""Traceback (most recent call last):
  File "/builds/acme/shop/shop/basket.py", line 12, in checkout
{KNOWN}"""
REPORT = f"""<testsuite name="unit" tests="3"><testcase classname="t.Basket" name="pays"/>
<testcase classname="t.Basket" name="empty"><failure message="m">{KNOWN}</failure></testcase>
<testcase classname="t.Napkin" name="folds"><error>NapkinError: unheard of</error></testcase>
</testsuite>"""


@pytest.fixture(scope="module")
def match(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("home")
    named = load_shop(forked, home)

    def run(
        *words: object, paste: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return forked.run(("match", *words), input=paste.encode(), env={**named, **(env or {})})

    return run


def archive(path: Path, names: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in names.items():
            file.writestr(name, text)
    return path


# Archives


def test_a_zip_file_of_logs_is_answered_log_by_log(match: Run, tmp_path: Path) -> None:
    names = {"b/2.log": KNOWN, "a.log": "all is well\n", "c.bin": b"\0\1", "d.log": ""}
    file = archive(tmp_path / "logs.zip", names)
    done = match(file)
    assert done.returncode == 0
    assert f"{file}/b/2.log\n" in done.stdout.decode()
    assert done.stdout.decode().endswith("1 error found in 2 logs, 1 known.\n")
    # in a folder too, beside other logs
    (tmp_path / "e.log").write_text(KNOWN)
    lines = match(tmp_path, "--format", "ndjson").stdout.splitlines()
    assert [json.loads(line)["file"] for line in lines] == [
        str(tmp_path / "e.log"),
        f"{file}/b/2.log",
    ]


def test_a_job_of_github_is_read_once(match: Run, tmp_path: Path) -> None:
    names = {"0_build (3.12).txt": KNOWN, "build (3.12)/1_Set up.txt": "x\n",
             "build (3.12)/2_Test.txt": KNOWN, "lint/1_Lint.txt": KNOWN}  # fmt: skip
    lines = match(archive(tmp_path / "logs.zip", names), "--format", "ndjson").stdout.splitlines()
    assert [Path(json.loads(line)["file"]).name for line in lines] == [
        "0_build (3.12).txt",
        "1_Lint.txt",
    ]


def test_names_in_an_archive_lead_nowhere(match: Run, tmp_path: Path) -> None:
    names = {"../../evil.log": KNOWN, "/etc/evil.log": KNOWN, "..\\evil.log": KNOWN}
    names |= {"\x1b[2J\n::error::x.log": KNOWN}
    (tmp_path / "deep").mkdir()
    file = archive(tmp_path / "deep/logs.zip", names)
    before = sorted(tmp_path.rglob("*"))
    for form in ("text", "github", "gitlab", "sarif", "junit"):
        done = match(file, "--format", form)
        assert done.returncode == 0
        assert b".." not in done.stdout.replace(b"\xe2\x80\xa6", b"")
        assert b"\x1b" not in done.stdout
        assert not [line for line in done.stdout.splitlines() if line.startswith(b"::error::")]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_damaged_archive_is_reported(match: Run, tmp_path: Path) -> None:
    file = archive(tmp_path / "logs.zip", {"a.log": KNOWN * 100})
    data = file.read_bytes()
    for broken in (
        data[:60],
        data[:40] + b"\xff" * 20 + data[60:],
        data.replace(b"a.log", b"b.log", 1),
    ):
        file.write_bytes(broken)
        done = match(file)
        assert done.returncode == 3
        assert b"The archive is damaged" in done.stderr
        assert b"Traceback" not in done.stderr


def test_what_an_archive_unpacks_to_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = archive(tmp_path / "logs.zip", {f"{n}.log": "x" * 1_000 for n in range(20)})
    read = list(archives.read_archive(file, most_files=5, most=100))
    assert [len(data) for _, data in read] == [100] * 5
    monkeypatch.setattr(archives, "MOST_UNPACKED", 250)
    with pytest.raises(archives.ArchiveRefused, match="unpacks to over"):
        list(archives.read_archive(file, most_files=5, most=100))
    with pytest.raises(archives.ArchiveRefused, match="too many files"):
        list(archives.read_archive(file, most_files=1, most=100))
    monkeypatch.setattr(archives, "MOST_BYTES", 10)
    with pytest.raises(archives.ArchiveRefused, match="larger than"):
        list(archives.read_archive(file, most_files=50, most=100))


@pytest.mark.parametrize("packed", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_may_unpack_to_gigabytes_at_once_is_refused(
    tmp_path: Path, packed: int
) -> None:
    file = tmp_path / "logs.zip"
    with zipfile.ZipFile(file, "w", packed) as made:
        made.writestr("a.log", "x" * 100_000)
    with pytest.raises(archives.ArchiveRefused, match="neither stored nor deflated"):
        list(archives.read_archive(file, most_files=5, most=100))


def test_an_encrypted_archive_is_reported(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("a.log", KNOWN)
    encrypted = data.getvalue().replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01")
    encrypted = encrypted.replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"
    )
    (tmp_path / "logs.zip").write_bytes(encrypted)
    with pytest.raises(archives.ArchiveRefused, match="encrypted"):
        list(archives.read_archive(tmp_path / "logs.zip", 5, 100))


def test_a_name_may_be_of_any_bytes(match: Run, tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(tmp_path) + b"/a\xff.log")).write_text(KNOWN)
    for form in ("json", "ndjson", "github", "sarif", "gitlab", "junit", "text", "markdown"):
        assert match(tmp_path, "--format", form).returncode == 0, form


# Test reports


def test_each_failing_case_of_a_report_is_answered(match: Run, tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    done = match("--junit", tmp_path / "report.xml", "--format", "ndjson")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["test"], each["outcome"]) for each in found] == [
        ("t.Basket.empty", "known"),
        ("t.Napkin.folds", "unknown"),
    ]
    text = match("--junit", tmp_path / "report.xml").stdout.decode()
    assert f"{tmp_path}/report.xml: t.Basket.empty\n" in text
    assert text.endswith("2 errors found in 2 logs, 1 known.\n")
    assert match("--junit", tmp_path / "report.xml", "--fail-on", "unknown").returncode == 4


def test_a_report_is_written_with_what_is_known(match: Run, tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    done = match("--junit", tmp_path / "report.xml", "--format", "junit")
    assert done.returncode == 0
    root = ElementTree.fromstring(done.stdout)  # noqa: S314 (our own)
    assert [case.get("name") for case in root.iter("testcase")] == ["pays", "empty", "folds"]
    assert "Fix: Add an article before checkout." in root.find(".//failure").text
    assert root.find(".//error").text == "NapkinError: unheard of"


def test_a_report_without_failures_is_no_failure(match: Run, tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text('<testsuite name="u"><testcase name="a"/></testsuite>')
    done = match("--junit", tmp_path / "report.xml", "--fail-on", "any")
    assert (done.returncode, done.stderr) == (0, b"errdex: No failing cases.\n")
    assert match("--junit", tmp_path / "report.xml").returncode == 1


def test_a_report_that_cannot_be_read_is_a_failure(match: Run, tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text("<!DOCTYPE x><testsuite/>")
    done = match("--junit", tmp_path / "report.xml", "--fail-on", "known")
    assert done.returncode == 3
    assert b"report.xml: The report has a document type" in done.stderr
    two = ("--junit", tmp_path / "report.xml", "--junit", tmp_path / "x.xml")
    assert match(*two, "--format", "junit").returncode == 2


# Places


def test_paths_are_those_of_the_checkout(match: Run, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/basket.py").touch()
    command = b"::error file=shop/basket.py,line=12,title="
    assert match("--format", "github", "--root", tmp_path, paste=TRACEBACK).stdout.startswith(
        command
    )
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE"):
        done = match("--format", "github", paste=TRACEBACK, env={name: str(tmp_path)})
        assert done.stdout.startswith(command), name
    done = match("--root", tmp_path / "gone", paste=TRACEBACK)
    assert done.returncode == 2
    assert b"is no folder" in done.stderr


def test_a_document_has_the_errors_of_all_logs(match: Run, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(KNOWN)
    (tmp_path / "b.log").write_text(TRACEBACK)
    (run,) = json.loads(match(tmp_path, "--format", "sarif").stdout)["runs"]
    assert [Path(each["properties"]["log"]).name for each in run["results"]] == ["a.log", "b.log"]
    (run,) = json.loads(match(tmp_path / "a.log", "--format", "sarif").stdout)["runs"]
    assert run["results"][0]["properties"]["log"] == str(tmp_path / "a.log")
    done = match("--follow", "--format", "sarif", paste=KNOWN)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"is one document" in done.stderr
