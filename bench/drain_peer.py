"""Drain3, a log template miner, as a matcher of known templates.

Its templates are learnt from lines; ours come with the patterns. So it is taught each
pattern's message once, holes as its wildcard, and then asked to match the log's lines
without learning. It compares whole messages word by word, where a pattern may be found
anywhere in a line, so it is given the lines without what they begin with. It finds fewer
all the same; the figure of what it found stands beside its speed.
"""

from __future__ import annotations

import re
import time

from bench.matching import Figures, best, megabytes, timed

_HOLE = re.compile(r"\((?:\?:)?[^()]*\)[?*+]*")
_ESCAPE = re.compile(r"\\(.)")
MAX_LEARNING_SECONDS = 240


def template_of(pattern: str) -> str:
    """The pattern as a template: each word with a group in it a wildcard."""
    plain = _ESCAPE.sub(r"\1", _HOLE.sub("<*>", pattern.replace(r"\s+", " ")))
    return " ".join("<*>" if "<*>" in word else word for word in plain.split())


def message_of(line: str) -> str:
    """The line without the time, level and name that it begins with."""
    return line.partition(": ")[2] or line


def measure_drain(sources: list[str], log: list[str]) -> Figures:
    """Templates taught, and lines matched a second. Stops teaching after some minutes, and
    says how many templates it then had."""
    from drain3.drain import Drain

    before = megabytes()
    miner = Drain(sim_th=0.9, depth=6, max_children=1000)
    begun = time.process_time()
    taught = 0
    for source in sources:
        miner.add_log_message(template_of(source))
        taught += 1
        if time.process_time() - begun > MAX_LEARNING_SECONDS:
            break
    learning = time.process_time() - begun
    # It is slow enough that a part of the lines tells as much.
    part = [message_of(line) for line in log[: max(len(log) // 4, 1)]]
    _, found = timed(lambda: sum(miner.match(line) is not None for line in part))
    matching, _ = best(lambda: [miner.match(line) for line in part])
    return {
        "compile s": learning,
        "MB": megabytes() - before,
        "lines/s": len(part) / matching,
        "matches": found * len(log) / len(part),
        "templates": taught,
    }
