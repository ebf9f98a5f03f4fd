"""The facets of records: what lists can be narrowed by, and what is counted."""

from __future__ import annotations

from collections.abc import Mapping

from errdex.records import fields

COUNTED_TOGETHER = (*(facet for facet in fields.FACETS if facet != "tag"), "tag")
"""Those that are counted in one pass when only some of the records are meant, tags last."""

FACETS = (*COUNTED_TOGETHER, "dataset")
"""Those that each ingestion counts."""

FACET_OF_CONDITION: Mapping[str, str] = {
    **{condition: facet for facet, condition in fields.FACETS.items()},
    "dataset": "dataset",
}
"""The facet whose kept counts say how many records meet a condition."""
