"""What speaks for a record at an event, and what against it, in points.

The points are one scale for all kinds, so that they can be added and shown: a whole message
with telling text in it makes up to 75, the same class 20, the very line that raised it 40.
What contradicts the record counts below zero. They order matches, and are no probability.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from math import exp
from typing import NamedTuple

from errdex import lazy_re as re
from errdex.matching.model import Event, Frame
from errdex.matching.patterns.weight import WEAK_BELOW
from errdex.matching.ranking.answer import Evidence, Kind, RecordFacts
from errdex.matching.ranking.comparison import (
    common_tail,
    contains_word,
    family,
    installed_name,
    is_base,
    is_telling_name,
    language_of_file,
    last_part,
    path_parts,
    same_class,
)
from errdex.matching.ranking.function_names import last_name
from errdex.records.languages import LANGUAGES
from errdex.records.messages.derived_pattern import derive_pattern

# The constants were set so that every sample of the starter records finds its own record first
# (tests/data), and every trap and paste of tests/cases/answers its own. `bench.quality` measures
# what a change does.
_WHOLE, _LINE, _WHOLE_CLAUSE, _PART = 40.0, 32.0, 26.0, 20.0
"""Points for what the match takes of the message; half of them for a pattern of no words."""
_TEXT, _LENGTH = 30.0, 5.0
"""Most points for the weight and for the length of fixed text."""
MEANT = 9.0
"""Weight from which on text is meant for one message: "fixture not found" weighs 9."""
_PATTERN_CLASS, SAME_CLASS, _CLASS_NAMED, _BASE_CLASS = 25.0, 20.0, 4.0, 4.0
_OTHER_CLASS = -25.0
"""The class in the pattern's own words, the same, one in the message, one that it derives from;
and another one, which outweighs what agreed."""
_SAME_CODE, _CODE_PASSED_ON, _CODE_NAMED = 20.0, 10.0, 4.0
"""The same code, the same reported by a tool of another's error, one in the message."""
_OTHER_CODE, WRONG_CODE = -25.0, -60.0
"""Against a code of another kind, and against another code of the same kind (TS2740, TS2739)."""
_RAISING_FILE, LIKELY_FILE, _FILE_ABOVE, _NOT_THERE = 18.0, 8.0, 6.0, -6.0
"""The innermost frame is in the record's file, in one of its name, a frame above is; or none."""
_FUNCTION, _NOT_CALLED = 8.0, -4.0
_SAME_LINE, _NEAR_LINE, _FAR_LINE = 14.0, 6.0, 3.0
_NEAR, _FAR = 10, 50
"""Lines between the record's and the frame's that versions of a file differ by."""
_PACKAGE, TOOL = 4.0, 20.0
"""The record's package is in the stack; its tool printed the error."""
_LANGUAGE, _OTHER_LANGUAGE = 3.0, -15.0
_MOST_FRAMES = 200
_HELPING = 3
"""Innermost frames that may be of functions which raise for others."""


class Fit(NamedTuple):
    """How a pattern's place lies in the message: `whole` of it, a whole `line`, a whole
    `clause` (from a colon or bracket to the next), at least how it `begins`, or the `share` of
    its characters that the match takes. `fixed`: the share that the pattern spells out. Shares
    are 0 to 1. `torn`: it begins within a word (`Error: …` in `UnicodeError: …`), where the words
    are another message's. `names_class`: the pattern spells out the class before the message, and
    `over_class`: the match takes it, in whatever way. `last`: a clause behind a colon, up to the
    end of all that was said, where languages that wrap errors have the first one."""

    whole: bool
    line: bool
    clause: bool
    begins: bool
    share: float
    fixed: float
    names_class: bool = False
    torn: bool = False
    over_class: bool = False
    last: bool = False
    cut: bool = False
    """Whether the end of the message was cut off, so that the match is of its beginning."""

    @property
    def entire(self) -> bool:
        """Whether the match is all that was said, in the message or on a line of it."""
        return self.whole or self.line


class Said(NamedTuple):
    """What of a match the pattern itself spells out: `length` in characters without white
    space, and `weight` as `matching.weight` measures it."""

    length: int
    weight: float
    word: bool = False
    """Whether it is a single word of plain language (`critical`)."""
    pieces: int = 1
    """Stretches of fixed text with words in them, which holes part."""
    led: bool = False
    """Whether the match begins with what a hole took."""
    words: int = 0
    """Words of two letters or more."""
    respelled: bool = False
    """Whether the first letter is in the other case."""

    @property
    def weak(self) -> bool:
        """Whether so little text means little by itself."""
        return self.weight < WEAK_BELOW


_DIGITS = re.compile(r"\d+")
_ERRNO = re.compile(r"E[A-Z]{2,}")
_SERVERS = "sql"
"""Records of this language are of messages that a server sends; the class is one driver's."""


def weigh_evidence(event: Event, record: RecordFacts, said: Said, fit: Fit) -> tuple[Evidence, ...]:
    """All evidence for and against a record at an event."""
    return tuple(
        chain(
            _message(said, fit),
            _class(event, record, fit),
            _code(event, record),
            _frames(event, record),
            _package(event, record),
            _language(event, record),
        )
    )


