"""The work on a request of OTLP: its records, brought together by their writers, are one paste."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from errdex.formats.annotation import annotation
from errdex.formats.build import build_answer
from errdex.knowledge import Knowledge
from errdex.matching.ranking import MatchLimits
from errdex.matching.reading.record_streams import JoinedLog


@dataclass(frozen=True, slots=True)
class LogsDone:
    """What was made of a request; can be pickled."""

    found: bool = False
    """Whether a record of the knowledge base matched."""
    problem: str = ""
    """Why the request could not be read."""
    too_large: bool = False
    """Whether it is over the bound once it is unpacked."""
    rejected: int = 0
    """Records that were not looked at."""
    known: bytes = b""
    """A request of OTLP with the known records, in the same encoding; empty without any."""


def match_logs(
    knowledge: Knowledge,
    paste: bytes | str,
    limits: MatchLimits,
    kind: str,
    max_bytes: int,
    site: str,
) -> LogsDone:
    """Match the records in the body of a request. Each known error is in `known` once."""
    from errdex.web.logs import messages

    data = paste.encode() if isinstance(paste, str) else paste
    if len(data) > max_bytes:
        return LogsDone(too_large=True)
    try:
        request = messages.parse_request(data, kind)
    except messages.BadRequest as error:
        return LogsDone(problem=str(error))
    records = messages.list_records(request)
    log = JoinedLog()
    for writer, record in records:
        log.add(writer, messages.line_of(record))
    text = log.paste()
    answer = build_answer(knowledge.match(text, limits), site)
    known: dict[int, dict[str, Any]] = {}
    for index in reversed(answer.reading_order):
        event = answer.events[index]
        number = log.owner(event.message_line)
        if event.known and not messages.is_marked(records[number][1]):
            known[number] = annotation(event, site, root=index == answer.root_cause)
    handed_on = messages.known_records(request, known) if known else None
    return LogsDone(
        found=answer.found,
        rejected=messages.count_records(request) - len(records),
        known=messages.write_message(handed_on, kind) if handed_on is not None else b"",
    )
