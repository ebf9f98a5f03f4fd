"""Search results as rows of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errdex.formats.layout import Part, Row, Tone, split_lines
from errdex.knowledge import SearchItem
from errdex.records.printable import on_one_line, printable

_SENTENCE = 90
"""Characters of the explanation that a search result shows."""
_INDENT = 4


def item_rows(items: Sequence[SearchItem], site: str | None = None) -> Iterator[Row]:
    """The results, numbered, each with the command that shows it, or the address of its page at
    a site."""
    for number, item in enumerate(items, 1):
        yield from _entry(number, item, site)
        yield Row(0, ())


def _entry(number: int, item: SearchItem, site: str | None) -> Iterator[Row]:
    record = item.record
    for place, line in enumerate(split_lines(_marked(printable(record.heading), item))):
        mark = f"{number:>2}  " if place == 0 else ""
        yield Row(0 if mark else _INDENT, ((mark, Tone.DIM), *line), hang=_INDENT if mark else 0)
    kinds = " · ".join(on_one_line(k) for k in (record.error_class, record.repo) if k)
    some = "" if item.all_words else "  (some of the words)"
    yield Row(_INDENT, ((f"{kinds}{some}", Tone.DIM),))
    means = on_one_line(record.body.get("documentation") or "")
    if len(means) > _SENTENCE:
        means = means[:_SENTENCE].rsplit(" ", 1)[0] + " …"
    if means:
        yield Row(_INDENT, ((means, Tone.PLAIN),))
    link = f"{site}/errors/{record.id}/{on_one_line(record.slug)}" if site else ""
    yield Row(_INDENT, ((link or f"errdex show {record.id}", Tone.CODE),))


def _marked(heading: str, item: SearchItem) -> Iterator[Part]:
    """The heading, the words of the search marked where it has no escapes."""
    end = 0
    if heading == item.record.heading:
        for start, stop in item.heading_spans:
            yield heading[end:start], Tone.HEADING
            yield heading[start:stop], Tone.CAPTURE
            end = stop
    yield heading[end:], Tone.HEADING
