"""Filled texts as HTML: what the paste said is marked, and a hole without a value is a named
blank.

A text is rendered with one private character in place of each hole, so that no value is read as
a form of prose or code; then the characters are replaced by elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from markupsafe import Markup

from errdex import lazy_re as re
from errdex.records.messages.filling import Segment, blank
from errdex.web.match.paste_lines import visible
from errdex.web.pages.rendering.fixes import Fix
from errdex.web.pages.rendering.prose import SIGNS

Text = str | Sequence[Segment]
"""A text that is shown as it is, or a filled one."""

_FIRST, _LAST = map(ord, SIGNS.split("-"))
_SIGN = re.compile(f"[{SIGNS}]")
_SIGN_OR_END = re.compile(rf"({_SIGN.pattern})|</(?:p|li|figure)>")
_TAKEN = Markup('<mark class="taken" title="From your log: {}">{}</mark>')
_BLANK = Markup('<i class="blank" title="Put your {0} here" data-hole="{0}">{1}</i>')
_CODE_BLANK = Markup(
    '<i class="blank" title="Put your {0} here" data-hole="{0}" data-plain="{2}" data-quote="{3}"'
    ' data-quotable="{4}">{1}</i>'
)
_REFUSED = Markup(' <small class="refused">({} is not filled in: {})</small>')


def show(text: Text, render: Callable[[str], Markup]) -> Markup:
    """The text as HTML that `render` makes of plain text."""
    if isinstance(text, str):
        return render(text)
    return with_holes(render(signed(text)), text)


def signed(segments: Sequence[Segment]) -> str:
    """The text with one private character in place of each hole."""
    parts: list[str] = []
    for place, each in enumerate(segments):
        if each.hole is None or place > _LAST - _FIRST:
            shown = blank(each.text) if each.hole is not None and not each.filled else each.text
            parts.append(_SIGN.sub("\ufffd", shown))
        else:
            parts.append(chr(_FIRST + place))
    return "".join(parts)


def with_holes(html: Markup, segments: Sequence[Segment]) -> Markup:
    """The HTML of a signed text with the holes as elements. The reason of a refused value is
    behind the paragraph, item or code that it is in, so that no command is copied with it."""
    if not any(each.hole is not None for each in segments):
        return html
    reasons: dict[Segment, None] = {}
    parts: list[str] = []
    place = 0

    def told() -> str:
        said = "".join(_REFUSED.format(blank(each.text), each.refused) for each in reasons)
        reasons.clear()
        return said

    for found in _SIGN_OR_END.finditer(html):
        parts.append(html[place : found.start()])
        place = found.end()
        if found[1]:
            segment = segments[ord(found[1]) - _FIRST]
            parts.append(_element(segment))
            if segment.refused:
                reasons[segment] = None
        else:
            after = found[0] == "</figure>"
            parts += [found[0], told()] if after else [told(), found[0]]
    parts += [html[place:], told()]
    return Markup("".join(parts))  # noqa: S704 (html is safe, and so is each element)


def fix_with_holes(fix: Fix, segments: Sequence[Segment]) -> Fix:
    """An example fix that was read from a signed text."""
    diffs = tuple(
        replace(
            diff,
            note=_SIGN.sub(lambda found: _plain(segments, found[0]), diff.note),
            lines=tuple(replace(line, html=with_holes(line.html, segments)) for line in diff.lines),
        )
        for diff in fix.diffs
    )
    return Fix(diffs, with_holes(fix.html, segments))


def _plain(segments: Sequence[Segment], sign: str) -> str:
    segment = segments[ord(sign) - _FIRST]
    return segment.text if segment.filled else blank(segment.text)


def _element(segment: Segment) -> Markup:
    name = segment.hole or ""
    if segment.filled:
        return _TAKEN.format(name, visible(segment.text))
    if takes := segment.takes:
        return _CODE_BLANK.format(name, blank(name), takes.plain, takes.quote, takes.quotable)
    return _BLANK.format(name, blank(name))
