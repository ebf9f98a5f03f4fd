"""What the tools answer, sized for a context: long texts are cut unless all detail is asked for.

The classes are also the tools' output schemas, as those of `formats.answer` are the API's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import quote

from errdex.formats.answer import MatchedRecord, NamedRecord, Part, PasteAnswer, to_wire

if TYPE_CHECKING:
    from errdex.knowledge import (
        CauseItem,
        CauseList,
        RecordAnswer,
        Related,
        RelatedAnswer,
        SearchItem,
        SearchResults,
    )
    from errdex.store import RecordSummary, StoredRecord

Detail = Literal["brief", "full"]
RECORD_URI = "errdex://records/"
CAUSE_URI = "errdex://causes/"
_TITLE = 200
_MESSAGE = 300
_WHY = 600
_STEP = 400
_STEPS = 3
_FIRST_STEPS = 5
_EXAMPLE = 1_000
_VALUE = 200
_OTHERS = 4


@dataclass(frozen=True, slots=True)
class RecordLink(Part):
    """A record by its id and title."""

    omit_empty: ClassVar[bool] = True

    id: str
    """16 hexadecimal digits, for get_record."""
    uri: str
    """The resource with the whole record as Markdown."""
    title: str
    """What heads the record."""
    url: str = ""
    """The address of its page, if a server is known."""
    repo: str = ""
    """The project that raises it, as owner/name."""
    error_class: str | None = None
    """The class of the error."""
    error_code: str | None = None
    """The code of the error."""


@dataclass(frozen=True, slots=True)
class RecordBrief(Part):
    """What helps of a record: why it happens and how to fix it."""

    omit_empty: ClassVar[bool] = True

    link: RecordLink
    """The record."""
    why: str = ""
    """Why the error happens."""
    fix: Sequence[str] = ()
    """The first steps of the fix, with the values of the log where they are known."""
    steps_left_out: int = 0
    """Further steps, which the whole record has."""
    example_fix: str = ""
    """An example of the fix: code or a command."""
    cause: str | None = None
    """What the error shares with others, for list_causes."""


@dataclass(frozen=True, slots=True)
class SimilarLink(Part):
    """A record that is similar but does not match."""

    record: RecordLink
    """The record."""
    why: str
    """The difference in words."""


@dataclass(frozen=True, slots=True)
class LoggedError(Part):
    """An error of the log."""

    omit_empty: ClassVar[bool] = True

    number: int
    """Its place among all errors of the log, from 0."""
    line: int
    """The line of the log on which its message begins."""
    outcome: Literal["known", "ambiguous", "unknown"]
    """Whether one record matches best, several equally well, or none."""
    message: str
    """The message."""
    fingerprint: str = ""
    """Equal for equal errors of different runs, known or not."""
    start_here: bool = False
    """Whether it is the one to look at first."""
    error_class: str | None = None
    """The class."""
    caused_by: int | None = None
    """The number of the error that it was raised from."""
    repeats: int = 0
    """How often it is repeated."""
    record: RecordBrief | None = None
    """The record that matches best."""
    values: Mapping[str, str] | None = None
    """The values in the holes of the record's message."""
    differences: Sequence[str] = ()
    """Differences between the log and the record, such as another version."""
    others: Sequence[RecordLink] = ()
    """Further records that match."""
    similar: Sequence[SimilarLink] = ()
    """Similar records of an unknown error. They do not match."""
    explanation: str = ""
    """What is behind errors of this class, if no record matches."""
    first_steps: Sequence[str] = ()
    """What to try without a record, or if the record's fix does not help."""
    event: Mapping[str, Any] | None = None
    """With all detail: the error as the HTTP API returns it, with its stack and the evidence."""


