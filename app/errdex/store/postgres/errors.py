"""What PostgreSQL's errors mean, in sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from errdex.store.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreTooOld,
    StoreUnreachable,
)
from errdex.store.postgres.address import PostgresAddress

_SAID = 200
"""Characters of what PostgreSQL says."""
_FOR_A_MOMENT = ("starting up", "shutting down", "recovery mode", "too many", "reserved for")
_LOST = (
    "It was lost while it was used ({said}): try again. What was committed is kept; an ingestion "
    "that was not is undone, and one that was changes nothing when it is run again."
)
_BY_STATE = {
    "25006": (
        StoreReadOnly,
        "It is a read-only replica or set to read-only: ingest into the primary server, which "
        "this one follows.",
    ),
    "42501": (
        StoreReadOnly,
        "Its user lacks a right ({said}): let the database's owner run `errdex ingest` once, then "
        "GRANT USAGE ON SCHEMA errdex and SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "
        "errdex to that user; to read, USAGE and SELECT are enough.",
    ),
    "53100": (StoreFull, "Its disk is full: free some space there; nothing was changed."),
    "53200": (StoreFull, "It has no memory left ({said}): give it more; nothing was changed."),
    "53300": (StoreUnreachable, "It has too many connections: raise its max_connections."),
    "55P03": (StoreBusy, "Another ingestion is still running: try again when it has finished."),
    "57014": (StoreBusy, "It cancelled a statement ({said}): raise its statement_timeout."),
    "40001": (StoreBusy, "Another change came in between ({said}): try again."),
    "40P01": (StoreBusy, "Another change came in between ({said}): try again."),
    "23505": (
        StoreBusy,
        "Another ingestion has just added records with the same ids: run this one again, and its "
        "report will name them.",
    ),
    "42P01": (StoreTooOld, "It lacks tables of this version of Errdex: run `errdex ingest` once."),
    "42703": (StoreTooOld, "It lacks columns of this version of Errdex: run `errdex ingest` once."),
}
_BY_CLASS = {
    "08": (StoreUnreachable, _LOST),
    "57": (StoreUnreachable, _LOST),
    "53": (StoreFull, "It has run out of something ({said}): look into its log."),
    "58": (StoreDamaged, "Its system failed ({said}): look into its log and check its disk."),
    "XX": (StoreDamaged, "It is damaged ({said}): restore a backup; docs/operations.md says how."),
}


def explain(address: PostgresAddress, error: SQLAlchemyError) -> StoreError:
    """The StoreError that says in words what an error of the driver means."""
    original = error.orig if isinstance(error, DBAPIError) else None
    state = getattr(original, "sqlstate", None) or ""
    said = " ".join(str(original or error).split())[:_SAID]
    if original is not None and not state:
        kind, sentence = _of_connection(address, said)
    else:
        known = _BY_STATE.get(state) or _BY_CLASS.get(state[:2])
        kind, form = known or (StoreError, "It refused: {said}.")
        sentence = form.format(said=said)
    return kind(f"The {address} cannot be used. {sentence}")


def _of_connection(address: PostgresAddress, said: str) -> tuple[type[StoreError], str]:
    """Without a state, there is no answer or no connection."""
    if "FATAL" in said:
        reason = said.partition("FATAL:")[2].strip()
        if any(words in reason for words in _FOR_A_MOMENT):
            return StoreUnreachable, f"It takes no connections now ({reason}): try again soon."
        user = address.user or "of this process"
        return StoreUnreachable, (
            f"It refused the user {user!r} ({reason}): correct user, "
            "password and database in ERRDEX_DATABASE_URL, or its pg_hba.conf."
        )
    if "connection failed" in said or "resolve host" in said or "timeout" in said:
        reason = said.rpartition("failed: ")[2].partition(" Is the server running")[0]
        return StoreUnreachable, (
            f"It cannot be reached ({reason}): start it, or correct host and port in "
            "ERRDEX_DATABASE_URL."
        )
    return StoreUnreachable, _LOST.format(said=said)


@contextmanager
def explained(address: PostgresAddress) -> Iterator[None]:
    """Turn SQLAlchemy's errors, and those of the driver, into StoreErrors."""
    try:
        yield
    except SQLAlchemyError as error:
        raise explain(address, error) from error
