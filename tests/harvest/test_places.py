"""The same text at several places of a repository is one record with several places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from errdex.harvest import merging
from errdex.harvest.merging import RecordSpool, merged, to_line
from errdex.harvest.reading import Tally
from errdex.harvest.run import harvest
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import open_tree
from errdex.records.field_types import MAX_ITEMS, Place
from errdex.records.fields import BY_WIRE, FIELDS
from errdex.records.places import PLACE_KEYS, at_place
from errdex.records.validation import parse_record

WHERE = {field.wire for field in FIELDS if field.group == "where"}


def harvested(root: Path, files: dict[str, str], workers: int = 1) -> list[dict[str, Any]]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    tree = open_tree(root, Selection(), repo="acme/widget", url_template="https://x/{path}#{line}")
    tally = Tally()
    lines = list(harvest([tree], Selection(), workers=workers, tally=tally))
    assert tally.records == len(lines)
    records = [orjson.loads(line) for line in lines]
    for record in records:
        assert parse_record(record).body() == record | {"slug": parse_record(record).slug}
    return records


def test_a_place_has_what_the_table_says_of_where() -> None:
    assert [field.alias for field in Place.model_fields.values()] == list(PLACE_KEYS)
    assert set(PLACE_KEYS) == WHERE - {"places", "placesLeftOut"} | {"documentation"}
    for name, field in Place.model_fields.items():
        expected = BY_WIRE[field.alias or name].type
        assert field.annotation in (
            expected,
            expected | None,
            *getattr(expected, "__args__", ()),
        ), name


SHELF = """
def put(shelf, item):
    # Shelves are counted.
    if shelf is None:
        raise KeyError(f"no shelf for {item}")

def take(shelf, name):
    if name not in shelf:
        raise KeyError(f"no shelf for {name}")
"""


def test_what_differs_stays_two_records(tmp_path: Path) -> None:
    files = {
        "class.py": 'raise KeyError(f"no room for {x}")\nraise IndexError(f"no room for {x}")\n',
        "code.js": "const a = new Error('it is broken'); a.code = 'E_ONE'; throw a;\n",
        "text.py": 'raise KeyError("no room for you")\nraise KeyError("no room for me")\n',
        "language.js": "throw new KeyError(`no room for ${x}`);\n",
    }
    records = harvested(tmp_path, files)
    assert not [record for record in records if "places" in record]
    said = [(r["language"], r.get("errorClass"), r["errorMessage"]) for r in records]
    assert len({record["id"] for record in records}) == len(set(said)) == len(said)
    for one in (
        ("python", "KeyError", "no room for {x}"),
        ("python", "IndexError", "no room for {x}"),
        ("python", "KeyError", "no room for you"),
        ("javascript", "KeyError", "no room for {x}"),
    ):
        assert one in said


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_one_text_is_one_record_with_its_places(tmp_path: Path, workers: int) -> None:
    files = {"src/b.py": SHELF, "src/a.py": "#\n" + SHELF}
    (record,) = harvested(tmp_path, files, workers)
    assert (record["filePath"], record["lineNumber"]) == ("src/a.py", 6)
    assert record["errorMessage"] == "no shelf for {item}"
    assert record["documentation"] == "Shelves are counted."
    assert [
        (place["filePath"], place["lineNumber"], place["function"], place["raisedWhen"])
        for place in record["places"]
    ] == [
        ("src/a.py", 10, "take", "name not in shelf"),
        ("src/b.py", 5, "put", "shelf is None"),
        ("src/b.py", 9, "take", "name not in shelf"),
    ]
    take, again, _ = record["places"]
    assert take["documentation"] is None
    assert "documentation" not in again
    assert take["githubUrl"] == "https://x/src/a.py#10"
    start = take["sourceCodeStart"]
    excerpt = take["sourceCode"].split("\n")
    assert excerpt[10 - start] == '        raise KeyError(f"no shelf for {name}")'
    assert take["sourceCodeEnd"] == start + len(excerpt) - 1
    assert record["sourceCode"].startswith("#\n")
    assert at_place(record, 0) == {key: record[key] for key in record if key != "places"}
    read = at_place(record, 1)
    assert (read["function"], read["raisedWhen"], read["documentation"], read["id"]) == (
        "take",
        "name not in shelf",
        None,
        record["id"],
    )


def test_a_place_without_what_the_first_has_does_not_get_it() -> None:
    body = {
        "raisedWhen": "a",
        "function": "f",
        "filePath": "a.py",
        "places": [{"filePath": "b.py"}],
    }
    assert at_place(body, 1) == {"filePath": "b.py"}


def test_an_id_survives_a_moved_file(tmp_path: Path) -> None:
    (before,) = harvested(tmp_path / "one", {"a.py": SHELF})
    (after,) = harvested(tmp_path / "two", {"far/away.py": SHELF.replace("put", "place")})
    assert before["id"] == after["id"]


def test_where_a_class_only_has_the_text_it_comes_last(tmp_path: Path) -> None:
    own = "class Full(OSError):\n  def __init__(self, n):\n    super().__init__(f'{n} is full')\n"
    (alone,) = harvested(tmp_path / "one", {"a.py": own})
    assert alone["lineNumber"] == 3
    (raised,) = harvested(tmp_path / "two", {"a.py": own, "b.py": "def f(n):\n    raise Full(3)\n"})
    assert (raised["filePath"], raised["lineNumber"]) == ("b.py", 2)
    assert [(place["filePath"], place["lineNumber"]) for place in raised["places"]] == [("a.py", 3)]


def body_of(number: int, **more: Any) -> dict[str, Any]:
    lines = [f"line {n}" for n in range(1, 40)]
    return {
        "id": "0" * 16,
        "repo": "a/b",
        "errorMessage": "it failed",
        "severity": "error",
        "filePath": f"f{number:04}.py",
        "lineNumber": 20,
        "sourceCode": "\n".join(lines),
        "sourceCodeStart": 1,
        "sourceCodeEnd": 39,
    } | more


def test_places_are_bounded_and_the_rest_is_counted() -> None:
    record = merged([body_of(n) for n in range(MAX_ITEMS + 50)])
    assert len(record["places"]) == MAX_ITEMS
    assert record["placesLeftOut"] == 49
    parse_record(record)


def test_long_places_lose_their_excerpts_and_no_record_is_too_large() -> None:
    long = "x" * 490
    bodies = [
        body_of(n, sourceCode="\n".join([long] * 39), raisedWhen=long * 8) for n in range(300)
    ]
    record = merged(bodies)
    parse_record(record)
    assert "sourceCode" in record["places"][0]
    assert "sourceCode" not in record["places"][-1]
    assert len(record["places"]) + record["placesLeftOut"] == 299


def test_the_severest_is_kept_and_one_place_is_one() -> None:
    record = merged([body_of(1, severity="warning"), body_of(2, severity="fatal"), body_of(1)])
    assert record["severity"] == "fatal"
    assert [place["filePath"] for place in record["places"]] == ["f0002.py"]
    assert "placesLeftOut" not in record


def test_lines_wait_on_disk_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "IN_MEMORY", 1_000)
    with RecordSpool() as spool:
        for n in range(30):
            spool.add([to_line(body_of(n, id=f"{n % 10:016x}"))])
        lines = [orjson.loads(line) for line in spool.lines()]
    assert len(spool) == len(lines) == 10
    assert [line["filePath"] for line in lines] == [f"f{n:04}.py" for n in range(10)]
    assert {len(line["places"]) for line in lines} == {2}
