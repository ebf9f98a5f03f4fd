"""From a paste to its events: one pass over the whole text for words that errors begin with,
then a parser's closer look only at those lines.

*Cost:* Aho-Corasick over the text in C; for each line with such a word one or a few
anchored, bounded regexes. The number of events is bounded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ahocorasick_rs

from errdex import lazy_re as re
from errdex.matching.events import registry
from errdex.matching.events.draft import HEAD, Draft, Parsed, Shifted, Stream
from errdex.matching.events.generic import ANY_CLASS, CODE_BEFORE, FEW
from errdex.matching.events.inline_chains import inner_causes
from errdex.matching.events.languages.python.tracebacks import LINK
from errdex.matching.events.linking import finish
from errdex.matching.events.test_names import with_tests
from errdex.matching.events.tools.docker_build import without_ends_of_steps
from errdex.matching.model import Event, Piece
from errdex.matching.reading import Paste
from errdex.workers.cancellation import clock

_CHUNK = 1_000_000
_LONGEST = 64
_CHAIN_LINES = 3
_ELABORATION = 40
"""Indented lines between an error's message and its stack."""

_CARRIED = re.compile(
    r"(?P<before>\S[^\n]{0,200}?[\]:|>] ?)(?:panic: |fatal error: |Traceback \(most recent call)"
)
"""A stack behind the prefix of a process that passes it on line by line."""
_FRAMED = re.compile(r"\s*(?:goroutine \d+ |File \"|\[signal )")
_SOON, _MOST_CARRIED = 8, 500

Parser = Callable[[Stream, int], Parsed | None]


@dataclass(frozen=True, slots=True)
class EventLimits:
    """Bounds of the search for events."""

    events: int = 10_000
    seconds: float | None = None
    """Of work; what was found by then is given, and marked as incomplete."""


@dataclass(frozen=True, slots=True)
class Found:
    """The events of a paste, in its order, and the logical lines that only quote source
    (no error happened there)."""

    events: list[Event]
    quoted: frozenset[int]
    incomplete: bool = False


def find_events(paste: Paste, *, limits: EventLimits | None = None) -> Found:
    """Find the errors in a paste. Never raises for its content."""
    limits = limits or EventLimits()
    deadline = clock() + limits.seconds if limits.seconds is not None else None
    candidates = _candidates(paste)
    drafts: list[tuple[Stream, str, Draft]] = []
    quoted: set[int] = set()
    incomplete = False
    for writer, positions, stream in _streams(paste, candidates):
        for at, parsers in positions:
            if at < stream.consumed:
                continue
            if len(drafts) >= limits.events or _is_past(deadline):
                incomplete = True
                break
            parsed = _parse(stream, at, parsers)
            if parsed is None:
                continue
            _drop_covered(drafts, stream, parsed)
            _link_logged(drafts, stream, parsed)
            _link_cause_below(drafts, stream, parsed)
            _link_cut_chain(drafts, stream, parsed)
            stream.consumed = max(parsed.end, at + 1)
            drafts += [(stream, writer, draft) for draft in parsed.drafts]
            quoted.update(stream.indexes[position] for position in parsed.quoted)
    events, repeated = without_ends_of_steps(_to_events(paste, _with_inner(drafts)))
    events = with_tests(paste, finish(paste, events))
    return Found(events, frozenset(quoted | repeated), incomplete)


def _with_inner(drafts: list[tuple[Stream, str, Draft]]) -> list[tuple[Stream, str, Draft]]:
    """The drafts, each behind the causes that its message names."""
    found: list[tuple[Stream, str, Draft]] = []
    for stream, writer, draft in drafts:
        inner = inner_causes(draft)
        found += [(stream, writer, cause) for cause in inner[::-1]]
        found.append((stream, writer, draft))
    return found


def _is_past(deadline: float | None) -> bool:
    return deadline is not None and clock() >= deadline


def _drop_covered(drafts: list[tuple[Stream, str, Draft]], stream: Stream, parsed: Parsed) -> None:
    """Forget lines taken for errors of their own that an error read from its end begins above."""
    first = min((draft.first for draft in parsed.drafts), default=len(stream))
    while drafts and drafts[-1][0] is stream and drafts[-1][2].first >= first:
        drafts.pop()


