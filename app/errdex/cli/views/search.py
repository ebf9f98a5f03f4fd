"""Prints search results to a terminal, and writes them as JSON."""

from __future__ import annotations

import orjson
from rich.table import Table
from rich.text import Text

from errdex.cli.views.terminal import counted, err, on_one_line, out, printable
from errdex.knowledge import SearchItem, SearchResults

_SENTENCE = 100
"""Characters of the explanation that a search result shows."""


def json_of(page: SearchResults) -> bytes:
    """The results as JSON."""
    document = {
        "items": [
            {
                "record": item.record.body,
                "score": item.score,
                "allWords": item.all_words,
                "matched": item.matched,
            }
            for item in page.items
        ],
        "total": page.total,
        "partial": page.partial,
        "suggestion": page.suggestion,
        "notes": page.notes,
        "datasetVersion": page.version,
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


def print_page(page: SearchResults) -> None:
    """Print the results to standard output, and notes to standard error."""
    for note in page.notes:
        err().print(on_one_line(note))
    if not page.items:
        hint = f" Did you mean “{page.suggestion}”?" if page.suggestion else ""
        err().print(on_one_line(f"No results.{hint}"))
        return
    console = out()
    for number, item in enumerate(page.items, 1):
        entry = _entry(item)
        if console.is_terminal:  # wrapped lines are indented
            grid = Table.grid(padding=(0, 2, 0, 0))
            grid.add_column(style="dim", justify="right", min_width=2)
            grid.add_row(str(number), entry)
            console.print(grid)
        else:
            lines = Text("\n    ").join(entry.split("\n"))
            console.print(Text.assemble(f"{number:>2}  ", lines))
        console.print()
    more = " Use --limit for more." if page.total + page.partial > len(page.items) else ""
    err().print(f"{_counted(page)}.{more}")


def _counted(page: SearchResults) -> str:
    """The number of results in words."""
    some = f"{page.partial:,} with some of the words"
    if not page.total:
        return some
    return counted(page.total, "result") + (f", and {some}" if page.partial else "")


def _entry(item: SearchItem) -> Text:
    record = item.record
    heading = Text(printable(record.heading), style="bold")
    if printable(record.heading) == record.heading:
        for start, end in item.heading_spans:
            heading.stylize("yellow", start, end)
    kinds = " · ".join(on_one_line(k) for k in (record.error_class, record.repo) if k)
    some = "" if item.all_words else "  (some of the words)"
    means = on_one_line(record.body.get("documentation") or "")
    if len(means) > _SENTENCE:
        means = means[:_SENTENCE].rsplit(" ", 1)[0] + " …"
    lines = [f"{kinds}{some}", *([means] if means else []), f"errdex show {record.id}"]
    return Text.assemble(heading, *(f"\n{line}" for line in lines))
