"""Reads single files: what comes of each, whatever else is in its tree."""

from __future__ import annotations

import gc
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from errdex.harvest.cross_file import ClassMessage, UnfinishedRecord, gives_a_word, wordings_of
from errdex.harvest.extractors import ExtractorMissing, find_language, load_extractor
from errdex.harvest.merging import RecordLine, to_line
from errdex.harvest.model import RaiseSite, SourceUnreadable
from errdex.harvest.records import Origin, RecordMaker
from errdex.harvest.sources.errors import ObjectMissing, ObjectTooLarge
from errdex.harvest.sources.selection import (
    ABSENT,
    HUGE,
    NOT_UTF_8,
    UNPARSED,
    UNREADABLE,
    Selection,
    decoded,
)
from errdex.harvest.sources.source_tree import FileReader, SourceFile, opened_contents
from errdex.records.languages import Language
from errdex.workers.cpu_limit import CpuTimeOver, cpu_limit
from errdex.workers.pool import is_stopped

if TYPE_CHECKING:
    from errdex.harvest.trees.forwarding import Passed
    from errdex.harvest.trees.reporters import Known

_GARBAGE = 300_000
"""Objects made and not freed since the last look for garbage, where that is switched off."""
CRASHED = "ended its reader"
NOT_UNDERSTOOD = "not understood"
TOO_SLOW = "took too long"
_PASSING = frozenset({CRASHED, TOO_SLOW, ABSENT, UNREADABLE})
"""Reasons that are not in the file itself."""
FILE_SECONDS = 20.0
"""Seconds of CPU for one file. What surrounds a raise is looked at again for each of them, so that
a file of nothing else takes time by the square of its size."""


@dataclass(slots=True)
class Tally:
    """What came of the files."""

    files: int = 0
    """Files that were read, in this harvest or an earlier one."""
    unchanged: int = 0
    """Those of them that an earlier harvest read."""
    records: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Files that were not, by the reason."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Places in files read that gave no record, by the reason."""
    missing: list[str] = field(default_factory=list)
    """What is to be installed to read the rest."""

    @property
    def is_whole(self) -> bool:
        """Whether no file was skipped that another attempt may read."""
        return not (self.missing or _PASSING & self.skipped.keys())

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.files += other.files
        self.unchanged += other.unchanged
        self.records += other.records
        self.skipped += other.skipped
        self.left_out += other.left_out
        self.missing += [text for text in other.missing if text not in self.missing]


@dataclass(frozen=True, slots=True)
class FileBatch:
    """Files of one origin."""

    origin: Origin
    files: Sequence[SourceFile]
    selection: Selection
    known: Sequence[Known] = ()
    """For files that are read again, each: the functions of their tree that it calls and that
    report."""


@dataclass(slots=True)
class FileOutcome:
    """What came of a file, read by itself."""

    lines: list[RecordLine] = field(default_factory=list)
    drafts: list[UnfinishedRecord] = field(default_factory=list)
    wordings: list[ClassMessage] = field(default_factory=list)
    passed: Passed | None = None
    """Not None where the records wait until the whole tree is read."""
    tally: Tally = field(default_factory=Tally)
    content: str = ""
    """What names the content that was read. Empty where the next attempt may come to something
    else."""


def read_batch(batch: FileBatch) -> list[FileOutcome]:
    """The outcome of each file of a batch, of fewer when the work is stopped."""
    outcomes: list[FileOutcome] = []
    with opened_contents() as contents:
        for number, file in enumerate(batch.files):
            if is_stopped():
                break
            known = batch.known[number] if batch.known else None
            outcomes.append(_read_file(file, batch, known, contents))
    if gc.get_count()[0] > _GARBAGE:
        gc.collect()
    return outcomes


def content_name(file: SourceFile, content: bytes) -> str:
    """What names the content of a file: equal for equal contents alone."""
    return file.blob or hashlib.blake2b(content, digest_size=20).hexdigest()


def _read_file(
    file: SourceFile, batch: FileBatch, known: Known | None, contents: FileReader
) -> FileOutcome:
    outcome = FileOutcome()
    skipped = outcome.tally.skipped
    language = find_language(file.path)
    if language is None:
        return outcome
    try:
        content = contents.read(file)
    except OSError as error:
        skipped[_reason(error)] += 1
        return outcome
    text = decoded(content)
    reason = NOT_UTF_8 if text is None else batch.selection.reason_against_text(text)
    try:
        if text is None or reason is not None:
            skipped[reason or NOT_UTF_8] += 1
        else:
            with cpu_limit(FILE_SECONDS):
                outcome = _extracted(text, language, file, batch.origin, known)
    except CpuTimeOver:
        skipped[TOO_SLOW] += 1
        return outcome
    except ExtractorMissing as error:
        skipped[f"{language.name} is not installed"] += 1
        outcome.tally.missing.append(str(error))
        return outcome
    except SourceUnreadable:
        skipped[UNPARSED] += 1
    except Exception:  # noqa: BLE001 - what an extractor did not foresee costs one file
        skipped[NOT_UNDERSTOOD] += 1
    outcome.content = content_name(file, content)
    return outcome


def _extracted(
    text: str, language: Language, file: SourceFile, origin: Origin, known: Known | None
) -> FileOutcome:
    """The records of a file."""
    extractor = load_extractor(language)
    maker = RecordMaker(origin, file.path, language.name, text)
    found = extractor(text, file.path, **({} if known is None else {"known": known}))
    wordings = wordings_of(found.sites, file.path)
    own = {wording.error_class for wording in wordings}
    whole: list[RaiseSite] = []
    words: list[RaiseSite] = []
    for site in found.sites:
        waits = gives_a_word(site) and site.error_class not in own
        (words if waits else whole).append(site)
    lines = [
        to_line(record, listed=site.kind == "table")
        for site in whole
        if (record := maker.record(site)) is not None
    ]
    drafts = [
        UnfinishedRecord(maker.draft(site), (site.error_class, *site.base_classes), site.parts)
        for site in [*found.unsaid, *words]
        if site.error_class is not None
    ]
    tally = Tally(files=1, left_out=found.left_out + maker.left_out)
    return FileOutcome(lines, drafts, wordings, found.passed, tally)


def _reason(error: OSError) -> str:
    """Why a file was not read."""
    if isinstance(error, ObjectMissing):
        return ABSENT
    return HUGE if isinstance(error, ObjectTooLarge) else UNREADABLE
