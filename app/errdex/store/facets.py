"""The facets of records: what lists can be narrowed by, and what is counted."""

from __future__ import annotations

from collections.abc import Mapping

FACETS = ("repo", "class", "type", "severity", "language", "background", "tag", "dataset")
"""Those that are counted by each ingestion."""

COUNTED_TOGETHER = ("repo", "class", "type", "severity", "language", "background", "tag")
"""Those that are counted in one go when only some of the records are meant."""

FACET_OF_CONDITION: Mapping[str, str] = {
    "repo": "repo",
    "error_class": "class",
    "tag": "tag",
    "error_type": "type",
    "severity": "severity",
    "language": "language",
    "background_tag": "background",
    "dataset": "dataset",
}
"""The facet whose kept counts tell how many records meet a condition."""
