"""Links to report a problem with a record, where the settings name an issue form."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from urllib.parse import quote

from errdex.web.match.contexts import ReportLink

_PROBLEMS = ("Wrong record", "The fix does not work", "Something is missing")


def list_reports(
    report_url: str | None, record_id: str, dataset_version: str
) -> Sequence[ReportLink]:
    """A link for each kind of problem. Only the record's id and versions are in it."""
    if not report_url:
        return ()
    values = {
        "record": record_id,
        "version": f"Errdex {version('errdex')}, records of {dataset_version}",
    }
    return [
        ReportLink(problem, _filled(report_url, {**values, "problem": problem}))
        for problem in _PROBLEMS
    ]


def _filled(template: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", quote(value, safe=""))
    return template
