"""Answers by the records whose words are most like an event's, where no pattern was found as it
is: the message was typed again, cut off, or stands in a question."""

from errdex.matching.ranking.similar.answers import (
    LOOKED_UP,
    Similar,
    is_looked_up,
    with_similar,
)

__all__ = ["LOOKED_UP", "Similar", "is_looked_up", "with_similar"]
