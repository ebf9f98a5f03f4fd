"""Answers as a code quality report of GitLab, shown in merge requests
(https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from errdex.formats.ci.checkout import log_place, place_of
from errdex.formats.json import write_data
from errdex.formats.options import WriteOptions
from errdex.formats.short_texts import LogAnswer, explained, record_of, reported, title_of, unlinked

_SEVERITIES = {"fatal": "critical", "warning": "minor"}


def write_all(answers: Sequence[LogAnswer], options: WriteOptions) -> bytes:
    """A list with the errors of all logs."""
    issues = list(_issues(answers, options))
    return write_data(issues)


def _issues(answers: Sequence[LogAnswer], options: WriteOptions) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for each in answers:
        for event in reported(each.answer):
            seen[event.fingerprint] += 1
            number = seen[event.fingerprint]
            record = record_of(event)
            place = place_of(event, options.checkout) or log_place(event, each.log)
            said = " — ".join((title_of(event), *explained(event, options.site)[:1]))
            yield {
                "description": unlinked(said),
                "check_name": f"errdex/{record.id if record else 'unknown'}",
                # GitLab keeps one issue of each fingerprint.
                "fingerprint": f"{event.fingerprint}:{number}" if number > 1 else event.fingerprint,
                "severity": _SEVERITIES.get(event.severity, "major"),
                "location": {"path": place.path, "lines": {"begin": place.line or 1}},
            }
