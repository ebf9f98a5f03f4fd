"""`errdex show` and `errdex search` with a server instead of a database."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest
from tests.cli.forked import ForkedCommand
from tests.knowledge_base import SHOP, record
from tests.other_server import says, serving
from tests.serving import served

WORN = record(
    "Basket {basket_id} is worn out",
    id="abcd000000000001",
    slug="basket-is-worn-out",
    errorCode="E0382",
    backgroundTag="worn-out",
    solutions=["Mend it."],
)
CAUSE = {"tag": "worn-out", "title": "Worn out", "text": "It was used.", "checks": ["Look."]}


@pytest.fixture(scope="module")
def run(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory):
    home = tmp_path_factory.mktemp("home")
    named = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}
    return lambda *words: forked.run(words, text=True, env=named)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("site"), [*SHOP, WORN, CAUSE]) as address:
        yield address


@pytest.mark.parametrize(
    "name",
    ["E0382", "abcd0000", "abcd000000000001", "worn out", "/errors/abcd000000000001/old-slug"],
)
def test_a_record_of_a_server_is_shown_with_its_page(run, site: str, name: str) -> None:
    done = run("show", *name.split(), "--server", site.removeprefix("http://"))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"\n{site}/errors/abcd000000000001/basket-is-worn-out\n" in done.stdout
    assert "Mend it." in done.stdout
    assert "Cause: Worn out" in done.stdout


def test_a_cause_of_a_server_is_shown_with_its_page(run, site: str) -> None:
    done = run("explain", "worn-out", "--server", site)
    assert done.returncode == 0
    assert f"{site}/causes/worn-out" in done.stdout
    assert "It was used." in done.stdout


def test_a_search_of_a_server_lists_pages(run, site: str) -> None:
    done = run("search", "basket", "--class", "ShopError", "--server", site)
    assert done.returncode == 0
    assert f"{site}/errors/abcd000000000001/basket-is-worn-out" in done.stdout
    assert "locked" not in done.stdout
    data = json.loads(run("search", "worn", "--server", site, "--json").stdout)
    assert [each["record"]["id"] for each in data["items"]] == ["abcd000000000001"]


def test_what_a_server_does_not_have_is_said(run, site: str) -> None:
    for words in (("show", "zzzz"), ("show", "0" * 16), ("search", "zzzz")):
        done = run(*words, "--server", site)
        assert (done.returncode, done.stdout) == (1, "")
        assert len(done.stderr.splitlines()) == 1


HOSTILE = [
    b"",
    b"[]",
    b"{}",
    b'{"items": [{"record": 7}]}',
    b'{"items": 5, "total": 1, "partial":0,"suggestion": null, "notes": [], "datasetVersion": 1}',
    json.dumps(
        {
            "items": [
                {
                    "record": {"id": "a" * 16, "errorMessage": {"x": 1}},
                    "score": 1,
                    "allWords": True,
                    "matched": False,
                }
            ],
            "total": 1,
            "partial": 0,
            "suggestion": None,
            "notes": [],
            "datasetVersion": "",
        }
    ).encode(),
    b'{"record": {"id": "aaaaaaaaaaaaaaaa", "repo": "\\u001b[31m"}, "datasetVersion": "x"}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("words", [("show", "a" * 16), ("show", "worn"), ("search", "worn")])
def test_what_is_no_answer_is_one_line(run, body: bytes, words) -> None:
    with serving(says(200, body)) as address:
        done = run(*words, "--server", address)
    assert (done.returncode, done.stdout) == (3, "")
    assert "does not answer as Errdex does" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_address_of_a_record_of_another_server_steers_no_terminal(run) -> None:
    found = {"record": {**WORN, "id": "\x1b[2J\x9b31m\u202e"}, "score": 1.0}
    found |= {"allWords": True, "matched": True}
    page = {"items": [found], "total": 1, "partial": 0, "suggestion": None, "notes": []}
    with serving(says(200, json.dumps(page | {"datasetVersion": "1"}).encode())) as other:
        for words in (("search", "worn"), ("search", "worn", "--json")):
            done = run(*words, "--server", other)
            assert done.returncode == 0, done.stderr
            assert not {"\x1b", "\x9b", "\u202e"} & set(done.stdout)
