"""Errors that are raised in one file and get their words in another.

`raise URLError(reason)` says nothing by itself; the class, in a file of its own, makes
"<urlopen error {self.reason}>" of it. Such raises wait as drafts until a tree is read, and
are then completed with what the class of this name says there. So do those that give a class
nothing but a word, `raise NotFound("user")`: where the class makes no message of it, it is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os.path import commonpath

from errdex import lazy_re as re
from errdex.harvest.messages.template import fixed_text, is_telling
from errdex.harvest.model import Part, RaiseSite, SourceHole
from errdex.harvest.records import Wire, completed

_PARAMETER = re.compile(r"[$@]?(?:(?:this|self)\.)?\w+")
MAX_WORDINGS = 4
"""Messages of one class; one that has more tells too little of a raise."""


@dataclass(frozen=True, slots=True)
class ClassMessage:
    """A message that a class brings, and the file that has the class."""

    error_class: str
    parts: tuple[Part, ...]
    path: str


@dataclass(frozen=True, slots=True)
class UnfinishedRecord:
    """The record of a raise, without its message."""

    body: Wire
    classes: tuple[str, ...]
    """The error's class and its bases, nearest first."""
    word: tuple[Part, ...] = ()
    """What the raise gives the class, where it gives it a word."""


def wordings_of(sites: Sequence[RaiseSite], path: str) -> list[ClassMessage]:
    """The messages that the classes of a file bring."""
    return [
        ClassMessage(site.error_class, site.parts, path)
        for site in sites
        if site.kind == "table" and site.error_class is not None
    ]


def gives_a_word(site: RaiseSite) -> bool:
    """Whether a raise gives its class, which another file has, no more than a word."""
    return (
        site.kind == "raise"
        and site.error_class is not None
        and not site.base_classes
        and len(fixed_text(site.parts).split()) == 1
    )


def _filled(parts: tuple[Part, ...], word: tuple[Part, ...]) -> tuple[Part, ...]:
    """A class's message with the word in its only hole."""
    holes = [part for part in parts if isinstance(part, SourceHole)]
    if not word or len(holes) != 1 or not _PARAMETER.fullmatch(holes[0].expression):
        return parts
    return tuple(each for part in parts for each in (word if part == holes[0] else (part,)))


@dataclass(slots=True)
class Elsewhere:
    """The drafts of one tree, and the wordings that may complete them."""

    drafts: list[UnfinishedRecord] = field(default_factory=list)
    wordings: dict[str, list[ClassMessage]] = field(default_factory=dict)

    def add(self, drafts: Sequence[UnfinishedRecord], wordings: Sequence[ClassMessage]) -> None:
        """Take in what was found in some files."""
        self.drafts += drafts
        for wording in wordings:
            self.wordings.setdefault(wording.error_class, []).append(wording)

    def records(self) -> Iterator[Wire]:
        """The drafts that could be completed, in their order."""
        for draft in self.drafts:
            known = self._wordings(draft)
            said = [
                _filled(wording.parts, draft.word)
                for wording in known or ()
                if is_telling(wording.parts, wording.error_class)
            ]
            for parts in [draft.word] if known is None and draft.word else said:
                record = completed(draft.body, parts)
                if record is not None:
                    yield record

    def _wordings(self, draft: UnfinishedRecord) -> list[ClassMessage] | None:
        """What the nearest of the draft's classes says, in the file nearest to it. Empty where
        it says too much, None where no class says anything."""
        for name in draft.classes:
            found = self.wordings.get(name)
            if found:
                path = str(draft.body["filePath"])
                near = max(found, key=lambda one: len(commonpath([one.path, path]))).path
                best = [one for one in found if one.path == near]
                return best if len(best) <= MAX_WORDINGS else []
        return None
