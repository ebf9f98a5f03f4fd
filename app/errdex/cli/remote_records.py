"""The records of another Errdex, asked for as those of a database are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol, get_args
from urllib.parse import quote

from errdex.cli.remote import Server
from errdex.knowledge import (
    CauseAnswer,
    CauseItem,
    RecordAnswer,
    SearchItem,
    SearchResults,
    ValueNotFound,
)
from errdex.records.causes import Cause, parse_cause
from errdex.records.fields import FIELDS
from errdex.records.filters import ANY, Filters
from errdex.records.problems import RecordRefused
from errdex.records.validation import parse_record
from errdex.store import StoredRecord


class Records(Protocol):
    """What `errdex show` and `errdex search` ask for."""

    def find_record(self, record_id: str) -> RecordAnswer | None: ...  # noqa: D102

    def search_records(  # noqa: D102
        self, text: str, filters: Filters = ANY, *, limit: int = 20
    ) -> SearchResults: ...

    def get_cause(self, tag: str) -> CauseAnswer: ...  # noqa: D102

    def find_cause(self, tag: str | None) -> Cause | None: ...  # noqa: D102


class RemoteRecords:
    """Those of a server. Every method may raise ServerTrouble, and LookupError, TypeError and
    ValueError for an answer that is not of Errdex's form."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def find_record(self, record_id: str) -> RecordAnswer | None:
        """The record with that id."""
        envelope = self._server.get(f"/api/errors/{quote(record_id, safe='')}")
        if envelope is None:
            return None
        answer = RecordAnswer(_stored(envelope["record"]), str(envelope["datasetVersion"]))
        parse_record(answer.stored.body)  # raises ValueError
        return answer

    def search_records(
        self, text: str, filters: Filters = ANY, *, limit: int = 20
    ) -> SearchResults:
        """The first page of a search. The explanations of the records are not in it."""
        page = self._server.get(
            "/api/errors",
            q=text or None,
            limit=limit,
            repo=filters.repo,
            tag=filters.tag,
            language=filters.language,
            **{"class": filters.error_class},
        )
        if page is None:
            raise LookupError("items")
        return SearchResults(
            items=[_item(each) for each in page["items"]],
            total=int(page["total"]),
            partial=int(page["partial"]),
            facets={},
            suggestion=page["suggestion"],
            notes=[str(note) for note in page["notes"]],
            next_cursor=None,
            version=str(page["datasetVersion"]),
        )

    def get_cause(self, tag: str) -> CauseAnswer:
        """One cause. Raises ValueNotFound."""
        found = self._server.get(f"/api/causes/{quote(tag, safe='')}")
        if found is None:
            raise ValueNotFound("cause", tag)
        cause = None
        with suppress(RecordRefused):  # it has no text
            keys = ("tag", "title", "text", "tell", "checks")
            cause = parse_cause({key: found[key] for key in keys if found[key]})
        item = CauseItem(tag, int(found["records"]), cause)
        return CauseAnswer(item, str(found["datasetVersion"]))

    def find_cause(self, tag: str | None) -> Cause | None:
        """The text of a cause; None if it has none."""
        try:
            return self.get_cause(tag).item.cause if tag else None
        except ValueNotFound:
            return None


def _stored(body: Mapping[str, Any]) -> StoredRecord:
    """A record that was served as JSON, whole or as the entry of a list. Raises TypeError."""
    values: dict[str, Any] = {}
    for field in FIELDS:
        if field.column:
            value = body.get(field.wire)
            wanted = list if field.is_list else get_args(field.type)[0]
            if value is not None and not isinstance(value, wanted):
                raise TypeError(field.wire)
            values[field.column] = value
    values["tags"] = tuple(map(str, values["tags"] or ()))
    for name in ("repo", "slug", "error_message", "pattern"):
        values[name] = values[name] or ""
    return StoredRecord(
        id=str(body["id"]),
        dataset="",
        changed_version="",
        body_json=json.dumps(dict(body)),
        **values,
    )


def _item(found: Mapping[str, Any]) -> SearchItem:
    return SearchItem(
        record=_stored(found["record"]),
        score=float(found["score"]),
        all_words=bool(found["allWords"]),
        heading_spans=(),
        message_spans=(),
        extract=None,
        matched=bool(found["matched"]),
    )
