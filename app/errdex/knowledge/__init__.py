"""The one read layer: HTML, JSON and the command all call it. See knowledge.py."""

from errdex.knowledge.answers import (
    Extract,
    KnowledgeError,
    Reason,
    RecordAnswer,
    RecordNotFound,
    RecordPage,
    Related,
    RelatedAnswer,
    RepoAnswer,
    SearchItem,
    SearchPage,
    SearchUnavailable,
    ValueNotFound,
    ValuePage,
)
from errdex.knowledge.cursors import BadCursor
from errdex.knowledge.knowledge import Knowledge
from errdex.knowledge.matching import MatchAnswer, PatternCounts
from errdex.knowledge.open_indexes import Rebuilder

__all__ = [
    "BadCursor",
    "Extract",
    "Knowledge",
    "KnowledgeError",
    "MatchAnswer",
    "PatternCounts",
    "Reason",
    "Rebuilder",
    "RecordAnswer",
    "RecordNotFound",
    "RecordPage",
    "Related",
    "RelatedAnswer",
    "RepoAnswer",
    "SearchItem",
    "SearchPage",
    "SearchUnavailable",
    "ValueNotFound",
    "ValuePage",
]
