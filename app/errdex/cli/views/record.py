"""Prints a record to a terminal, the fix first."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from errdex.cli.views.terminal import on_one_line, printable
from errdex.records.model import Record
from errdex.records.texts import record_texts

_INDENT = (0, 0, 0, 2)


def print_record(console: Console, record: Record) -> None:
    """Print the whole record, without empty parts."""
    console.print(Group(*_head(record)))
    for title, body in _parts(record):
        console.print()
        console.print(Text(title, style="bold"))
        console.print(_indented(console, body))
    console.print()
    console.print(Text(_provenance(record), style="dim"))


def _indented(console: Console, body: Text) -> RenderableType:
    """The text, wrapped to the terminal's width; in a pipe, lines are not wrapped."""
    if console.is_terminal:
        return Padding(body, _INDENT)
    return Text("\n").join(Text("  ") + line for line in body.split("\n", allow_blank=True))


def _head(record: Record) -> Iterator[RenderableType]:
    kinds = (record.error_class, record.error_type, record.error_code, record.severity)
    named = " · ".join(on_one_line(kind) for kind in (record.repo, *kinds) if kind)
    yield Text(named, style="dim")
    yield Text(printable(record.heading), style="bold red")
    if record.heading != record.error_message:
        yield Text(printable(record.error_message))


def _parts(record: Record) -> Iterator[tuple[str, Text]]:
    texts = record_texts(record)
    for title, text in (
        ("What it means", texts["documentation"]),
        ("Solutions", texts["solutions"]),
        ("Example fix", texts["example_fix"]),
        ("What triggers it", texts["trigger_scenarios"]),
        ("Common situations", texts["common_situations"]),
        (_place(record), record.source_code),
        ("Strategy", texts["handling_strategy"]),
        ("Validate before calling", texts["validation_code"]),
        ("Type guard", texts["type_guard"]),
        ("Catch it", texts["try_catch_pattern"]),
        ("Prevention", texts["prevention_tips"]),
        ("References", record.safe_references),
    ):
        if text is record.source_code and text:
            yield title, _source(record)
        elif text:
            yield title, _shown(text, numbered=title == "Solutions")


def _shown(text: str | list[str], *, numbered: bool) -> Text:
    if isinstance(text, str):
        return Text(printable(text))
    marks = (f"{n}." for n in range(1, len(text) + 1)) if numbered else ("-" for _ in text)
    return Text(
        "\n".join(f"{mark} {printable(item)}" for mark, item in zip(marks, text, strict=True))
    )


def _place(record: Record) -> str:
    line = f":{record.line_number}" if record.line_number else ""
    where = f" {on_one_line(record.file_path)}{line}" if record.file_path else ""
    within = f" in {on_one_line(record.function)}" if record.function else ""
    return f"Source{where}{within}"


def _source(record: Record) -> Text:
    """The excerpt with its line numbers, the raising line marked."""
    lines = printable(record.source_code or "").split("\n")
    start = record.source_code_start or 1
    width = len(str(start + len(lines) - 1))
    shown = Text()
    for number, line in enumerate(lines, start):
        raising = number == record.line_number and record.source_code_start is not None
        shown.append(f"{'>' if raising else ' '} {number:>{width}} | ", style="dim")
        shown.append(line + "\n", style="bold red" if raising else "")
    shown.right_crop(1)
    return shown


def _provenance(record: Record) -> str:
    about = [f"id {record.id}"]
    if record.analyzed_sha:
        about.append(f"source {on_one_line(record.repo)}@{on_one_line(record.analyzed_sha)[:10]}")
    if record.verified_with:
        about.append(f"reproduced with {on_one_line(record.verified_with)}")
    if record.safe_github_url:
        about.append(record.safe_github_url)
    return " · ".join(about)