@dataclass(frozen=True, slots=True)
class MatchReply(Part):
    """The errors of a log, in the order to read them."""

    found: bool
    """Whether any record matches."""
    errors_found: int
    """The number of errors in the log."""
    known: int
    """How many of them have a record."""
    errors: Sequence[LoggedError]
    """The first of them."""
    errors_left_out: int
    """How many further ones there are; raise `limit` to see them."""
    limits_hit: Sequence[str]
    """What of the log was not read, as sentences."""
    dataset_version: str
    """The version of the data."""


@dataclass(frozen=True, slots=True)
class RecordReply(Part):
    """One record."""

    omit_empty: ClassVar[bool] = True

    record: RecordBrief
    """What helps of it."""
    dataset_version: str
    """The version of the data."""
    document: Mapping[str, Any] | None = None
    """With all detail: the record exactly as it was ingested."""


@dataclass(frozen=True, slots=True)
class FoundRecord(Part):
    """A result of a search."""

    omit_empty: ClassVar[bool] = True

    record: RecordLink
    """The record."""
    all_words: bool
    """False if only some of the words occur."""
    why: str = ""
    """Why the error happens."""
    fix: Sequence[str] = ()
    """With all detail: the first steps of the fix."""


@dataclass(frozen=True, slots=True)
class SearchReply(Part):
    """A page of results, the best first."""

    items: Sequence[FoundRecord]
    """The results."""
    total: int
    """The number of records with every word."""
    partial: int
    """The number of records with only some of the words."""
    suggestion: str | None
    """A corrected query, if no record has every word."""
    notes: Sequence[str]
    """Parts of the query that were ignored, as sentences."""
    next_cursor: str | None
    """The `cursor` of the next page."""


@dataclass(frozen=True, slots=True)
class RelatedLink(Part):
    """A related record."""

    record: RecordLink
    """The record."""
    reasons: Sequence[str]
    """Why it is related, the strongest reason first."""


@dataclass(frozen=True, slots=True)
class RelatedReply(Part):
    """Related records, the closest first."""

    items: Sequence[RelatedLink]
    """The related records."""


@dataclass(frozen=True, slots=True)
class CauseBrief(Part):
    """What several errors have behind them."""

    omit_empty: ClassVar[bool] = True

    tag: str
    """Its name."""
    uri: str
    """The resource with its text as Markdown."""
    title: str
    """What heads it."""
    records: int
    """The number of its records."""
    text: str = ""
    """What is behind its errors."""
    checks: Sequence[str] = ()
    """With all detail: what to check, in this order."""


@dataclass(frozen=True, slots=True)
class CausesReply(Part):
    """Causes, those with the most records first."""

    items: Sequence[CauseBrief]
    """The causes."""
    total: int
    """The number of all causes, or of those that were found."""
    next_cursor: str | None
    """The `cursor` of the next page."""


def match_reply(answer: PasteAnswer, site: str, limit: int, detail: Detail) -> MatchReply:
    """The answer to a log, its first `limit` errors."""
    numbers = answer.reading_order[:limit]
    return MatchReply(
        found=answer.found,
        errors_found=len(answer.events),
        known=sum(event.known for event in answer.events),
        errors=[_error(answer, number, site, detail) for number in numbers],
        errors_left_out=len(answer.reading_order) - len(numbers),
        limits_hit=answer.limits_hit,
        dataset_version=answer.dataset_version,
    )


def _error(answer: PasteAnswer, number: int, site: str, detail: Detail) -> LoggedError:
    event = answer.events[number]
    best = event.matches[0] if event.matches else None
    first = event.first_steps
    error = LoggedError(
        number=number,
        line=event.message_line,
        outcome=event.outcome,
        message=_cut(event.message, _MESSAGE),
        fingerprint=event.fingerprint,
        start_here=number == answer.root_cause,
        error_class=event.error_class,
        caused_by=event.cause,
        repeats=event.repeats,
        record=_brief_named(best.record, site) if best else None,
        values=_values(best) if best else None,
        differences=[each.words for each in best.differences] if best else (),
        others=[_link(each.record, site) for each in event.matches[1 : 1 + _OTHERS]],
        similar=[SimilarLink(_link(each.record, site), each.why) for each in event.near_misses],
        explanation=_cut((first.explanation or "") if first else "", _WHY),
        first_steps=[_cut(each, _STEP) for each in first.steps[:_FIRST_STEPS]] if first else (),
    )
    return replace(error, event=to_wire(event)) if detail == "full" else error


