"""Ranks the records related to a record, and lists the reasons.

Dozens of candidates are scored; reasons are written for the closest only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import nsmallest

from errdex.knowledge.answers import Reason
from errdex.store import RecordSummary, RelatedTraits

SAME_BACKGROUND = 4.0
SIMILAR_MESSAGE = 3.0
SHARED_TAG = 1.0
MOST_TAGS = 3
SAME_FILE = 1.5
SAME_CLASS = 1.0
LEAST = 1.5
"""The lowest score of a related record: one shared tag or class alone is not enough."""


def rank_related(
    record: RecordSummary,
    others: Iterable[RelatedTraits],
    similarity: Mapping[str, float],
    limit: int,
) -> list[tuple[str, float]]:
    """The ids of the closest records with their scores, the closest first. `similarity` maps an
    id to the similarity of its message, 0 to 1."""
    tags = frozenset(record.tags)
    scored = (
        (-round(_score(record, tags, other, similarity.get(other.id, 0.0)), 3), other.id)
        for other in others
    )
    closest = nsmallest(limit, (each for each in scored if each[0] <= -LEAST))
    return [(record_id, -score) for score, record_id in closest]


def _score(
    record: RecordSummary, tags: frozenset[str], other: RelatedTraits, similarity: float
) -> float:
    shared = SHARED_TAG * min(len(tags.intersection(other.tags)), MOST_TAGS)
    if record.background_tag and record.background_tag == other.background_tag:
        shared += SAME_BACKGROUND
    if not shared and record.repo != other.repo:
        return 0.0  # messages of different worlds that happen to share words
    score = shared + SIMILAR_MESSAGE * similarity
    if record.repo == other.repo:
        score += SAME_FILE * bool(record.file_path and record.file_path == other.file_path)
        score += SAME_CLASS * bool(record.error_class and record.error_class == other.error_class)
    return score


def list_reasons(
    record: RecordSummary, other: RecordSummary, similarity: float
) -> Iterator[Reason]:
    """The reasons behind the score, the strongest first."""
    reasons: list[tuple[float, Reason]] = []
    if (background := record.background_tag) and background == other.background_tag:
        reason = Reason("background", (background,), f"same cause: {background}")
        reasons.append((SAME_BACKGROUND, reason))
    if similarity > 0:
        reasons.append((SIMILAR_MESSAGE * similarity, Reason("message", (), "similar message")))
    if shared := tuple(tag for tag in record.tags if tag in set(other.tags)):
        word = "tag" if len(shared) == 1 else "tags"
        words = f"same {word}: {', '.join(shared[:MOST_TAGS])}"
        weight = SHARED_TAG * min(len(shared), MOST_TAGS)
        reasons.append((weight, Reason("tag", shared, words)))
    if record.repo == other.repo:
        reasons.extend(_within_repo(record, other))
    reasons.sort(key=lambda reason: -reason[0])
    yield from (reason for _, reason in reasons)


def _within_repo(record: RecordSummary, other: RecordSummary) -> Iterator[tuple[float, Reason]]:
    if (file := record.file_path) and file == other.file_path:
        yield SAME_FILE, Reason("file", (file,), f"raised in the same file: {file}")
    if (name := record.error_class) and name == other.error_class:
        yield SAME_CLASS, Reason("class", (name,), f"same class in {record.repo}: {name}")
