"""The answer to a paste: which record each of its events is, and why.

`Matcher(patterns).match(data, lookup, limits) -> Answer`, begin at `matcher`.
"""

from errdex.matching.ranking.answer import (
    Answer,
    Capture,
    EventAnswer,
    Evidence,
    Kind,
    Match,
    NearMiss,
    Outcome,
    PastePlace,
    RecordFacts,
)
from errdex.matching.ranking.matcher import Lookup, Matcher, MatchLimits

__all__ = [
    "Answer",
    "Capture",
    "EventAnswer",
    "Evidence",
    "Kind",
    "Lookup",
    "Match",
    "MatchLimits",
    "Matcher",
    "NearMiss",
    "Outcome",
    "PastePlace",
    "RecordFacts",
]