def _link_logged(drafts: list[tuple[Stream, str, Draft]], stream: Stream, parsed: Parsed) -> None:
    """A stack right below a logged error was handled there: the log's line wraps it, unless it
    says but the same."""
    if not drafts or drafts[-1][0] is not stream or not any(map(_is_stack, parsed.drafts)):
        return
    above = drafts[-1][2]
    top = min(parsed.drafts, key=lambda draft: draft.first)
    near = above.last < top.first <= above.last + 2
    if not near and not (_is_cut(top) and _is_elaborated(stream, above, top)):
        return
    if not above.frames and any(_says_the_same(above, draft) for draft in parsed.drafts):
        top.first = above.first
        for draft in parsed.drafts:
            draft.handled |= above.logged
        parsed.quoted += range(above.first, above.last + 1)
        drafts.pop()
        return
    cut = len(parsed.drafts) == 1 and _is_cut(parsed.drafts[0])
    if cut and not above.frames and (above.error_class or not near or top.first == above.last + 1):
        above.frames, above.language = top.frames, top.language
        above.last = parsed.drafts.pop().last
        return
    if not above.logged:
        return
    causes = {id(draft.cause) for draft in parsed.drafts}
    above.cause = next((d for d in parsed.drafts if id(d) not in causes), parsed.drafts[0])
    for draft in parsed.drafts:
        draft.handled = True


def _is_elaborated(stream: Stream, above: Draft, top: Draft) -> bool:
    """Whether all lines between an error and a stack are indented: they belong to the error."""
    between = range(above.last + 1, top.first)
    return 0 < len(between) <= _ELABORATION and all(
        stream.head(each)[:1] in ("", " ", "\t") for each in between
    )


def _says_the_same(logged: Draft, raised: Draft) -> bool:
    """Whether a line above a stack is but its error's message, behind no more than the
    logger's name and the error's class."""
    said, message = str(logged.message).strip(), str(raised.message).strip()
    names = {raised.error_class, (raised.error_class or "").rpartition(".")[2]}
    if not message or not said.endswith(message) or logged.error_class not in names | {None}:
        return False
    *before, last = said.removesuffix(message).split(": ")
    if before and before[-1] in names:
        before.pop()
    return not last and len(before) <= 1 and " " not in "".join(before)


def _is_stack(draft: Draft) -> bool:
    """Whether frames are a stack, not the one place that a compiler names."""
    if len(draft.frames) != 1:
        return bool(draft.frames)
    return draft.error_class is not None or _is_cut(draft)


def _is_cut(draft: Draft) -> bool:
    """Whether a stack lacks its message, which the line above it says."""
    return draft.error_class is None and not str(draft.message)


def _link_cause_below(
    drafts: list[tuple[Stream, str, Draft]], stream: Stream, parsed: Parsed
) -> None:
    """A line "Caused by: …" right below an error says what it came from."""
    if not drafts or drafts[-1][0] is not stream or not parsed.drafts:
        return
    above, below = drafts[-1][2], parsed.drafts[0]
    said_so = stream.head(below.first).lstrip().startswith("Caused by: ")
    if said_so and above.cause is None and below.first == above.last + 1:
        above.cause = below


def _link_cut_chain(
    drafts: list[tuple[Stream, str, Draft]], stream: Stream, parsed: Parsed
) -> None:
    """Python's line between two errors says what the second came from, also where of the first
    only its last lines were copied."""
    if not drafts or drafts[-1][0] is not stream or not any(map(_is_stack, parsed.drafts)):
        return
    above, top = drafts[-1][2], min(parsed.drafts, key=lambda draft: draft.first)
    between = range(max(above.last + 1, top.first - _CHAIN_LINES), top.first)
    if not above.error_class or above.frames or top.cause is not None:
        return
    if any(LINK.match(stream.head(each)) for each in between):
        top.cause = above


