"""Where the paste's own stack differs from what a record says of its raise: a small package is
harvested and ingested, and tracebacks of it are pasted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from errdex.formats.answer import to_wire
from errdex.formats.build import build_answer
from errdex.formats.options import WriteOptions
from errdex.formats.text import write_text
from errdex.harvest.records import Origin
from errdex.harvest.run import harvest
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import SourceFile, Tree
from errdex.ingest import ingest
from errdex.knowledge import Knowledge
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import open_database

SOURCE = """
def pay(coins):
    if coins > 100:
        raise ValueError(f"the till cannot hold {coins} coins")
"""
SENTENCE = "Raised by pay in tills/drawer.py:4 when coins > 100"
GO = """package tills

func Pay(coins int) {
	if coins > 100 {
		panic(fmt.Sprintf("the purse cannot hold %d coins", coins))
	}
}
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    folder = tmp_path_factory.mktemp("raising")
    (folder / "drawer.py").write_text(SOURCE)
    (folder / "purse.go").write_text(GO)
    python = Origin("acme/tills", "1.2.0", None, None, ("tills",))
    go = Origin("acme/purses", "v1.2.0", None, None)
    library = Origin("python/cpython", "3.12.1", None, None)
    (folder / "notes.py").write_text(SOURCE.replace("till", "wallet"))
    trees = [
        Tree(python, [SourceFile("tills/drawer.py", str(folder / "drawer.py"))]),
        Tree(go, [SourceFile("money/purse.go", str(folder / "purse.go"))]),
        Tree(library, [SourceFile("Lib/money/notes.py", str(folder / "notes.py"))]),
    ]
    records = folder / "records.jsonl"
    lines = b"".join(harvest(trees, Selection(), workers=1))
    records.write_bytes(lines)
    store = open_database(f"sqlite:///{folder}/errdex.db")
    indexes = WhooshIndexStore(folder / "index")
    assert ingest([records], store=store, indexes=indexes, dataset="harvested").ok
    known = Knowledge(store, indexes)
    yield known
    known.close()
    store.close()


def traceback(path: str, line: int, before: str = "") -> str:
    return (
        f"{before}Traceback (most recent call last):\n"
        '  File "/srv/app/main.py", line 3, in <module>\n'
        "    pay(200)\n"
        f'  File "{path}", line {line}, in pay\n'
        '    raise ValueError(f"the till cannot hold {coins} coins")\n'
        "ValueError: the till cannot hold 200 coins\n"
    )


def first_match(knowledge: Knowledge, paste: str) -> dict[str, Any]:
    answer: Any = to_wire(build_answer(knowledge.match(paste)))
    match: dict[str, Any] = answer["events"][0]["matches"][0]
    return match


SITE = "/usr/lib/python3.12/site-packages"
EGG = "/opt/eggs/tills-1.3-py3.12.egg/tills/drawer.py"
OTHER_LINE = {
    "kind": "line",
    "record": "4",
    "paste": "9",
    "words": "the stack shows line 9, the record line 4",
}
OTHER_VERSION = {
    "kind": "version",
    "record": "1.2.0",
    "paste": "1.3",
    "words": "the paste is from tills 1.3, the record from 1.2.0",
}


@pytest.mark.parametrize(
    ("paste", "expected"),
    [
        pytest.param(traceback(f"{SITE}/tills/drawer.py", 4), [], id="the same line"),
        pytest.param(traceback(f"{SITE}/tills/drawer.py", 9), [OTHER_LINE], id="another line"),
        pytest.param(traceback(EGG, 4), [OTHER_VERSION], id="a version in the path"),
        pytest.param(traceback(EGG, 9), [OTHER_LINE, OTHER_VERSION], id="both"),
        pytest.param(
            traceback(f"{SITE}/tills/drawer.py", 4, "tills==1.3\nother==1.2.0\n"),
            [OTHER_VERSION],
            id="a list of packages",
        ),
        pytest.param(
            traceback(f"{SITE}/tills/drawer.py", 4, f"{SITE}/tills-1.3.dist-info/METADATA\n"),
            [OTHER_VERSION],
            id="a folder of metadata",
        ),
        pytest.param(
            traceback(f"{SITE}/tills/drawer.py", 4, "Collecting tills==1.2\n"),
            [],
            id="the same version, with fewer numbers",
        ),
        pytest.param(
            traceback(f"{SITE}/tills/drawer.py", 4, "tills==1.3\ntills==1.4\n"),
            [],
            id="two versions tell nothing",
        ),
        pytest.param(
            traceback(f"{SITE}/tills/drawer.py", 4, "my-tills==1.3\ntills-more==1.3\n"),
            [],
            id="versions of other packages",
        ),
        pytest.param(
            traceback("/srv/app/elsewhere.py", 9), [], id="a stack that does not have the file"
        ),
        pytest.param("ValueError: the till cannot hold 200 coins\n", [], id="no stack"),
    ],
)
def test_a_match_says_what_the_paste_says_otherwise(
    knowledge: Knowledge, paste: str, expected: list[dict[str, str]]
) -> None:
    match = first_match(knowledge, paste)
    assert match["record"]["filePath"] == "tills/drawer.py"
    assert match["differences"] == expected


def test_the_version_of_a_go_module_stands_in_its_path(knowledge: Knowledge) -> None:
    paste = (
        "panic: the purse cannot hold 200 coins\n\ngoroutine 1 [running]:\n"
        "github.com/acme/purses/money.Pay(0xc8)\n"
        "\t/go/pkg/mod/github.com/acme/purses@v1.4.0/money/purse.go:7 +0x85\n"
        "main.main()\n\t/srv/app/main.go:4 +0x1d\n"
    )
    match = first_match(knowledge, paste)
    assert [(each["kind"], each["record"], each["paste"]) for each in match["differences"]] == [
        ("line", "5", "7"),
        ("version", "1.2.0", "1.4.0"),
    ]


def test_the_text_says_who_raises_it_where_and_when_and_what_differs(
    knowledge: Knowledge,
) -> None:
    text = write_text(build_answer(knowledge.match(traceback(EGG, 9))), WriteOptions()).decode()
    at = text.index(f"  {SENTENCE}\n")
    assert text[at:].splitlines()[1:3] == [
        f"    but {OTHER_LINE['words']}",
        f"    but {OTHER_VERSION['words']}",
    ]
    text = write_text(
        build_answer(knowledge.match(traceback(f"{SITE}/tills/drawer.py", 4))), WriteOptions()
    ).decode()
    assert SENTENCE in text
    assert "but the paste" not in text


@pytest.mark.parametrize(
    ("folder", "expected"), [("python3.12", []), ("python3.11", ["3.11"]), ("Python311", ["3.11"])]
)
def test_the_version_of_python_stands_in_the_path_of_its_library(
    knowledge: Knowledge, folder: str, expected: list[str]
) -> None:
    paste = traceback(f"/usr/lib/{folder}/money/notes.py", 4).replace("till", "wallet")
    match = first_match(knowledge, paste)
    assert match["record"]["repo"] == "python/cpython"
    assert [each["paste"] for each in match["differences"]] == expected
