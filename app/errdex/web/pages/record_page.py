"""Builds the context of a record's page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from errdex import lazy_re as re
from errdex.knowledge import RecordAnswer, Related, RelatedAnswer
from errdex.records.field_types import Place
from errdex.records.messages.filling import Segment, joined
from errdex.records.messages.holes import Hole, parse_message
from errdex.records.messages.texts import filled_texts
from errdex.records.model import Record, safe_url
from errdex.web.pages.contexts import (
    Crumb,
    Excerpt,
    MessagePiece,
    PatternTest,
    PlaceView,
    RecordPage,
)
from errdex.web.pages.rendering import code, prose
from errdex.web.pages.rendering.filled import fix_with_holes, signed
from errdex.web.pages.rendering.fixes import Fix, read_fix
from errdex.web.pages.rendering.lexing import page_time
from errdex.web.pages.rendering.templating import record_url, value_url

MOST_LINES = 120
"""Lines of an excerpt; of a longer one, those around the raising line are shown."""
MOST_PLACE_SOURCES = 20
"""Further places whose source is shown."""
RELATED = 6
"""How many related records are shown."""
STRATEGIES = {
    "validation": "Check the input before the call.",
    "try-catch": "Expect the error, and handle it where it is raised.",
    "retry": "Try again, with growing pauses.",
    "fallback": "Go on with something else when it fails.",
    "environment": "Change the machine or its settings, not the code.",
    "fix-code": "Fix the code; do not catch the error.",
}
"""What data/README.md calls the strategies, in words."""
_HEADLINE = 110
_LEAST = 24
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][0-9:.]{5,15}(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII)
_ENDS = re.compile(r"(?<=[^\s.])[.!?](?=\s|$)|;\s|\s\(|\n|:\s(?=\n)|,\s(?=but |because )")


@page_time()
def record_page(
    related_answer: RelatedAnswer,
    site: str,
    pattern_test: PatternTest | None = None,
) -> RecordPage:
    """The context of a record's page. `site` is the scheme and host that it is served under."""
    answer = RecordAnswer(related_answer.record, related_answer.version)
    record, related = answer.record, related_answer.items
    name = record.error_class or record.error_code
    short = headline(record.heading)
    title = f"{name}: {short}" if name and name not in short else short
    language = record.language or code.language_of_path(record.file_path)
    texts = filled_texts(record)
    fix = read_filled_fix(texts["example_fix"][0], language) if record.example_fix else None
    source = excerpt(record, language)
    path = record_url(answer.stored)
    crumbs = (
        Crumb(name="Repositories", url="/repos"),
        Crumb(name=record.repo, url=value_url("repo", record.repo)),
        Crumb(name=name or short),
    )
    meaning = joined(texts["documentation"][0]) if record.documentation else record.heading
    description = prose.first_sentence(meaning, 200)
    return RecordPage(
        title=title,
        description=description,
        section="record",
        crumbs=crumbs,
        site=site,
        path=path,
        json_url=f"/api/errors/{record.id}",
        structured=_structured(record, title, description, site, path, crumbs),
        record=record,
        texts=texts,
        headline=short,
        heads=short == " ".join(record.error_message.split()).rstrip(" .,;:"),
        message=pieces(record.error_message),
        language=language,
        fix=fix,
        source=source,
        places=place_views(record),
        strategy=STRATEGIES.get(record.handling_strategy or ""),
        related=related,
        cause=related_answer.cause,
        pattern_test=pattern_test,
        contents=tuple(_contents(record, fix, source, related)),
    )


def read_filled_fix(example: Sequence[Segment], language: str | None) -> Fix:
    """An example fix with its holes filled."""
    return fix_with_holes(read_fix(signed(example), language), example)


