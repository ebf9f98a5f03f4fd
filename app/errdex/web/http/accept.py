"""Content negotiation: which media type an Accept header prefers (RFC 9110, section 12.5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_Range = tuple[str, float]


def best_media_type(accept: str, offered: Sequence[str]) -> str | None:
    """The offered type with the highest weight, the earlier one where weights are equal; None
    when the header accepts none of them. An empty or malformed header accepts all."""
    ranges = list(_parse(accept))
    if not ranges:
        return offered[0]
    weight, best = max(
        ((_weight(each, ranges), each) for each in offered), key=lambda pair: pair[0]
    )
    return best if weight > 0 else None


def _parse(accept: str) -> Iterator[_Range]:
    for part in accept.lower().split(","):
        kind, *parameters = (each.strip() for each in part.split(";"))
        weights = [each[2:] for each in parameters if each.startswith("q=")]
        try:
            weight = float(weights[0]) if weights else 1.0
        except ValueError:
            continue
        if "/" in kind and 0 <= weight <= 1:
            yield kind, weight


def _weight(media_type: str, ranges: Sequence[_Range]) -> float:
    """The weight of the most specific range that includes the type."""
    for wanted in (media_type, media_type.partition("/")[0] + "/*", "*/*"):
        weights = [weight for kind, weight in ranges if kind == wanted]
        if weights:
            return max(weights)
    return 0.0
