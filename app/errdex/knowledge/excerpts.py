"""Finds the words of a search in fields of a record other than its message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errdex.knowledge.answers import Extract
from errdex.records.messages.texts import with_blanks
from errdex.search.highlight import highlight
from errdex.store import StoredRecord

_FIELDS = {
    "documentation": "documentation",
    "solutions": "solutions",
    "triggerScenarios": "trigger_scenarios",
    "commonSituations": "common_situations",
}
_BEFORE = 60
_LENGTH = 220


def find_extract(record: StoredRecord, terms: Sequence[str]) -> Extract | None:
    """An extract of the field with the most terms; the earlier field where several have as many."""
    best: Extract | None = None
    for field, text in _texts(record):
        spans = highlight(text[:20_000], terms)
        if not spans:
            continue
        extract = _cut(field, text, spans)
        if best is None or _words(extract) > _words(best):
            best = extract
    return best


def _texts(record: StoredRecord) -> Iterator[tuple[str, str]]:
    for field, name in _FIELDS.items():
        value = record.body.get(field)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                yield field, with_blanks(name, text, record.pattern, record.error_message)


def _cut(field: str, text: str, spans: Sequence[tuple[int, int]]) -> Extract:
    """A window of the text that begins shortly before the first span, at a word."""
    start = max(0, spans[0][0] - _BEFORE)
    if start:
        start = text.find(" ", start, spans[0][0]) + 1 or spans[0][0]
    end = min(len(text), start + _LENGTH)
    if end < len(text):
        end = max(text.rfind(" ", start, end), spans[0][1])
    head, tail = "… " if start else "", " …" if end < len(text) else ""
    shift = len(head) - start
    inside = [(a + shift, b + shift) for a, b in spans if b <= end]
    return Extract(field, head + text[start:end] + tail, inside)


def _words(extract: Extract) -> int:
    return len({extract.text[a:b].lower() for a, b in extract.spans})
