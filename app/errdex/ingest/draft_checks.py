"""What `errdex check` would say of one record that is only a draft yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errdex.ingest.fix_checks import find_fix_warnings
from errdex.ingest.pattern_checks import find_problems
from errdex.records.problems import RecordRefused
from errdex.records.validation import parse_record


def check_draft(body: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The problems for which the record would be refused, and warnings, as sentences."""
    try:
        record = parse_record(dict(body))
    except RecordRefused as refused:
        return [str(each) for each in refused.problems], []
    return [str(each) for each in find_problems(record)], list(find_fix_warnings(record))
