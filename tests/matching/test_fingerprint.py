"""Fingerprints: equal over runs and machines, different for different errors."""

from __future__ import annotations

import re

import pytest

from errdex.matching.events import find_events
from errdex.matching.fingerprint import fingerprint_of
from errdex.matching.model import Frame
from errdex.matching.own_code import own_frames
from errdex.matching.reading import read_paste


def fingerprints(log: str) -> list[str]:
    return [fingerprint_of(event) for event in find_events(read_paste(log)).events]


PYTHON = """Traceback (most recent call last):
  File "{home}/shop/app.py", line {line}, in run
    load()
  File "{home}/.venv/lib/python3.11/site-packages/requests/{module}.py", line 30, in get
    return send()
requests.exceptions.ConnectionError: cannot connect to {host}:5432 after {seconds} s
"""
HERE = {"home": "/home/ada", "line": 3, "module": "api", "host": "db7.corp", "seconds": 30}
JAVA = """Exception in thread "main" java.lang.IllegalStateException: Order {number} closed
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:{deep})
\tat com.acme.shop.Main.main(Main.java:{number})
"""
NODE = """TypeError: Cannot read properties of undefined (reading 'x')
    at next ({root}/node_modules/express/lib/router.js:1:2)
    at go ({root}/dist/app.{build}.js:{line}:5)
"""
GO = """panic: runtime error: index out of range [{index}] with length 3

goroutine {index} [running]:
main.main()
\t{root}/prog.go:9 +0x1d
"""
SAME = {
    "python": (PYTHON, HERE, {**HERE, "home": "/builds/x", "line": 8, "host": "10.0.0.8"}),
    "python-installed": (PYTHON, HERE, {**HERE, "module": "sessions", "seconds": 7}),
    "java": (JAVA, {"number": 7, "deep": 1511}, {"number": 12, "deep": 1540}),
    "node": (
        NODE,
        {"root": "/app", "build": "4f3a9c21aa", "line": 3},
        {"root": "/srv/w", "build": "99e0bd7712", "line": 70},
    ),
    "go": (GO, {"index": 5, "root": "/srv/a1"}, {"index": 9, "root": "/home/ada/x"}),
}


@pytest.mark.parametrize(("log", "one", "other"), SAME.values(), ids=SAME)
def test_it_is_the_same_in_another_run_and_on_another_machine(log, one, other) -> None:
    first = fingerprints(log.format(**one))
    assert len(first) == 1
    assert fingerprints(log.format(**other)) == first
    assert re.fullmatch(r"v1:[0-9a-f]{32}", first[0])


def test_colours_and_headers_of_lines_do_not_change_it() -> None:
    plain = fingerprints("ShopError: Basket 7 is empty\n")
    assert (
        fingerprints("2026-11-29T10:00:00Z \x1b[31mShopError: Basket 8 is empty\x1b[0m\n") == plain
    )


TRACEBACK = """Traceback (most recent call last):
  File "{file}", line 1, in {function}
ShopError: Basket 7 is empty
"""
OTHERS = (
    "ShopError: Basket 7 is empty\n",
    "ShopError: Basket 7 is locked\n",
    "OrderError: Basket 7 is empty\n",
    TRACEBACK.format(file="a.py", function="f"),
    TRACEBACK.format(file="b.py", function="f"),
    TRACEBACK.format(file="b.py", function="g"),
)


def test_each_of_its_parts_counts() -> None:
    found = [fingerprints(log) for log in OTHERS]
    assert all(len(each) == 1 for each in found)
    assert len({each[0] for each in found}) == len(OTHERS)


OWN = {
    "src/main.c": True,
    "C:\\work\\shop\\app.py": True,
    "/home/ada/lib/shop.rb": True,
    "/home/ada/go/pkg/mod/golang.org/x/net@v1/http.go": False,
    "/usr/local/go/src/runtime/panic.go": False,
    "/usr/lib/python3.11/json/decoder.py": False,
    "C:\\shop\\node_modules\\express\\index.js": False,
    "/rustc/0123456789abcdef/library/core/src/panicking.rs": False,
    "/home/ada/.cargo/registry/src/serde/lib.rs": False,
    "node:internal/modules/cjs/loader": False,
    "<frozen importlib._bootstrap>": False,
    "/var/lib/gems/3.1.0/gems/rake-13/lib/rake.rb": False,
}


def test_own_frames_are_told_from_installed_ones() -> None:
    for file, own in OWN.items():
        assert bool(list(own_frames([Frame(file, 1)]))) == own, file
    assert not list(own_frames([Frame("ArrayList.java", 1, "java.util.ArrayList.get")]))
    assert not list(own_frames([Frame(None, None, "main")]))


def test_a_long_or_odd_message_has_one_too() -> None:
    assert len(fingerprints("ValueError: " + "x" * 100_000 + "\n")) == 1
    assert len(fingerprints("ValueError: \udcff\x00\u202e\n")) == 1
