"""The answer to a paste as JSON: one form for the API, the command and the page."""

from __future__ import annotations

from dataclasses import asdict

from errdex.knowledge.matching import MatchAnswer
from errdex.matching.model import Event, Frame
from errdex.matching.ranking import Capture, EventAnswer, Evidence, Match, NearMiss, PastePlace
from errdex.records.fields import FIELDS
from errdex.records.wire import load_wire
from errdex.store import StoredRecord

_MESSAGE = 4_000
"""Characters of an event's message that are given."""
_FRAMES = 50
"""Frames of an event that are given, those nearest to the raise."""
_NOTES = 20
RECORD_KEYS = tuple(field.wire for field in FIELDS if field.matched)
"""What of a record comes with a match, besides its id, slug and address."""
NEAR_KEYS = tuple(field.wire for field in FIELDS if field.similar)
"""What of a record comes with a near miss."""


def to_wire(answered: MatchAnswer) -> dict[str, object]:
    """The whole answer, ready for JSON."""
    answer = answered.answer
    return {
        "datasetVersion": answered.version,
        "found": answer.found,
        "complete": answer.complete,
        "limitsHit": list(answer.limits_hit),
        "lines": answer.lines,
        "linesMatched": answer.lines_matched,
        "rootCause": answer.root_cause,
        "readingOrder": answer.reading_order,
        "events": [_event(each, answered) for each in answer.events],
    }


def _event(each: EventAnswer, answered: MatchAnswer) -> dict[str, object]:
    event = each.event
    return {
        "outcome": each.outcome.value,
        "language": event.language or None,
        "errorClass": event.error_class,
        "errorCode": event.code,
        "message": event.message[:_MESSAGE],
        "messageLength": len(event.message),
        "severity": event.severity,
        "role": event.role.value,
        "cause": event.cause,
        "handled": event.handled,
        "writer": event.writer or None,
        **_place_of(event),
        "frames": [_frame(frame) for frame in event.frames[-_FRAMES:]],
        "framesLeftOut": max(0, len(event.frames) - _FRAMES),
        "notes": [note[:_MESSAGE] for note in event.notes[:_NOTES]],
        "repeats": each.repeats,
        "repeatLines": list(each.repeat_lines),
        "matches": [_match(match, event, answered) for match in each.matches],
        "matchesLeftOut": each.left_out,
        "nearMisses": [_near(near, answered) for near in each.near_misses],
    }


def _place_of(event: Event) -> dict[str, object]:
    return {
        "firstLine": event.first_line,
        "lastLine": event.last_line,
        "messageLine": event.message_line,
        "messageOffset": event.message_offset,
    }


def _frame(frame: Frame) -> dict[str, object]:
    return {
        "file": frame.file,
        "line": frame.line,
        "function": frame.function,
        "package": frame.package,
    }


def _match(match: Match, event: Event, answered: MatchAnswer) -> dict[str, object]:
    return {
        "record": record_to_wire(
            answered.records.get(match.record.id), match.record.id, RECORD_KEYS
        ),
        "score": match.score,
        "group": match.group,
        "evidence": [_evidence(evidence) for evidence in match.evidence],
        "captures": [_capture(capture) for capture in match.captures],
        "place": _place(match.place),
        "differences": [asdict(each) for each in answered.differences(event, match)],
    }


def _near(near: NearMiss, answered: MatchAnswer) -> dict[str, object]:
    return {
        "record": record_to_wire(answered.records.get(near.record.id), near.record.id, NEAR_KEYS),
        "missing": list(near.missing),
        "other": list(near.other),
        "why": near.why,
    }


def record_to_wire(
    stored: StoredRecord | None, record_id: str, keys: tuple[str, ...]
) -> dict[str, object]:
    """Those of the keys that a record has a value for, with its address."""
    if stored is None:  # removed between two reads, which one snapshot rules out
        return {"id": record_id}
    body = load_wire(stored.body_json)
    return {
        "id": stored.id,
        "repo": stored.repo,
        "slug": stored.slug,
        "path": f"/errors/{stored.id}/{stored.slug}",
        **{key: body[key] for key in keys if body.get(key) not in (None, "", [])},
    }


def _evidence(evidence: Evidence) -> dict[str, object]:
    return {"kind": evidence.kind.value, "points": evidence.points, "words": evidence.words}


def _capture(capture: Capture) -> dict[str, object]:
    return {
        "name": capture.name,
        "text": capture.text,
        "length": capture.length,
        "place": _place(capture.place),
    }


def _place(place: PastePlace) -> dict[str, object]:
    return {
        "line": place.line,
        "start": place.start,
        "endLine": place.end_line,
        "end": place.end,
    }
