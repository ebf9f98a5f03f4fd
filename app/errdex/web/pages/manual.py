"""The pages of docs/ on the website: `/docs/{name}`.

Their text is ours and comes with the program; HTML in it is shown as text all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from fastapi import APIRouter, Depends, Response
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException

from errdex import lazy_re as re
from errdex.records.identity import slugify
from errdex.resources import find_folder
from errdex.web.http.cache_headers import check_freshness
from errdex.web.http.site import Site
from errdex.web.pages.contexts import Crumb, ManualLink, ManualPage
from errdex.web.pages.rendering import code
from errdex.web.pages.rendering.templating import render

router = APIRouter(include_in_schema=False)
_FIRST = ("cli", "api", "integrations", "python", "records", "settings", "operations")
"""The pages for users, in the order of the navigation; those for contributors follow by name."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
_LINK = re.compile(r"([a-z0-9-]+)\.md(#[\w-]*)?")


@dataclass(frozen=True, slots=True)
class Chapter:
    """One page of the manual."""

    title: str
    html: Markup
    contents: Sequence[tuple[str, str]]
    """Its second headings: anchor and words."""
    summary: str
    """Its first paragraph."""


@router.get("/docs/{name}", dependencies=[Depends(check_freshness)])
def show_chapter(name: str, site: Site) -> Response:
    """One page of the manual."""
    if name not in {each.name for each in list_chapters()}:
        raise HTTPException(404)
    chapter = read_chapter(name)
    return render(
        ManualPage(
            title=chapter.title,
            description=chapter.summary,
            section="docs",
            crumbs=(Crumb(name="Documentation", url="/docs"), Crumb(name=chapter.title)),
            site=site,
            path=f"/docs/{name}",
            name=name,
            html=chapter.html,
            contents=chapter.contents,
            manual=list_chapters(),
        )
    )


@lru_cache(maxsize=1)
def list_chapters() -> tuple[ManualLink, ...]:
    """The pages of the manual; none where the program came without them."""
    folder = _folder()
    if folder is None:
        return ()
    names = [file.stem for file in folder.glob("*.md") if _NAME.fullmatch(file.stem)]
    in_order = sorted(names, key=lambda name: (_FIRST.index(name) if name in _FIRST else 99, name))
    return tuple(ManualLink(name=name, title=_title(_read(folder, name))) for name in in_order)


@lru_cache(maxsize=64)
def read_chapter(name: str) -> Chapter:
    """A page of the manual, as HTML."""
    folder = _folder()
    if folder is None:
        raise HTTPException(404)
    text = _read(folder, name)
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", _fence)
    tokens = parser.parse(text)
    titled = tokens[:1] and tokens[0].tag == "h1"
    body = tokens[3:] if titled else tokens
    contents = []
    for token, inner in pairwise(body):
        if token.type == "heading_open":
            token.attrSet("id", slugify(inner.content))
            if token.tag == "h2":
                contents.append((slugify(inner.content), inner.content.replace("`", "")))
        if token.type == "inline":
            _lead_links(token)
    for token in body[-1:]:
        _lead_links(token)
    html = parser.renderer.render(_scrolling(body), parser.options, {})
    first = next((token.content for token in body if token.type == "inline"), "")
    summary = first.replace("`", "").replace("\n", " ")[:200]
    return Chapter(_title(text), Markup(html), contents, summary)  # noqa: S704 (escaped)


def _folder() -> Path | None:
    try:
        return find_folder("docs")
    except FileNotFoundError:
        return None


def _read(folder: Path, name: str) -> str:
    return _COMMENT.sub("", (folder / f"{name}.md").read_text(encoding="utf-8"))


def _title(text: str) -> str:
    found = _HEADING.search(text)
    return found[1].replace("`", "") if found else "Documentation"


def _lead_links(inline: Token) -> None:
    """Let links to other pages of docs/ lead to those of the site. Links to other files of the
    checkout become text."""
    kept, dropped = [], 0
    for token in inline.children or ():
        if token.type == "link_open":
            address = str(token.attrGet("href"))
            if found := _LINK.fullmatch(address):
                token.attrSet("href", f"/docs/{found[1]}{found[2] or ''}")
            elif not address.startswith(("https://", "http://", "#")):
                dropped += 1
                continue
        elif token.type == "link_close" and dropped:
            dropped -= 1
            continue
        kept.append(token)
    inline.children = kept


def _scrolling(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with each table in a box that scrolls."""
    boxed = []
    for token in tokens:
        if token.type == "table_open":
            box = Token("box_open", "div", 1, block=True)
            box.attrs = {"class": "scroll", "tabindex": "0", "role": "group", "aria-label": "Table"}
            boxed += [box, token]
        elif token.type == "table_close":
            boxed += [token, Token("box_close", "div", -1, block=True)]
        else:
            boxed.append(token)
    return boxed


def _fence(renderer: object, tokens: Sequence[Token], index: int, *_: object) -> str:
    """A block of code, as on other pages."""
    token = tokens[index]
    language = token.info.split()[0] if token.info.strip() else None
    shown = code.block(token.content.rstrip("\n"), language)
    what = escape("the command" if language in ("bash", "sh") else "the code")
    return (
        f'<figure class="code" data-copy="{what}"><pre tabindex="0"><code>{shown}</code></pre>'
        "</figure>\n"
    )
