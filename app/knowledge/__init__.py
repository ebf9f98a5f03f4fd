"""The one read layer: HTML, JSON and the command all call it. See knowledge.py."""

from app.knowledge.answers import (
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
from app.knowledge.cursors import BadCursor
from app.knowledge.knowledge import Knowledge
from app.knowledge.match_wire import to_wire
from app.knowledge.matching import MatchAnswer, PatternCounts
from app.knowledge.open_indexes import Rebuilder

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
    "to_wire",
]
