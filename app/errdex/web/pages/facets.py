"""The facets beside search results: links that add a filter or remove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from errdex.store import FacetValue
from errdex.web.pages.contexts import FacetGroup, FacetLink
from errdex.web.pages.rendering.templating import search_url

HEADINGS: Mapping[str, str] = {
    "repo": "Repository",
    "language": "Language",
    "class": "Class",
    "type": "Type",
    "severity": "Severity",
    "tag": "Tag",
    "background": "Cause",
}
"""The parameter of each filter, and the heading of its values."""
_MOST = 10


def facet_links(
    query: str, chosen: Mapping[str, str], facets: Mapping[str, Sequence[FacetValue]]
) -> list[FacetGroup]:
    """The links under each heading, without empty headings."""
    groups = (
        FacetGroup(heading=heading, links=_links(query, chosen, name, facets.get(name, ())))
        for name, heading in HEADINGS.items()
    )
    return [group for group in groups if group.links]


def _links(
    query: str, chosen: Mapping[str, str], name: str, values: Sequence[FacetValue]
) -> list[FacetLink]:
    counts = {each.value: each.records for each in values}
    others = {key: value for key, value in chosen.items() if key != name}
    if name in chosen:
        value = chosen[name]
        url = search_url(query, others)
        return [FacetLink(value=value, count=counts.get(value), chosen=True, url=url)]
    return [
        FacetLink(
            value=value,
            count=count,
            chosen=False,
            url=search_url(query, {**chosen, name: value}),
        )
        for value, count in list(counts.items())[:_MOST]
    ]
