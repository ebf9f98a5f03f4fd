"""Builds the answer value from what the knowledge base found in a paste."""

from __future__ import annotations

from collections.abc import Sequence

from errdex.formats.answer import (
    CapturedText,
    ErrorEvent,
    EvidenceItem,
    MatchedRecord,
    NamedRecord,
    PasteAnswer,
    PasteRange,
    RecordDifference,
    SimilarRecord,
    StackFrame,
)
from errdex.formats.filled import fill_record
from errdex.formats.first_steps import first_steps
from errdex.knowledge import MatchAnswer
from errdex.matching.fingerprint import fingerprint_of
from errdex.matching.model import Event, Frame
from errdex.matching.ranking import (
    Capture,
    EventAnswer,
    Match,
    NearMiss,
    PastePlace,
    RecordFacts,
)
from errdex.records.fields import FIELDS
from errdex.records.messages.derived_explanation import source_explanation
from errdex.records.messages.texts import holes_of, values_of
from errdex.records.places import at_place, count_places
from errdex.store import StoredRecord

_MESSAGE = 4_000
"""Characters of an event's message that are included."""
_FRAMES = 50
"""Frames of an event that are included: those nearest to the raise."""
_NOTES = 20
_MATCHED = [(field.name, field.wire) for field in FIELDS if field.matched]
"""The attribute and the JSON key of each field that comes with a match."""
_SIMILAR = [(field.name, field.wire) for field in FIELDS if field.similar]
"""Those that come with a similar record."""


def build_answer(result: MatchAnswer, site: str | None = None) -> PasteAnswer:
    """The answer to a paste as one value. `site` is the scheme and host of the server for the
    addresses of records, "" where they are relative, None where there is no server."""
    answer = result.answer
    return PasteAnswer(
        dataset_version=result.version,
        found=answer.found,
        complete=answer.complete,
        limits_hit=answer.limits_hit,
        lines=answer.lines,
        lines_matched=answer.lines_matched,
        root_cause=answer.root_cause,
        reading_order=answer.reading_order,
        events=[_event(each, result, site) for each in answer.events],
    )


def named_record(
    stored: StoredRecord,
    site: str | None = None,
    names: Sequence[tuple[str, str]] = _MATCHED,
    place: int | None = None,
) -> NamedRecord:
    """The fields of a record that an answer includes, as they are at one of its places."""
    body = stored.body if place is None else at_place(stored.body, place)
    others = count_places(stored.body) if stored.places and place is None else None
    values = {name: body[key] for name, key in names if body.get(key) not in (None, "", [])}
    return NamedRecord(
        **values
        | {
            "id": stored.id,
            "repo": stored.repo,
            "slug": stored.slug,
            "url": "" if site is None else f"{site}/errors/{stored.id}/{stored.slug}",
            "place": place,
            "other_places": others,
            "source_explanation": source_explanation(body) if names is _MATCHED else None,
        }
    )


def _event(each: EventAnswer, result: MatchAnswer, site: str | None) -> ErrorEvent:
    event = each.event
    matches = [_match(match, event, result, site) for match in each.matches]
    repo = matches[0].record.repo if matches else None
    return ErrorEvent(
        outcome=each.outcome.value,
        fingerprint=fingerprint_of(event),
        language=event.language or None,
        error_class=event.error_class,
        error_code=event.code,
        message=event.message[:_MESSAGE],
        message_length=len(event.message),
        severity=event.severity,
        role=event.role.value,
        cause=event.cause,
        handled=event.handled,
        writer=event.writer or None,
        test=event.test or None,
        first_line=event.first_line,
        last_line=event.last_line,
        message_line=event.message_line,
        message_offset=event.message_offset,
        frames=[_frame(frame) for frame in event.frames[-_FRAMES:]],
        frames_left_out=max(0, len(event.frames) - _FRAMES),
        notes=[note[:_MESSAGE] for note in event.notes[:_NOTES]],
        repeats=each.repeats,
        repeat_lines=each.repeat_lines,
        matches=matches,
        matches_left_out=each.left_out,
        near_misses=[_similar(near, result, site) for near in each.near_misses],
        first_steps=first_steps(event, None if matches else result.causes.of(event), repo),
    )


def _frame(frame: Frame) -> StackFrame:
    return StackFrame(frame.file, frame.line, frame.function, frame.package)


def _match(match: Match, event: Event, result: MatchAnswer, site: str | None) -> MatchedRecord:
    record = _record(match.record, result, site, _MATCHED)
    stored = result.records.get(match.record.id)
    holes = holes_of(stored.pattern, stored.error_message) if stored else ()
    values = values_of([(each.name, _whole_text(each)) for each in match.captures])
    record, filled = fill_record(record, holes, values)
    return MatchedRecord(
        record=record,
        score=match.score,
        group=match.group,
        evidence=[EvidenceItem(e.kind.value, e.points, e.words) for e in match.evidence],
        captures=[_captured(capture) for capture in match.captures],
        place=_range(match.place),
        differences=[
            RecordDifference(each.kind, each.record, each.paste, each.words)
            for each in result.differences(event, match)
        ],
        filled=filled,
    )


def _whole_text(capture: Capture) -> str:
    """The captured text; of a shortened one, something that is too long to be filled in."""
    return capture.text.ljust(capture.length)


def _similar(near: NearMiss, result: MatchAnswer, site: str | None) -> SimilarRecord:
    record = _record(near.record, result, site, _SIMILAR)
    return SimilarRecord(record, near.missing, near.other, near.why)


def _record(
    facts: RecordFacts, result: MatchAnswer, site: str | None, names: Sequence[tuple[str, str]]
) -> NamedRecord:
    stored = result.records.get(facts.id)
    if stored is None:  # removed between two reads, which one snapshot rules out
        return NamedRecord(facts.id)
    return named_record(stored, site, names, facts.place)


def _captured(capture: Capture) -> CapturedText:
    return CapturedText(capture.name, capture.text, capture.length, _range(capture.place))


def _range(place: PastePlace) -> PasteRange:
    return PasteRange(place.line, place.start, place.end_line, place.end)
