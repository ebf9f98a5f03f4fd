"""Which records are kin to one, how strongly and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter

from app.knowledge.answers import Related
from app.store import RecordSummary

SAME_BACKGROUND = 4.0
SIMILAR_MESSAGE = 3.0
SHARED_TAG = 1.0
MOST_TAGS = 3
SAME_FILE = 1.5
SAME_CLASS = 1.0


def rank_kin(
    record: RecordSummary,
    others: Iterable[RecordSummary],
    similarity: Mapping[str, float],
    limit: int,
) -> list[Related]:
    """The closest kin first. `similarity` maps an id to how like its message is, 0 to 1."""
    kin = [_relate(record, other, similarity.get(other.id, 0.0)) for other in others]
    kin.sort(key=lambda related: (-related.score, related.record.id))
    return [related for related in kin if related.reasons][:limit]


def _relate(record: RecordSummary, other: RecordSummary, similarity: float) -> Related:
    reasons: list[tuple[float, str]] = []
    if record.background_tag and record.background_tag == other.background_tag:
        reasons.append((SAME_BACKGROUND, f"same background: {record.background_tag}"))
    if similarity > 0:
        reasons.append((SIMILAR_MESSAGE * similarity, "similar message"))
    if shared := [tag for tag in record.tags if tag in set(other.tags)]:
        word = "tag" if len(shared) == 1 else "tags"
        weight = SHARED_TAG * min(len(shared), MOST_TAGS)
        reasons.append((weight, f"same {word}: {', '.join(shared[:MOST_TAGS])}"))
    if record.repo == other.repo:
        reasons.extend(_within_repo(record, other))
    reasons.sort(key=lambda reason: -reason[0])
    score = sum(weight for weight, _ in reasons)
    return Related(other, tuple(words for _, words in reasons), round(score, 3))


_file = attrgetter("repo", "file_path")


def _within_repo(record: RecordSummary, other: RecordSummary) -> list[tuple[float, str]]:
    reasons = []
    if record.file_path and _file(record) == _file(other):
        reasons.append((SAME_FILE, f"raised in the same file: {record.file_path}"))
    if record.error_class and record.error_class == other.error_class:
        reasons.append((SAME_CLASS, f"same class in {record.repo}: {record.error_class}"))
    return reasons
