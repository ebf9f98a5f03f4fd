"""Answers one stream of any length, part by part, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from errdex.knowledge import MatchAnswer
from errdex.knowledge.packed import PackedKnowledge
from errdex.matching.cutting import LogPart, cut_log, find_cut
from errdex.matching.ranking import MatchLimits

_LEAST = 8 << 10
"""Bytes of a part that is not halved any more: few enough for any bound but that of time."""
LIMITS = MatchLimits(seconds=60.0)
"""A part takes less than a second; the time bounds what a hostile log may take."""


def answer_stream(
    knowledge: PackedKnowledge, pieces: Iterable[bytes], first_line: int = 1
) -> Iterator[tuple[int, MatchAnswer]]:
    """The answers to the parts of a stream, each with the number of its first line. The stream
    comes in pieces of bytes, cut anywhere. Raises PackDamaged, and what reading the pieces does."""
    for part in cut_log(pieces, first_line):
        yield from _answer_part(knowledge, part)


def _answer_part(knowledge: PackedKnowledge, part: LogPart) -> Iterator[tuple[int, MatchAnswer]]:
    """A part that exceeds a bound of an answer, such as that of errors, is halved until it does
    not: an archive is answered whole."""
    waiting = [part]
    while waiting:
        first_line, data = waiting.pop()
        answer = knowledge.match(data, LIMITS)
        middle = len(data)
        if not answer.answer.complete and len(data) > _LEAST:
            middle = find_cut(data, len(data) // 2)
        if middle == len(data):  # the answer is whole, or a single error is as long
            yield first_line, answer
            continue
        lines = data.count(b"\n", 0, middle)
        waiting += [LogPart(first_line + lines, data[middle:]), LogPart(first_line, data[:middle])]
