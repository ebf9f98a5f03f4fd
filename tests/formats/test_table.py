"""The table of formats: every row is complete, and every writer writes every answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from errdex.formats.answer import (
    CapturedText,
    ErrorEvent,
    EvidenceItem,
    MatchedRecord,
    NamedRecord,
    PasteAnswer,
    PasteRange,
    SimilarRecord,
    StackFrame,
    read_answer,
    to_wire,
)
from errdex.formats.options import WriteOptions
from errdex.formats.table import (
    FORMATS,
    OutputFormat,
    UnknownFormat,
    get_format,
    list_media_types,
)

PLACE = PasteRange(2, 10, 2, 20)
RECORD = NamedRecord(
    "0" * 16,
    slug="x",
    url=f"https://errdex.example/errors/{'0' * 16}/x",
    repo="acme/shop",
    error_message="Basket {number} is empty",
    documentation="A basket without articles.",
    solutions=["Add an article."],
)
KNOWN = ErrorEvent(
    outcome="known",
    fingerprint="v1:0",
    language="python",
    error_class="ShopError",
    error_code=None,
    message="Basket \x1b[31m7 is empty",
    message_length=22,
    severity="error",
    role="alone",
    cause=None,
    handled=False,
    writer="web-1",
    test=None,
    first_line=1,
    last_line=2,
    message_line=2,
    message_offset=10,
    frames=[StackFrame("shop.py", 7, "checkout", None)],
    frames_left_out=0,
    notes=["while paying"],
    repeats=2,
    repeat_lines=[5, 9],
    matches=[
        MatchedRecord(
            RECORD,
            50.0,
            1,
            [EvidenceItem("class", 20.0, "the class ShopError")],
            [CapturedText("number", "7", 1, PLACE)],
            PLACE,
        )
    ],
    matches_left_out=0,
    near_misses=[],
)
UNKNOWN = replace(
    KNOWN,
    outcome="unknown",
    message="Basket 7 was lost",
    matches=[],
    near_misses=[SimilarRecord(RECORD, ["empty"], ["lost"], "Other words.")],
)
EMPTY = PasteAnswer("v", False, True, [], 0, 0, None, [], [])
FULL = PasteAnswer("v", True, False, ["Too long."], 9, 9, 0, [0, 1], [KNOWN, UNKNOWN])


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_a_row_is_complete(form: OutputFormat) -> None:
    assert form.description.endswith(".")
    assert form.name == form.name.lower()
    assert "/" in form.content_type


def test_no_two_formats_share_a_media_type() -> None:
    negotiated = [form for form in FORMATS.values() if form.negotiated]
    assert len(list_media_types()) == len(negotiated)


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("answer", [EMPTY, FULL], ids=["empty", "full"])
def test_a_writer_writes_every_answer(form: OutputFormat, answer: PasteAnswer) -> None:
    for site in (None, "https://errdex.example"):
        written = form.write(answer, WriteOptions(site=site, limit=1)).decode()
        assert "\x1b" not in written
        assert ("acme/shop" in written) == bool(answer.events)
        if form.streams:
            part = form.write(answer, WriteOptions(site=site, streamed=True)).decode()
            assert not part or part.endswith("\n")


def test_a_name_may_be_written_in_capitals() -> None:
    assert get_format("JSON") is FORMATS["json"]


@pytest.mark.parametrize("name", ["", "jsn", "yaml", "x" * 10_000, "\x1b[2J"])
def test_an_unknown_name_is_reported_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownFormat) as raised:
        get_format(name)
    assert "Known formats: json, text" in str(raised.value)
    assert len(str(raised.value)) < 300
    assert ("Did you mean json?" in str(raised.value)) == (name == "jsn")


@pytest.mark.parametrize("answer", [EMPTY, FULL], ids=["empty", "full"])
def test_an_answer_is_read_back_from_its_json(answer: PasteAnswer) -> None:
    assert to_wire(read_answer(to_wire(answer))) == to_wire(answer)


@pytest.mark.parametrize(
    "change",
    [{"events": 5}, {"events": [{}]}, {"readingOrder": "x"}, {"lines": None}, {"found": "maybe"}],
)
def test_a_malformed_answer_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        read_answer({**to_wire(FULL), **change})
