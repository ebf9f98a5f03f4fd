"""One log in the forms that logs come in, and what reading each costs a line."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator

from bench.generate_log import Generator

from errdex.matching.events import find_events, units
from errdex.matching.reading import read_paste

_PATTERNS = 2_000
_ERRORS = 0.05
_RUNS = 3

Form = Callable[[int, str, str, str, random.Random], str]
"""Number of the line, its time, level and text → the line."""


def _json(number: int, when: str, level: str, text: str, choice: random.Random) -> str:
    logger, _, message = text.partition(": ")
    record = {
        "time": when.replace(" ", "T") + "Z",
        "level": level.lower(),
        "logger": logger,
        "msg": message,
        "request_id": f"{choice.getrandbits(128):032x}",
    }
    return json.dumps(record)


def _logfmt(number: int, when: str, level: str, text: str, choice: random.Random) -> str:
    stamp = when.replace(" ", "T")
    place = f"main.go:{choice.randrange(500)}"
    return f"ts={stamp}Z level={level.lower()} caller={place} msg={json.dumps(text)} n={number}"


def _compose(number: int, when: str, level: str, text: str, choice: random.Random) -> str:
    name = choice.choice(("web-1    ", "worker-1 ", "db-1     ", "redis-1  "))
    return f"{name}| {when} {level} {text}"


FORMS: dict[str, Form] = {
    "plain": lambda number, when, level, text, choice: f"{level} {text}",
    "time, level, logger": lambda number, when, level, text, choice: f"{when} {level} {text}",
    "JSON": _json,
    "logfmt": _logfmt,
    "docker compose": _compose,
    "kubectl --prefix": lambda number, when, level, text, choice: (
        f"[pod/web-{choice.choice('abc')}/app] {when} {level} {text}"
    ),
    "GitHub Actions": lambda number, when, level, text, choice: (
        f"{when.replace(' ', 'T')}.{number % 10_000_000:07}Z {text}"
    ),
    "syslog": lambda number, when, level, text, choice: (
        f"Nov 29 {when[11:]} host app[{choice.randrange(200, 204)}]: {text}"
    ),
}


def _log(lines: int) -> Iterator[tuple[str, str, str]]:
    generator = Generator()
    for line in generator.log(generator.patterns(_PATTERNS), lines, _ERRORS):
        day, clock, level, text = line.split(" ", 3)
        yield f"{day} {clock}", level, text


def measure(lines: int) -> Iterator[tuple[str, float, float, float]]:
    """For each form its name, and the microseconds a line of reading, of finding the events
    and of making the texts to match; the best of several runs."""
    log = list(_log(lines))
    for name, form in FORMS.items():
        choice = random.Random(1)
        data = "\n".join(form(number, *line, choice) for number, line in enumerate(log)).encode()
        runs = [_once(data) for _ in range(_RUNS)]
        reading, finding, making = (min(times) * 1e6 / lines for times in zip(*runs, strict=True))
        yield name, reading, finding, making


def _once(data: bytes) -> tuple[float, float, float]:
    times = [time.process_time()]
    paste = read_paste(data)
    times.append(time.process_time())
    found = find_events(paste)
    times.append(time.process_time())
    units(paste, found)
    times.append(time.process_time())
    return times[1] - times[0], times[2] - times[1], times[3] - times[2]
