"""Files for crawlers, agents, browsers and feed readers: robots.txt, llms.txt, the OpenSearch
description and the Atom feed of new and changed records."""

from __future__ import annotations

from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, tostring

from fastapi import APIRouter, Depends, Response
from starlette.responses import PlainTextResponse

from errdex import lazy_re as re
from errdex.formats.markdown_text import escaped
from errdex.store import StoredRecord
from errdex.web.http.cache_headers import check_freshness
from errdex.web.http.dependencies import KnowledgeBase
from errdex.web.http.site import Origin
from errdex.web.pages.record_page import headline
from errdex.web.pages.rendering.templating import gist, record_url

router = APIRouter(include_in_schema=False)
FRESH = [Depends(check_freshness)]
ENTRIES = 50
LISTED_CAUSES = 50
_ATOM = "http://www.w3.org/2005/Atom"
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONG_AGO = "1970-01-01T00:00:00Z"


def xml_answer(root: Element, media_type: str) -> Response:
    """The document as a response."""
    body = tostring(root, encoding="utf-8", xml_declaration=True)
    return Response(body, media_type=media_type)


def add(parent: Element, name: str, text: str = "", **attributes: str) -> Element:
    """A child element; characters that XML cannot hold become U+FFFD."""
    child = SubElement(parent, name, {key: plain(value) for key, value in attributes.items()})
    child.text = plain(text) or None
    return child


def plain(text: str) -> str:
    """The text without characters that XML 1.0 cannot hold."""
    return _NOT_IN_XML.sub("\ufffd", text)


@router.get("/robots.txt", dependencies=FRESH)
def robots(site: Origin) -> Response:
    """Allows everything but search, whose filters combine endlessly."""
    return PlainTextResponse(
        f"User-agent: *\nDisallow: /search\nDisallow: /api/\nSitemap: {site}/sitemap.xml\n"
    )


@router.get("/llms.txt", dependencies=FRESH)
def llms(knowledge: KnowledgeBase, site: Origin) -> Response:
    """What a language model needs to use this server (llmstxt.org)."""
    stats = knowledge.get_stats()
    causes = "".join(
        f"- [{escaped(each.title)}]({site}/causes/{quote(each.tag, safe='/~')}): "
        f"{each.records:,} records\n"
        for each in knowledge.list_causes(limit=LISTED_CAUSES).items
    )
    return PlainTextResponse(
        f"""# Errdex

> A knowledge base of {stats.records:,} errors: what each one means, why it happens, the source
> line that raises it, and the fix.

Post the output of what failed; each error comes back with its fix. The output is neither stored
nor logged. Ask for Markdown with `Accept: text/markdown`, for text with `Accept: text/plain`.

## Use

- [Match a log]({site}/api/errors/match): POST the log as text/plain
- [Search]({site}/api/errors): GET with `q`, `repo`, `class`, `tag`, `language`
- [One record]({site}/api/errors/ID): GET with an id of 16 hexadecimal digits
- [Model Context Protocol]({site}/mcp): the same as tools, where the server offers it

## Documentation

- [The HTTP API]({site}/docs/api): routes with examples
- [OpenAPI]({site}/openapi.json): every route, parameter and field
- [Integrations]({site}/docs/integrations): agents and other programs

## Causes

{causes}"""
    )


@router.get("/opensearch.xml", dependencies=FRESH)
def opensearch(site: Origin) -> Response:
    """The description with which a browser adds Errdex as a search engine."""
    root = Element("OpenSearchDescription", xmlns=_OPENSEARCH)
    add(root, "ShortName", "Errdex")
    add(root, "Description", "Errors, what they mean and how to fix them")
    add(root, "InputEncoding", "UTF-8")
    add(root, "Image", f"{site}/favicon.ico", width="16", height="16", type="image/svg+xml")
    add(root, "Url", type="text/html", template=f"{site}/search?q={{searchTerms}}")
    add(root, "Url", type="application/json", template=f"{site}/api/errors?q={{searchTerms}}")
    return xml_answer(root, "application/opensearchdescription+xml")


@router.get("/feed.xml", dependencies=FRESH)
def feed(knowledge: KnowledgeBase, site: Origin) -> Response:
    """New and changed records, the latest first."""
    root = Element("feed", xmlns=_ATOM)
    add(root, "id", f"{site}/feed.xml")
    add(root, "title", "Errdex: new and changed errors")
    add(root, "updated", knowledge.get_version() or _LONG_AGO)
    add(root, "link", rel="self", href=f"{site}/feed.xml", type="application/atom+xml")
    add(root, "link", rel="alternate", href=f"{site}/", type="text/html")
    add(add(root, "author"), "name", "Errdex")
    for record in knowledge.list_latest(limit=ENTRIES):
        _add_entry(root, record, site)
    return xml_answer(root, "application/atom+xml")


def _add_entry(root: Element, record: StoredRecord, site: str) -> None:
    entry = add(root, "entry")
    address = site + record_url(record)
    add(entry, "id", f"{site}/errors/{record.id}")
    title = headline(record.heading)
    add(entry, "title", f"{record.error_class}: {title}" if record.error_class else title)
    add(entry, "updated", record.changed_version)
    add(entry, "link", rel="alternate", href=address, type="text/html")
    for tag in record.tags:
        add(entry, "category", term=tag)
    if meaning := gist(record):
        add(entry, "summary", meaning)
