"""The one read layer, which the pages, the API and the command use. See knowledge.py."""

from errdex.knowledge.answers import (
    CauseAnswer,
    CauseItem,
    CauseList,
    Extract,
    KnowledgeError,
    Reason,
    RecordAnswer,
    RecordList,
    RecordNotFound,
    Related,
    RelatedAnswer,
    RepoAnswer,
    SearchItem,
    SearchResults,
    SearchUnavailable,
    ValueList,
    ValueNotFound,
)
from errdex.knowledge.cursors import BadCursor
from errdex.knowledge.knowledge import Knowledge
from errdex.knowledge.matching import MatchAnswer, PatternCounts
from errdex.knowledge.open_indexes import Rebuilder

__all__ = [
    "BadCursor",
    "CauseAnswer",
    "CauseItem",
    "CauseList",
    "Extract",
    "Knowledge",
    "KnowledgeError",
    "MatchAnswer",
    "PatternCounts",
    "Reason",
    "Rebuilder",
    "RecordAnswer",
    "RecordList",
    "RecordNotFound",
    "Related",
    "RelatedAnswer",
    "RepoAnswer",
    "SearchItem",
    "SearchResults",
    "SearchUnavailable",
    "ValueList",
    "ValueNotFound",
]
