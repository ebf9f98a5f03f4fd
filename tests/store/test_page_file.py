"""The file of made pages: nothing depends on it, and it gives out only what was put in."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Thread

import pytest

from errdex.store import KeptPage, PageFile

PAGE = KeptPage('W/"1"', b"hash", b"a page")
MB = 1 << 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "errdex.db.pages"


def test_a_page_is_found_by_others_and_after_a_restart(path: Path) -> None:
    first, second = PageFile(path, MB), PageFile(path, MB)
    assert first.find("/a") is None
    first.put("/a", PAGE)
    assert second.find("/a") == PAGE
    first.close()
    second.close()
    third = PageFile(path, MB)
    assert third.find("/a") == PAGE
    assert third.find("/b") is None
    third.close()


def test_the_last_page_put_stays(path: Path) -> None:
    file = PageFile(path, MB)
    newer = PAGE._replace(etag='W/"2"')
    file.put("/a", PAGE)
    file.put("/a", newer)
    assert file.find("/a") == newer
    file.close()


def test_any_address_can_be_asked_for(path: Path) -> None:
    file = PageFile(path, MB)
    for address in ("", "\ud800", "\0", "ü" * 10_000):
        file.put(address, PAGE._replace(body=address.encode("utf-8", "replace")))
        found = file.find(address)
        assert found
        assert found.body == address.encode("utf-8", "replace")
    file.close()


@pytest.mark.parametrize("what", ["a folder", "no folder", "nothing allowed"])
def test_without_a_place_nothing_is_kept(path: Path, what: str) -> None:
    if what == "a folder":
        path.mkdir()
    if what == "no folder":
        path = path / "no" / "folder"
    file = PageFile(path, 0 if what == "nothing allowed" else MB)
    file.put("/a", PAGE)
    assert file.find("/a") is None
    file.close()


def test_what_is_no_database_is_replaced(path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)
    file = PageFile(path, MB)
    assert file.find("/a") is None
    file.put("/a", PAGE)
    assert file.find("/a") == PAGE
    file.close()


@pytest.mark.parametrize("change", ["etag = 'other'", "shows = x'00'", "body = x'00'"])
def test_a_changed_page_is_not_given_out(path: Path, change: str) -> None:
    file = PageFile(path, MB)
    file.put("/a", PAGE)
    with sqlite3.connect(path) as other:
        other.execute(f"UPDATE page SET {change}")  # noqa: S608 (of the list above)
    other.close()
    assert file.find("/a") is None
    file.put("/a", PAGE)
    assert file.find("/a") == PAGE
    file.close()


def test_a_file_in_another_format_is_begun_anew(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE page (something)")
        other.execute("PRAGMA user_version = 99")
    other.close()
    file = PageFile(path, MB)
    file.put("/a", PAGE)
    assert file.find("/a") == PAGE
    file.close()


def test_while_another_writes_pages_are_found_but_not_put(path: Path) -> None:
    file = PageFile(path, MB)
    file.put("/a", PAGE)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    file.put("/b", PAGE)
    assert file.find("/a") == PAGE
    assert file.find("/b") is None
    other.execute("ROLLBACK")
    other.close()
    file.put("/b", PAGE)
    assert file.find("/b") == PAGE
    file.close()


def test_the_file_stays_within_its_bound(path: Path) -> None:
    file = PageFile(path, MB)
    for number in range(3000):
        file.put(f"/{number}", PAGE._replace(body=bytes(1000)))
    kept = sum(file.find(f"/{number}") is not None for number in range(3000))
    assert 500 < kept < 1200
    file.close()
    assert path.stat().st_size < 2 * MB


def test_a_file_of_a_larger_bound_is_begun_anew(path: Path) -> None:
    large = PageFile(path, 10 * MB)
    for number in range(3):
        large.put(f"/{number}", PAGE._replace(body=bytes(MB)))
    large.close()
    small = PageFile(path, MB)
    assert small.find("/0") is None
    small.close()
    assert path.stat().st_size < MB


def test_threads_may_share_it(path: Path) -> None:
    file = PageFile(path, 10 * MB)
    wrong: list[str] = []

    def work(name: int) -> None:
        for number in range(100):
            page = PAGE._replace(body=f"{name} {number}".encode())
            file.put(f"/{name}/{number}", page)
            if file.find(f"/{name}/{number}") != page:
                wrong.append(f"/{name}/{number}")

    threads = [Thread(target=work, args=(name,)) for name in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
    file.close()