def _parse(stream: Stream, at: int, mask: int) -> Parsed | None:
    parsed = _parse_line(stream, at, mask)
    carried = None
    if parsed is None or not any(draft.frames for draft in parsed.drafts):
        carried = _CARRIED.match(stream.head(at))
    if carried is None:
        return parsed
    prefix = carried.group("before")
    below = [stream.head(position) for position in range(at + 1, at + _SOON)]
    if not all(head.startswith(prefix.rstrip()) for head in below[:1]) or not any(
        head.startswith(prefix) and _FRAMED.match(head, len(prefix)) for head in below
    ):
        return parsed
    shifted = Shifted(stream, at, prefix, _MOST_CARRIED)
    found = _parse_line(shifted, 0, mask)
    if found is None or not any(draft.frames for draft in found.drafts):
        return parsed
    return shifted.back(found)


def _parse_line(stream: Stream, at: int, mask: int) -> Parsed | None:
    for bit, parser in registry.PARSERS:
        if mask & bit:
            parsed = parser(stream, at)
            if parsed is not None:
                return parsed
    return None


_automaton = ahocorasick_rs.AhoCorasick(
    list(registry.TRIGGERS),
    matchkind=ahocorasick_rs.MatchKind.Standard,
    implementation=ahocorasick_rs.Implementation.DFA,
)


def _candidates(paste: Paste) -> dict[int, int]:
    """Logical line → which parsers to try on it (a bit each)."""
    clean, starts = paste.clean, paste.starts
    masks = registry.MASKS
    found: dict[int, int] = {}
    for begin in range(-1, len(clean), _CHUNK):
        piece = clean[max(0, begin) : begin + _CHUNK + _LONGEST]
        if begin < 0:
            piece = "\n" + piece  # triggers that begin a line begin with its break
        for trigger, start, end in _automaton.find_matches_as_indexes(piece, overlapping=True):
            line = bisect_right(starts, begin + (end - 1 if end > start else start)) - 1
            found[line] = found.get(line, 0) | masks[trigger]
    if len(paste) <= FEW:
        for line, text in enumerate(paste.texts):
            if line not in found and (
                ANY_CLASS.match(text[:HEAD]) or CODE_BEFORE.match(text[:HEAD])
            ):
                found[line] = registry.LOUD_MASK
    for line in paste.loud:
        found[line] = found.get(line, 0) | registry.LOUD_MASK
    return found


def _streams(
    paste: Paste, candidates: dict[int, int]
) -> list[tuple[str, list[tuple[int, int]], Stream]]:
    """Each writer that has candidates, with their positions in its stream."""
    lines = sorted(candidates)
    if not paste.writers:
        return [
            ("", [(line, candidates[line]) for line in lines], Stream(paste, range(len(paste))))
        ]
    wanted = {paste.writers.get(line, "") for line in lines}
    result = []
    for writer, indexes in paste.streams().items():
        if writer in wanted:
            positions = [
                (position, candidates[line])
                for position, line in enumerate(indexes)
                if line in candidates
            ]
            result.append((writer, positions, Stream(paste, indexes)))
    return result


def _to_events(paste: Paste, drafts: Sequence[tuple[Stream, str, Draft]]) -> list[Event]:
    ordered = sorted(drafts, key=lambda item: item[0].indexes[_anchor(item[2])])
    index_of = {id(draft): index for index, (_, _, draft) in enumerate(ordered)}
    return [_to_event(paste, stream, writer, draft, index_of) for stream, writer, draft in ordered]


def _anchor(draft: Draft) -> int:
    return draft.message.pieces[0][1] if draft.message.pieces else draft.first


def _to_event(
    paste: Paste, stream: Stream, writer: str, draft: Draft, index_of: dict[int, int]
) -> Event:
    pieces = tuple(
        Piece(start, stream.indexes[position], column)
        for start, position, column in draft.message.pieces
    )
    place = paste.locate(pieces[0].line, pieces[0].column)
    return Event(
        language=draft.language,
        error_class=draft.error_class,
        message=str(draft.message).rstrip(),
        first_line=paste.numbers[stream.indexes[draft.first]],
        last_line=paste.last_number(stream.indexes[min(draft.last, len(stream) - 1)]),
        message_line=place.number,
        message_offset=place.offset,
        frames=tuple(draft.frames),
        role=draft.role or registry.UNDECIDED,
        cause=index_of.get(id(draft.cause)) if draft.cause is not None else None,
        code=draft.code,
        severity=draft.severity,
        writer=writer,
        handled=draft.handled,
        notes=tuple(draft.notes),
        pieces=pieces,
    )