def _values(match: MatchedRecord) -> Mapping[str, str] | None:
    values = {each.name: _cut(each.text, _VALUE) for each in match.captures}
    return values or None


def record_reply(answer: RecordAnswer, site: str, detail: Detail) -> RecordReply:
    """One record."""
    stored = answer.stored
    return RecordReply(
        record=_brief_named(_with_blanks(stored), site),
        dataset_version=answer.version,
        document=stored.body if detail == "full" else None,
    )


def search_reply(page: SearchResults, site: str, detail: Detail) -> SearchReply:
    """A page of results."""
    return SearchReply(
        items=[_found(item, site, detail) for item in page.items],
        total=page.total,
        partial=page.partial,
        suggestion=page.suggestion,
        notes=page.notes,
        next_cursor=page.next_cursor,
    )


def _found(item: SearchItem, site: str, detail: Detail) -> FoundRecord:
    brief = _brief_named(_with_blanks(item.record), site)
    fix = brief.fix if detail == "full" else ()
    return FoundRecord(brief.link, item.all_words, _cut(brief.why, _STEP), fix)


def related_reply(answer: RelatedAnswer, site: str) -> RelatedReply:
    """Related records."""
    return RelatedReply([_related(each, site) for each in answer.items])


def _related(each: Related, site: str) -> RelatedLink:
    return RelatedLink(_link(each.record, site), [reason.words for reason in each.reasons])


def causes_reply(page: CauseList, detail: Detail) -> CausesReply:
    """A page of causes."""
    return CausesReply([_cause(each, detail) for each in page.items], page.total, page.next_cursor)


def _cause(item: CauseItem, detail: Detail) -> CauseBrief:
    text = item.cause.text if item.cause else ""
    return CauseBrief(
        tag=item.tag,
        uri=f"{CAUSE_URI}{quote(item.tag, safe='~')}",
        title=item.title,
        records=item.records,
        text=text if detail == "full" else _cut(text, _WHY),
        checks=item.cause.checks if item.cause and detail == "full" else (),
    )


def _brief_named(record: NamedRecord, site: str) -> RecordBrief:
    steps = record.solutions or ()
    return RecordBrief(
        link=_link(record, site),
        why=_cut(record.documentation or record.source_explanation or "", _WHY),
        fix=[_cut(step, _STEP) for step in steps[:_STEPS]],
        steps_left_out=max(0, len(steps) - _STEPS),
        example_fix=_cut(record.example_fix or "", _EXAMPLE),
        cause=record.background_tag,
    )


def _with_blanks(stored: StoredRecord) -> NamedRecord:
    """The record, the holes of whose texts are named blanks, since there is no log."""
    from errdex.formats.build import named_record
    from errdex.records.messages.texts import with_blanks

    record = named_record(stored)

    def filled(name: str, text: str) -> str:
        return with_blanks(name, text, stored.pattern, stored.error_message)

    return replace(
        record,
        documentation=filled("documentation", record.documentation or ""),
        solutions=[filled("solutions", each) for each in record.solutions or ()],
        example_fix=filled("example_fix", record.example_fix or ""),
    )


def _link(record: NamedRecord | RecordSummary, site: str) -> RecordLink:
    return RecordLink(
        id=record.id,
        uri=f"{RECORD_URI}{record.id}",
        title=_cut(record.heading, _TITLE),
        url=f"{site}/errors/{record.id}/{record.slug}" if site else "",
        repo=record.repo,
        error_class=record.error_class,
        error_code=record.error_code,
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + " …"
