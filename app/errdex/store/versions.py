"""Dataset versions: moments in UTC, to the millisecond, that only ever grow."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def format_version(moment: datetime) -> str:
    """`2026-08-28T06:17:29.519Z`: fixed width, so that text order is time order."""
    return (
        moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"
    )


def next_version(previous: str, now: datetime | None = None) -> str:
    """The version that follows `previous` ("" when there is none): now, or one millisecond
    after `previous` when the clock stands still or went back."""
    candidate = format_version(now or datetime.now(UTC))
    if candidate > previous:
        return candidate
    return format_version(datetime.fromisoformat(previous) + timedelta(milliseconds=1))
