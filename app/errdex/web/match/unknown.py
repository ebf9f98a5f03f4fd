"""What a page says of an error that no record matches: what was read, and where to go on.

Only the fixed words of its message are searched for, on this site and elsewhere; its own values
are in no address.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from errdex.formats.answer import ErrorEvent
from errdex.formats.draft import can_be_drafted, draft_record
from errdex.matching.masking import find_variable, template_words
from errdex.web.match.contexts import MaskedPiece, UnknownView, WebSearch
from errdex.web.match.paste_lines import visible

_MESSAGE = 600
"""Characters of a message that are shown."""
_WORDS = 150


def unknown_view(event: ErrorEvent, paste: str) -> UnknownView:
    """The view of an unknown error."""
    words = _words(event)
    return UnknownView(
        message=_pieces(visible(event.message)[:_MESSAGE]),
        words=words,
        searches=_searches(words, _project(event)) if words else (),
        draft=draft_record(event, paste) if can_be_drafted(event) else None,
    )


def _words(event: ErrorEvent) -> str:
    """The class or code, without its package, and the fixed words of the message."""
    name = event.error_class or event.error_code or ""
    name = name.rsplit(".", 1)[-1] if event.error_class else name
    words = template_words(visible(event.message.split("\n")[0])[:_MESSAGE], _WORDS)
    return words if name in words else f"{name} {words}".strip()


def _pieces(message: str) -> Sequence[MaskedPiece]:
    pieces: list[MaskedPiece] = []
    place = 0
    for each in find_variable(message):
        pieces += [MaskedPiece(message[place : each.start], ""),
                   MaskedPiece(message[each.start : each.end], each.kind)]  # fmt: skip
        place = each.end
    return [each for each in (*pieces, MaskedPiece(message[place:], "")) if each.text]


def _project(event: ErrorEvent) -> str:
    """The repository of a similar record, where the error names the same project."""
    named = {frame.package.lower() for frame in event.frames if frame.package}
    named |= {part.lower() for part in (event.error_class or "").split(".")[:-1]}
    repos = [near.record.repo for near in event.near_misses]
    return next((repo for repo in repos if repo.rpartition("/")[2].lower() in named), "")


def _searches(words: str, project: str) -> Sequence[WebSearch]:
    issues = {"q": f"is:issue {words}"}
    own = [
        WebSearch(
            f"Issues of {project}", f"https://github.com/{project}/issues?{urlencode(issues)}"
        )
    ]
    return [
        *(own if project else ()),
        WebSearch(
            "GitHub issues",
            f"https://github.com/search?{urlencode({'type': 'issues', 'q': words})}",
        ),
        WebSearch("Stack Overflow", f"https://stackoverflow.com/search?{urlencode({'q': words})}"),
        WebSearch("The web", f"https://duckduckgo.com/?{urlencode({'q': words})}"),
    ]
