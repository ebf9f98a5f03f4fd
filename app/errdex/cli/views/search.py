"""Prints search results to a terminal, and writes them as JSON."""

from __future__ import annotations

from errdex.cli.views.rows import print_rows
from errdex.cli.views.terminal import counted, err, on_one_line
from errdex.formats.records.search_text import item_rows
from errdex.knowledge import SearchResults


def document_of(page: SearchResults) -> dict[str, object]:
    """The results for JSON."""
    return {
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


def print_page(page: SearchResults, site: str | None = None) -> None:
    """Print the results to standard output, and notes to standard error."""
    for note in page.notes:
        err().print(on_one_line(note))
    if not page.items:
        hint = f" Did you mean “{page.suggestion}”?" if page.suggestion else ""
        err().print(on_one_line(f"No results.{hint}"))
        return
    print_rows(item_rows(page.items, site))
    more = " Use --limit for more." if page.total + page.partial > len(page.items) else ""
    err().print(f"{_counted(page)}.{more}")


def _counted(page: SearchResults) -> str:
    """The number of results in words."""
    some = f"{page.partial:,} with some of the words"
    if not page.total:
        return some
    return counted(page.total, "result") + (f", and {some}" if page.partial else "")