def _message(said: Said, fit: Fit) -> Iterator[Evidence]:
    # That a pattern takes all there is means the less, the less of it is fixed.
    means = 0.5 + 0.5 * min(1.0, said.weight / MEANT)
    if fit.cut:
        points, words = round(_WHOLE_CLAUSE * means, 1), "the message as far as the paste shows it"
        yield Evidence(Kind.PART_OF_MESSAGE, points, words)
    elif fit.whole:
        yield Evidence(Kind.WHOLE_MESSAGE, round(_WHOLE * means, 1), "the whole message")
    elif fit.line:
        yield Evidence(Kind.WHOLE_LINE, round(_LINE * means, 1), "a whole line of the message")
    elif fit.clause:
        points = round(_WHOLE_CLAUSE * means, 1)
        yield Evidence(Kind.WHOLE_CLAUSE, points, "a whole clause of the message")
    else:
        words = f"a part of the message ({round(100 * fit.share)} %)"
        yield Evidence(Kind.PART_OF_MESSAGE, round(_PART * fit.share * means, 1), words)
    points = _TEXT * (1 - exp(-said.weight / 18)) + _LENGTH * (1 - exp(-said.length / 60))
    noun = "character" if said.length == 1 else "characters"
    yield Evidence(Kind.TEXT, round(points, 1), f"{said.length} {noun} of fixed text")


def _class(event: Event, record: RecordFacts, fit: Fit) -> Iterator[Evidence]:
    theirs, ours = record.error_class, event.error_class
    if ours and (fit.names_class or _names(record.pattern, ours)):
        yield Evidence(Kind.CLASS, _PATTERN_CLASS, f"the pattern names the class {last_part(ours)}")
        return
    if not theirs:
        return
    if ours and same_class(ours, theirs):
        yield Evidence(Kind.CLASS, SAME_CLASS, f"the class {last_part(theirs)}")
    elif contains_word(event.message, last_part(theirs)):
        words = f"the class {last_part(theirs)} is named in the message"
        yield Evidence(Kind.CLASS, _CLASS_NAMED, words)
    elif ours and is_base(theirs, ours):
        words = f"{last_part(ours)} is a kind of {last_part(theirs)}"
        yield Evidence(Kind.CLASS, _BASE_CLASS, words)
    elif ours and is_base(ours, theirs):
        words = f"{last_part(theirs)} is a kind of {last_part(ours)}"
        yield Evidence(Kind.CLASS, 0.0, words)
    elif ours and record.language != _SERVERS:
        words = f"the class is {last_part(ours)}, not {last_part(theirs)}"
        yield Evidence(Kind.CLASS, _OTHER_CLASS, words)


def _names(pattern: str, error_class: str) -> bool:
    """Whether a pattern spells out a class, as it is or without what qualifies it."""
    name = last_part(error_class)
    at = pattern.find(name)
    if at < 0 or not contains_word(pattern, name):
        return False
    return pattern[at - 1 : at] not in (".", ":", "\\") or re.escape(error_class) in pattern


def _code(event: Event, record: RecordFacts) -> Iterator[Evidence]:
    theirs, ours = record.error_code, event.code
    if not theirs:
        return
    if ours == theirs:
        # A tool gives the code of what stopped it as its own.
        passed_on = event.language.startswith("tool:") and not is_of_tool(event, record)
        points = _CODE_PASSED_ON if passed_on else _SAME_CODE
        yield Evidence(Kind.CODE, points, f"the code {theirs}")
    elif contains_word(event.message, theirs):
        yield Evidence(Kind.CODE, _CODE_NAMED, f"the code {theirs} in the message")
    elif ours and not _is_exit_status(ours, theirs):
        # A pattern that was written by hand may be meant for several codes.
        strict = record.pattern == derive_pattern(record.error_message)
        wrong = strict and _kind_of(ours) == _kind_of(theirs)
        points = WRONG_CODE if wrong else _OTHER_CODE
        yield Evidence(Kind.CODE, points, f"the code is {ours}, not {theirs}")


def _is_exit_status(ours: str, theirs: str) -> bool:
    """Whether a tool gave the exit status of what it ran for a code."""
    return ours.isdigit() and len(ours) <= len("255") and not theirs.isdigit()


def _kind_of(code: str) -> str:
    """What codes of one tool have in common: their letters where they are numbered."""
    letters = _DIGITS.sub("", code)
    return letters if letters != code else "E" if _ERRNO.fullmatch(code) else code[:4]


