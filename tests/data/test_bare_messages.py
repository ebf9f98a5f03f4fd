"""A known message pasted alone, as people copy it, is always answered with an event."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.data.matched import match
from tests.data.starter_records import load_starter_records

import errdex

COPIED = [
    "{}",
    "- {}",
    "1. {}",
    "**{}**",
    "`{}`",
    "> {}",
    '"{}"',
    "\u201c{}\u201d",
    "I get this: `{}`",
    "\u274c {}",
]
LEAST = 0.985
"""Share of the messages that must be found; the others are a single word, or a path."""


LEAST_KNOWN = 0.95
"""Share of the messages that must find their record; the others need the line below or beside
them, or say too little (`Connection reset`)."""
LEAST_TYPED = 0.88
"""The same where somebody typed them again without capitals or without quotation marks."""
LEAST_CUT, LEAST_ASKED, MOST_WRONG = 0.6, 0.85, 0.02
"""The same where the end was cut off at 60 % of the length, and where a question in small letters
and without quotation marks names it; and the share of messages whose first record is another."""
NO_QUOTES = str.maketrans("", "", "'\"`\u2018\u2019\u201c\u201d")


def messages() -> Iterator[tuple[str, str]]:
    """A record's id, and the first line of what its first sample says, without its class and
    level."""
    for _, record in load_starter_records():
        for sample in (record.samples or [])[:1]:
            said = (
                each.event.message.split("\n")[0].strip()
                for each in match(sample).events
                if any(known.record.id == record.id for known in each.matches)
            )
            message = next(said, "")
            if len(message) > 3:
                yield record.id, message


@pytest.mark.slow
def test_a_message_alone_gives_an_event_however_it_is_copied() -> None:
    said = [message for _, message in messages()]
    assert len(said) > 400
    few = {
        form: missing
        for form in COPIED
        if len(missing := [each for each in said if not match(form.format(each)).events])
        > (1 - LEAST) * len(said)
    }
    assert not few


@pytest.mark.slow
def test_a_message_alone_finds_its_record() -> None:
    said = list(messages())
    missing = [
        message
        for record_id, message in said
        if not any(
            known.record.id == record_id
            for event in match(message).events
            for known in event.matches
        )
    ]
    assert len(missing) <= (1 - LEAST_KNOWN) * len(said), missing


def test_lines_that_report_no_error_give_none() -> None:
    healthy = [
        "added 12 packages, and audited 13 packages in 3s",
        "12 passed, 0 failed in 3.2 s",
        "Server listening on port 8080",
        "$ make install",
        "https://example.org/errors",
        "INFO request not found in cache",
        "build finished without errors",
    ]
    assert [line for line in healthy if match(line).events] == []


@pytest.mark.slow
@pytest.mark.parametrize("typed", [str.lower, lambda text: text.translate(NO_QUOTES)])
def test_a_message_that_was_typed_again_finds_its_record(typed: Callable[[str], str]) -> None:
    said = [(record_id, typed(message)) for record_id, message in messages()]
    with errdex.open() as knowledge:
        missing = [
            message
            for record_id, message in said
            if not any(
                known.record.id == record_id
                for event in knowledge.match(message).events
                for known in event.matches
            )
        ]
    assert len(missing) <= (1 - LEAST_TYPED) * len(said), missing


def _cut(message: str) -> str:
    return message[: int(len(message) * 0.6)]


def _asked(message: str) -> str:
    return f"why do I get {message.translate(NO_QUOTES).lower()} in docker"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "least"),
    [
        (_cut, LEAST_CUT),
        (lambda message: _cut(message) + "\u2026", LEAST_CUT),
        (_asked, LEAST_ASKED),
    ],
)
def test_a_message_that_was_cut_or_asked_about_finds_its_record(
    changed: Callable[[str], str], least: float
) -> None:
    said = [(record_id, changed(message)) for record_id, message in messages()]
    missing, wrong = [], []
    with errdex.open() as knowledge:
        for record_id, message in said:
            events = knowledge.match(message).events
            known = [[match.record.id for match in event.matches] for event in events]
            if not any(record_id in ids for ids in known):
                missing.append(message)
                wrong += [message for ids in known if ids]
    assert len(missing) <= (1 - least) * len(said), missing
    assert len(wrong) <= MOST_WRONG * len(said), wrong