def headline(message: str) -> str:
    """The first clause of a message, short enough for a heading."""
    text = message.strip()
    for end in _ENDS.finditer(text, _LEAST):
        if end.start() <= _HEADLINE:
            text = text[: end.start()]
        break
    text = " ".join(text.split()).rstrip(" .,;:")
    if len(text) > _HEADLINE:
        text = text[: max(text.rfind(" ", 0, _HEADLINE), _HEADLINE // 2)].rstrip(" .,;:") + "…"
    return text or message


def pieces(message: str) -> list[MessagePiece]:
    """The message in pieces, holes marked; joined, they are the message."""
    found: list[MessagePiece] = []
    for part in parse_message(message):
        hole = isinstance(part, Hole)
        if found and found[-1].hole == hole:
            found[-1] = MessagePiece(found[-1].text + part.source, hole)
        else:
            found.append(MessagePiece(part.source, hole))
    return found


def excerpt(record: Record, language: str | None) -> Excerpt | None:
    """The source, line by line. Without a first line number, no line is marked."""
    if not record.source_code:
        return None
    start = record.source_code_start
    text = code.dedent(record.source_code.strip("\r\n") if start is None else record.source_code)
    source_language = code.language_of_path(record.file_path) or language
    raising = -1
    if start is not None and record.line_number is not None:
        raising = record.line_number - start
    lines = code.highlight_excerpt(text, source_language, raising)
    if lines and not record.source_code.split("\n")[-1]:
        lines.pop()
    first = max(0, min(raising - MOST_LINES // 2, len(lines) - MOST_LINES))
    shown = range(first, min(first + MOST_LINES, len(lines)))
    numbers = [None if start is None else start + index for index in range(len(lines))]
    rows = (_line(code.to_html(lines[index]), numbers[index], index == raising) for index in shown)
    html = Markup("").join(rows)
    return Excerpt(html, len(lines) - len(shown))


def place_views(record: Record) -> list[PlaceView]:
    """The further places, as they are listed below the first one's source."""
    return [
        PlaceView(
            place,
            safe_url(place.github_url),
            _place_source(place) if number < MOST_PLACE_SOURCES else None,
        )
        for number, place in enumerate(record.places or ())
    ]


def _place_source(place: Place) -> Markup | None:
    """The lines around a place, not coloured, so that a page with many of them stays light."""
    if not place.source_code or place.source_code_start is None:
        return None
    lines = code.plain(code.dedent(place.source_code))[:MOST_LINES]
    return Markup("").join(
        Markup('<span class="l{}"><a data-n="{}"></a>{}\n</span>').format(
            " raising" if number == place.line_number else "", number, code.to_html(line)
        )
        for number, line in enumerate(lines, place.source_code_start)
    )


def _line(html: Markup, number: int | None, raising: bool) -> Markup:
    """A line of source with a link to itself, if its number is known."""
    if number is None:
        return Markup(f'<span class="l">{html}\n</span>')  # noqa: S704 (html is escaped)
    kind, current, label = ("l", "", "")
    if raising:
        kind, current, label = ("l raising", ' aria-current="true"', ", raised here")
    return Markup(  # noqa: S704 (html is escaped, the rest is constant)
        f'<span class="{kind}"{current} id="L{number}"><a href="#L{number}" data-n="{number}"'
        f' tabindex="-1" aria-label="Line {number}{label}"></a>{html}\n</span>'
    )


def _contents(
    record: Record, fix: Fix | None, source: Excerpt | None, related: Sequence[Related]
) -> Iterator[tuple[str, str]]:
    """The parts, in the order of the template."""
    defence = (
        record.handling_strategy,
        record.validation_code,
        record.type_guard,
        record.try_catch_pattern,
    )
    parts = (
        ("message", "Error message", True),
        ("solutions", "Solutions", record.solutions),
        ("example", "Example fix", fix),
        ("meaning", "What it means", record.documentation),
        ("derived", "What the source says", record.source_explanation),
        ("when", "When it happens", record.trigger_scenarios or record.common_situations),
        ("source", "Source", source or record.file_path or record.safe_github_url),
        ("places", "Other places", record.places),
        ("defence", "Defensive patterns", any(defence)),
        ("prevention", "Prevention", record.prevention_tips),
        ("samples", "What it looks like", record.samples),
        ("references", "References", record.safe_references),
        ("related", "Related errors", related),
    )
    yield from ((anchor, words) for anchor, words, present in parts if present)


def _structured(
    record: Record, title: str, description: str, site: str, path: str, crumbs: Sequence[Crumb]
) -> dict[str, Any]:
    article: dict[str, Any] = {
        "@type": "TechArticle",
        "headline": title,
        "description": description,
        "mainEntityOfPage": site + path,
        "inLanguage": "en",
        "about": {"@type": "SoftwareSourceCode", "name": record.repo},
    }
    if record.tags:
        article["keywords"] = record.tags
    if record.analyzed_at and _DATE.fullmatch(record.analyzed_at):
        article["dateModified"] = record.analyzed_at
    steps = [
        {
            "@type": "ListItem",
            "position": number,
            "name": crumb.name,
            "item": site + (crumb.url or path),
        }
        for number, crumb in enumerate(crumbs, 1)
    ]
    return {
        "@context": "https://schema.org",
        "@graph": [article, {"@type": "BreadcrumbList", "itemListElement": steps}],
    }
