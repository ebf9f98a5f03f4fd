"""Long lists: paged without gaps, and read with as few statements as short ones."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event
from sqlalchemy.pool import Pool
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage

FIRST = f"{1:016x}"


def records(count):
    """Records of one kind; the first is the same whatever their number."""
    for number in range(count):
        group = number % 150
        yield record(
            f"Parcel {number} of route {group} is lost",
            id=f"{number + 1:016x}",
            repo=f"acme/depot-{group}" if number else "acme/depot",
            errorClass=f"Lost{group}Error",
            tags=["parcel", f"route-{group}"],
            backgroundTag=f"lost-{group}",
            filePath=f"depot/{group}.py",
            lineNumber=number + 1,
            language="python",
        )


@pytest.fixture(scope="module")
def statements() -> Iterator[list[str]]:
    """The statements that SQLite runs for requests."""
    seen: list[str] = []

    def note(statement: str) -> None:
        watcher = threading.current_thread().name == "version watcher"
        if not watcher and not re.match("BEGIN|ROLLBACK|COMMIT", statement):
            seen.append(statement)

    def connected(connection, _):
        connection.set_trace_callback(note)

    event.listen(Pool, "connect", connected)
    yield seen
    event.remove(Pool, "connect", connected)


@pytest.fixture(scope="module")
def few(statements, serve_records) -> TestClient:
    return serve_records(list(records(3)))


@pytest.fixture(scope="module")
def many(statements, serve_records) -> TestClient:
    return serve_records(list(records(600)))


@pytest.mark.parametrize(
    ("address", "most"),
    [
        ("/", 20),
        (f"/errors/{FIRST}", 28),
        ("/search?q=parcel+lost", 6),
        ("/search?q=nothingofthekind", 6),
        ("/search?tag=parcel&language=python", 28),
        ("/search", 12),
        ("/repos", 6),
        ("/repos/acme/depot", 12),
        ("/classes", 6),
        ("/classes/Lost0Error", 14),
        ("/tags", 6),
        ("/tags/parcel", 14),
        ("/causes", 6),
        ("/causes/lost-0", 14),
        ("/about", 4),
        ("/nothing", 4),
    ],
)
def test_a_page_takes_a_bounded_number_of_statements(few, many, statements, address, most):
    taken = []
    for client in (few, many):
        statements.clear()
        assert client.get(address).status_code in {200, 404}
        taken.append(len(statements))
    assert max(taken) <= most, statements


def test_an_answered_paste_takes_a_bounded_number_of_statements(few, many, statements):
    paste = "\n".join(
        [f"Lost{n}Error: Parcel {n} of route {n} is lost" for n in range(150)]
        + [f"Other{n}Error: Parcel {n} of the route is gone" for n in range(150)]
    )
    for client in (few, many):
        statements.clear()
        assert client.post("/match", files={"paste": (None, paste)}).status_code == 200
        assert len(statements) <= 16, statements


def test_a_shared_answer_takes_as_few_statements_as_it_has_records(many, statements):
    ids = [f"{n:016x}" for n in range(1, 30)]
    statements.clear()
    many.get("/match/shared", params=[("r", each) for each in ids[:20]])
    assert len(statements) <= 40, statements


@pytest.mark.parametrize(
    "address", ["/search?q=lost", "/search", "/search?language=python", "/tags/parcel"]
)
def test_following_next_shows_each_record_once(many, address):
    seen = follow(many, address, "/errors/")
    assert len(seen) == len(set(seen)) == 600


@pytest.mark.parametrize("address", ["/tags", "/classes", "/causes", "/repos"])
def test_following_next_shows_each_value_once(many, address):
    seen = follow(many, address, f"{address}/")
    assert len(seen) == len(set(seen)) == 151 - (address in {"/classes", "/causes"})


def follow(client, address, kind):
    """The addresses in the main part of this page and of those after it."""
    seen = []
    while address:
        page = HtmlPage(client.get(address).text)
        seen += [link for link in page.links if link.startswith(kind)]
        following = [each for each in page.named("a") if each.attributes.get("rel") == "next"]
        address = following[0].attributes["href"] if following else None
    return seen