def _frames(event: Event, record: RecordFacts) -> Iterator[Evidence]:
    path = record.file_path
    frames = event.frames[-_MOST_FRAMES:]
    if not path or not any(frame.file for frame in frames):
        return
    raising_frames = _at_record(frames[-_HELPING:], record) or _raising(event.language, frames)
    tail, raising = max(
        ((common_tail(each.file or "", path), each) for each in raising_frames),
        key=lambda item: item[0],
    )
    telling = is_telling_name(path)
    apart = tail == 1 and len(path_parts(path)) > 1 and len(path_parts(raising.file or "")) > 1
    if tail and (telling or not apart):
        sure = tail > 1 or (telling and not apart)
        points = _RAISING_FILE if sure else LIKELY_FILE
        yield Evidence(
            Kind.FILE, points, f"raised in {path}" if sure else f"raised in a {raising.file}"
        )
        yield from _function_and_line(raising, frames, record)
        return
    above = max((common_tail(frame.file, path) for frame in frames if frame.file), default=0)
    if above > 1 or (above and is_telling_name(path)):
        yield Evidence(Kind.FILE, _FILE_ABOVE, f"{path} is in the stack")
    else:
        yield Evidence(Kind.FILE, _NOT_THERE, f"{path} is not in the stack")


def _at_record(frames: Sequence[Frame], record: RecordFacts) -> list[Frame]:
    """The frame that is at the very line of the record: many an error is raised by a function
    that does nothing else, and the record is of the place that calls it."""
    name = last_name(record.function)
    return [
        frame
        for frame in frames
        if name
        and frame.line == record.line_number
        and name == last_name(frame.function)
        and common_tail(frame.file or "", record.file_path or "")
    ]


def _raising(language: str, frames: Sequence[Frame]) -> Iterator[Frame]:
    """The frame that raised an error: the one below the runtime's own, where those of a panic
    stand above it, and the innermost."""
    runtime = _PANICKING.get(language, frozenset())
    for frame in reversed(frames):
        if frame.package not in runtime:
            yield frame
            break
    yield frames[-1]


_PANICKING = {
    "rust": frozenset({None, "core", "std", "alloc", "__rustc"}),
    "go": frozenset({"runtime", "panic"}),
}
"""Packages whose frames stand above the code that panicked."""


def _function_and_line(
    frame: Frame, frames: Sequence[Frame], record: RecordFacts
) -> Iterator[Evidence]:
    name = last_name(record.function)
    if name and name == last_name(frame.function):
        yield Evidence(Kind.FUNCTION, _FUNCTION, f"in {name}")
    elif name and frame.function and all(name != last_name(each.function) for each in frames):
        yield Evidence(Kind.FUNCTION, _NOT_CALLED, f"{name} is not in the stack")
    if frame.line is None or record.line_number is None:
        return
    distance = abs(frame.line - record.line_number)
    if distance == 0:
        yield Evidence(Kind.LINE, _SAME_LINE, f"at line {frame.line}")
    elif distance <= _FAR:
        points = _NEAR_LINE if distance <= _NEAR else _FAR_LINE
        words = f"at line {frame.line}; the record, of another version, says {record.line_number}"
        yield Evidence(Kind.LINE, points, words)


def _package(event: Event, record: RecordFacts) -> Iterator[Evidence]:
    name = record.repo.rpartition("/")[2].lower()
    name = (_OF_LANGUAGE.sub("", name) or name).replace("-", "_")
    if not name:
        return
    frames = event.frames[-_MOST_FRAMES:]
    named = {frame.package.lower().split(".")[0] for frame in frames if frame.package}
    named |= {installed for frame in frames if (installed := installed_name(frame.file or ""))}
    named = {(_OF_LANGUAGE.sub("", each) or each).replace("-", "_") for each in named}
    if event.error_class and "." in event.error_class:
        named.add(event.error_class.split(".")[0].lower())
    if name in named:
        yield Evidence(Kind.PACKAGE, _PACKAGE, f"the package {name} is in the stack")
    if is_of_tool(event, record):
        yield Evidence(Kind.PACKAGE, TOOL, f"reported by {event.language.removeprefix('tool:')}")


_OF_LANGUAGE = re.compile(r"^(?:node|py|python|ruby)-|[-.](?:go|js|net|php|py|python|rb|rs|ts)$")
"""What repositories have in their names and packages do not: `graphql-js`, `commander.js`."""


def is_of_tool(event: Event, record: RecordFacts) -> bool:
    """Whether the tool that printed the error is the record's."""
    tool = event.language.removeprefix("tool:")
    if tool == event.language:
        return False
    names = record.repo.lower().split("/")
    return tool in names or _PROJECTS.get(tool) in names


_PROJECTS = {
    "kubectl": "kubernetes",
    "docker": "moby",
    "postgresql": "postgres",
    "ssh": "openssh",
    "bundler": "rubygems",
}
"""Owners or repositories of tools that go by another name."""


def _language(event: Event, record: RecordFacts) -> Iterator[Evidence]:
    ours = family(event.language)
    theirs = family(record.language) or language_of_file(record.file_path)
    if not ours or not theirs:
        return
    if ours == theirs:
        yield Evidence(Kind.LANGUAGE, _LANGUAGE, f"the language {ours}")
    elif ours in _PROGRAMMING and theirs in _PROGRAMMING:
        yield Evidence(Kind.LANGUAGE, _OTHER_LANGUAGE, f"it comes from {ours}, not {theirs}")


_PROGRAMMING = frozenset(language.name for language in LANGUAGES if language.own_errors)
