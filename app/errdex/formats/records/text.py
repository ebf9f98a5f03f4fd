"""A record as rows of text, the fix first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from errdex.formats.layout import MOST_PLACES, Part, Row, Tone, code_rows, prose_rows, split_lines
from errdex.knowledge import CauseItem, RecordAnswer
from errdex.records.causes import Cause
from errdex.records.messages.texts import record_texts
from errdex.records.model import Record
from errdex.records.printable import on_one_line, printable

_INDENT = 2


def record_rows(answer: RecordAnswer, cause: Cause | None = None, link: str = "") -> Iterator[Row]:
    """The whole record, without empty parts. `link` is the address of its page, if it has one."""
    record = answer.record
    yield from _head(record, link)
    for title, body in _parts(record):
        yield Row(0, ())
        yield Row(0, ((title, Tone.HEADING),))
        yield from body
    if cause is not None:
        yield Row(0, ())
        yield _fact(f"Cause: {on_one_line(cause.title)} (errdex show {on_one_line(cause.tag)})")
    yield Row(0, ())
    yield _fact(_provenance(record))


def cause_rows(item: CauseItem, link: str = "") -> Iterator[Row]:
    """A cause: what is behind its errors, what to check, and how to list them."""
    number = f"{item.records:,} {'error' if item.records == 1 else 'errors'}"
    yield _fact(f"cause · {on_one_line(item.tag)} · {number}")
    yield Row(0, ((on_one_line(item.title), Tone.ERROR),), hang=2)
    if link:
        yield _fact(link)
    if item.cause:
        yield Row(0, ())
        yield from _prose(item.cause.text, indent=0)
        for title, body in (
            ("What to check first", _items(item.cause.checks, numbered=True)),
            ("Which of its errors you have", _prose(item.cause.tell)),
        ):
            if rows := list(body):
                yield Row(0, ())
                yield Row(0, ((title, Tone.HEADING),))
                yield from rows
    yield Row(0, ())
    yield _fact(f"Its errors: errdex search background:{on_one_line(item.tag)}")


def _head(record: Record, link: str) -> Iterator[Row]:
    kinds = (record.error_class, record.error_code, record.error_type, record.severity)
    yield _fact(" · ".join(on_one_line(kind) for kind in (record.repo, *kinds) if kind))
    for line in split_lines([(printable(record.heading), Tone.ERROR)]):
        yield Row(0, tuple(line), hang=2)
    if record.heading != record.error_message:
        for line in split_lines([(printable(record.error_message), Tone.PLAIN)]):
            yield Row(0, tuple(line), hang=2)
    versions = (
        ("applies to", record.applies_to),
        ("fixed in", record.fixed_in),
        ("verified with", record.verified_with),
    )
    if said := " · ".join(f"{words} {on_one_line(value)}" for words, value in versions if value):
        yield _fact(said)
    if link:
        yield _fact(on_one_line(link))


def _parts(record: Record) -> Iterator[tuple[str, Iterator[Row]]]:
    """The parts that the record has, each with its title."""
    texts = record_texts(record)
    parts = (
        ("Solutions", _items(texts["solutions"] or (), numbered=True)),
        ("Example fix", _code(texts["example_fix"])),
        ("What it means", _prose(texts["documentation"])),
        ("What the source says", _prose(record.source_explanation)),
        ("What triggers it", _prose(texts["trigger_scenarios"])),
        ("Common situations", _prose(texts["common_situations"])),
        (_place(record), _source(record)),
        ("Other places", _places(record)),
        ("Strategy", _prose(texts["handling_strategy"])),
        ("Validate before calling", _code(texts["validation_code"])),
        ("Type guard", _code(texts["type_guard"])),
        ("Catch it", _code(texts["try_catch_pattern"])),
        ("Prevention", _items(texts["prevention_tips"] or ())),
        ("References", _items(record.safe_references)),
    )
    for title, rows in parts:
        if (first := next(rows, None)) is not None:
            yield title, chain((first,), rows)


def _fact(text: str) -> Row:
    return Row(0, ((text, Tone.DIM),), hang=2)


def _prose(text: str | None, *, indent: int = _INDENT) -> Iterator[Row]:
    if text:
        yield from prose_rows(indent, "", _lines(text))


def _code(text: str | None) -> Iterator[Row]:
    return code_rows(_INDENT, _lines(text) if text else ())


def _items(texts: Sequence[str], *, numbered: bool = False) -> Iterator[Row]:
    for number, text in enumerate(texts, 1):
        yield from prose_rows(_INDENT, f"{number}. " if numbered else "- ", _lines(text))


def _lines(text: str) -> list[list[Part]]:
    return split_lines([(printable(text.strip("\n")), Tone.PLAIN)])


def _place(record: Record) -> str:
    line = f":{record.line_number}" if record.line_number else ""
    where = f" {on_one_line(record.file_path)}{line}" if record.file_path else ""
    within = f" in {on_one_line(record.function)}" if record.function else ""
    return f"Source{where}{within}"


def _places(record: Record) -> Iterator[Row]:
    """The further places that say the same."""
    places = record.places or []
    for place in places[:MOST_PLACES]:
        line = f":{place.line_number}" if place.line_number else ""
        words = f"{place.file_path}{line}"
        words += f" in {place.function}" if place.function else ""
        words += f" when {place.raised_when}" if place.raised_when else ""
        yield Row(_INDENT, ((on_one_line(words), Tone.PLAIN),), hang=2)
    if more := max(0, len(places) - MOST_PLACES) + (record.places_left_out or 0):
        yield Row(_INDENT, ((f"… and {more:,} more", Tone.DIM),))


def _source(record: Record) -> Iterator[Row]:
    """The excerpt with its line numbers, the raising line marked."""
    if not record.source_code:
        return
    lines = printable(record.source_code).split("\n")
    start = record.source_code_start or 1
    width = len(str(start + len(lines) - 1))
    for number, line in enumerate(lines, start):
        raising = number == record.line_number and record.source_code_start is not None
        margin = f"{'>' if raising else ' '} {number:>{width}} | "
        tone = Tone.ERROR if raising else Tone.PLAIN
        yield Row(_INDENT, ((margin, Tone.DIM), (line, tone)), whole=True)


def _provenance(record: Record) -> str:
    about = [f"id {record.id}"]
    if record.analyzed_sha:
        about.append(f"source {on_one_line(record.repo)}@{on_one_line(record.analyzed_sha)[:10]}")
    if record.safe_github_url:
        about.append(record.safe_github_url)
    return " · ".join(about)
