"""Records, causes and search results as text and Markdown responses."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Response

from errdex.formats.records.markdown import cause_markdown, record_markdown, search_markdown
from errdex.formats.records.search_text import item_rows
from errdex.formats.records.text import cause_rows, record_rows
from errdex.knowledge import CauseItem, Knowledge, RecordAnswer, SearchResults
from errdex.web.http.representation import text_answer

HTML = "text/html"
JSON = "application/json"


def record_text(knowledge: Knowledge, answer: RecordAnswer, kind: str, site: str) -> Response:
    """One record. `kind` is the type; `site` the scheme and host of links."""
    cause = knowledge.find_cause(answer.stored.background_tag)
    link = f"{site}/errors/{answer.stored.id}/{answer.stored.slug}"
    return text_answer(
        kind,
        lambda: record_markdown(answer.record, cause, site=site),
        lambda: record_rows(answer, cause, link),
    )


def cause_text(item: CauseItem, kind: str, site: str) -> Response:
    """One cause."""
    link = f"{site}/causes/{quote(item.tag, safe='/~')}"
    return text_answer(
        kind, lambda: cause_markdown(item, site=site), lambda: cause_rows(item, link)
    )


def results_text(page: SearchResults, kind: str, site: str) -> Response:
    """A page of search results."""
    return text_answer(
        kind, lambda: search_markdown(page.items, site=site), lambda: item_rows(page.items, site)
    )
