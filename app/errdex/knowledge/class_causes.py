"""The cause of an error by its class, for errors that no record matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from errdex.matching.model import Event
from errdex.matching.ranking import Answer
from errdex.records.causes import Cause
from errdex.store import Snapshot

_ANY = "*"
_LIKELY = "python"
_LONGEST = 200
"""Characters of a class; a longer one is none that a cause names."""


class ClassCauses:
    """Causes by the classes that they name."""

    def __init__(self, causes: Iterable[Cause] = ()) -> None:
        self._exact: dict[tuple[str, str], Cause] = {}
        self._in_languages: dict[str, list[Cause]] = {}
        self._shapes: list[tuple[str, str, Cause]] = []
        for cause in causes:
            for entry in cause.classes:
                language, _, name = entry.partition("/")
                if _ANY in name:
                    self._shapes.append((language, name, cause))
                else:
                    self._exact.setdefault((language, name), cause)
                    self._in_languages.setdefault(name, []).append(cause)

    def of(self, event: Event) -> Cause | None:
        """The cause that names the event's class or code: in full, by its last part, then by a
        shape with `*`. Where the language is unclear, a class that one language alone has will do.
        An event with neither has the cause of its language's bare errors, if it has a stack or a
        tool wrote it."""
        names = _names_of(event)
        if not names:
            bare = event.frames or event.language.startswith("tool:")
            return self._exact.get((event.language, "")) if bare else None
        return self._named(event.language, names) or self._shaped(event.language, names)

    def _named(self, language: str, names: Sequence[str]) -> Cause | None:
        for name in names:
            if found := self._exact.get((language, name)) or self._exact.get((_ANY, name)):
                return found
            if not language and (found := self._anywhere(name)):
                return found
        return None

    def _anywhere(self, name: str) -> Cause | None:
        """Where several languages have a class of that name, Python's, whose tracebacks are most
        often pasted without their head."""
        causes = self._in_languages.get(name, ())
        return causes[0] if len(causes) == 1 else self._exact.get((_LIKELY, name))

    def _shaped(self, language: str, names: Sequence[str]) -> Cause | None:
        return next(
            (
                cause
                for name in names
                for where, shape, cause in self._shapes
                if where in (language, _ANY) and fnmatchcase(name, shape)
            ),
            None,
        )


class LatestClassCauses:
    """Those of the latest version that was asked for. Safe to share between threads."""

    def __init__(self) -> None:
        self._latest = "", ClassCauses()

    def for_answer(self, answer: Answer, snapshot: Snapshot) -> ClassCauses:
        """Those of the snapshot's version; none, and nothing read, where every error of the answer
        has a record."""
        if all(each.matches for each in answer.events):
            return ClassCauses()
        version, causes = self._latest
        if version != snapshot.version:
            causes = ClassCauses(each.cause for each in snapshot.causes().values())
            self._latest = snapshot.version, causes
        return causes


def _names_of(event: Event) -> list[str]:
    """The code, which says more than the class, the class, and the class without what it is in."""
    given = [each for each in (event.code, event.error_class) if each and len(each) <= _LONGEST]
    last = [each.replace("::", ".").replace("\\", ".").rpartition(".")[2] for each in given]
    return list(dict.fromkeys([*given, *last]))
