"""From the source excerpts of the reference documents to what the documents say."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import re2

from errdex.harvest.languages.python.source import extract
from errdex.harvest.records import Origin, RecordMaker


@dataclass(frozen=True)
class Document:
    error_class: str
    message: str
    pattern: str | None
    path: str
    line: int
    excerpt: str
    start: int


def documents(shared: Path) -> dict[str, Document]:
    """Two documents are JSON, one is the text of a page."""
    found: dict[str, Document] = {}
    for file in sorted((shared / "seeds").glob("*.txt")):
        text = file.read_text(encoding="utf-8")
        found[file.name[:3]] = _of_record(text) if text.startswith("{") else _of_page(text)
    return found


def _of_record(text: str) -> Document:
    record = json.loads(text)["record"]
    return Document(
        record["errorClass"],
        record["errorMessage"],
        record["messagePattern"],
        record["filePath"],
        record["lineNumber"],
        record["sourceCode"],
        record["sourceCodeStart"],
    )


def _of_page(text: str) -> Document:
    path, line = re.search(r"^Thrown at (.+):(\d+)\n\n", text, re.MULTILINE).groups()
    message = re.search(r"^Error message\n\n(.+)$", text, re.MULTILINE)[1]
    excerpt = re.search(r"^Thrown at [^\n]+\n\n(.*?)\n\nView on GitHub", text, re.M | re.S)[1]
    # The page does not number its lines: the raise whose text is the message is at `line`.
    lines = excerpt.split("\n")
    words = '"--enable-linear-replayssm-spec requires a linear draft chain "'
    raising = next(n for n, text in enumerate(lines) if words in text) - 1
    error_class = text.split("\n", 1)[0].rpartition(" · ")[2]
    return Document(error_class, message, None, path, int(line), excerpt, int(line) - raising)


def rebuilt(document: Document) -> str:
    """A file that parses and has the excerpt at its own line numbers."""
    lines = document.excerpt.split("\n")
    while not _parses(head_for(lines) + lines):
        lines.pop()  # the excerpt ends in the middle of a statement
    head = head_for(lines)
    padding = document.start - 1 - len(head)
    return "\n".join(["#"] * padding + head + lines) + "\n"


def head_for(lines: list[str]) -> list[str]:
    """What opens the blocks that the excerpt begins inside of."""
    depth = (len(lines[0]) - len(lines[0].lstrip())) // 4
    opened = [
        "def surrounding(cfg, self, pool):",
        *("    " * n + "if True:" for n in range(1, depth)),
    ]
    if lines[1].strip() == ")":
        opened.append("    " * depth + "pool(")
    return opened


def _parses(lines: list[str]) -> bool:
    try:
        compile("\n".join(lines) + "\n", "excerpt", "exec")
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("name", ["000", "002", "004"])
def test_the_source_of_a_reference_document_gives_its_class_line_and_messages(
    name: str, shared: Path
) -> None:
    document = documents(shared)[name]
    source = rebuilt(document)

    sites = extract(source, document.path).sites
    maker = RecordMaker(Origin("sgl-project/sglang"), document.path, "python", source)
    records = {record["lineNumber"]: record for record in maker.records(sites)}

    record = records[document.line]
    assert record["errorClass"] == document.error_class
    assert record["errorMessage"] == document.message
    said = document.message.replace("{cfg.speculative_eagle_topk!r}", "4")
    for pattern in (record["messagePattern"], document.pattern):
        if pattern is not None:
            assert re2.search(pattern, said)
            assert not re2.search(pattern, said.replace("replayssm", "something"))
    if document.pattern is not None:
        assert record["messagePattern"] == document.pattern


@pytest.mark.parametrize("name", ["002", "004"])
def test_the_excerpt_is_that_of_the_document(name: str, shared: Path) -> None:
    document = documents(shared)[name]
    source = rebuilt(document)
    sites = extract(source, document.path).sites
    maker = RecordMaker(Origin("sgl-project/sglang"), document.path, "python", source)

    record = next(r for r in maker.records(sites) if r["lineNumber"] == document.line)

    assert record["sourceCodeStart"] == document.start
    assert document.excerpt.startswith(record["sourceCode"].rstrip("\n"))
    assert record["raisedWhen"]
