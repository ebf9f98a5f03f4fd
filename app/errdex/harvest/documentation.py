"""Which entry of a function's documentation is on which of its raises.

`@throws IOException if the file is gone` is on one raise of that class and not on all of them.
An entry and a raise belong together by the names that both have: those in the raise's condition
first, then the words of its message. Where several could be meant and nothing distinguishes them,
no raise gets the entry. An entry that is the only one, of the only raise, needs no names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from errdex import lazy_re as re
from errdex.harvest.messages.template import fixed_text
from errdex.harvest.model import RaiseSite
from errdex.records.messages.derived_explanation import conjuncts_of

MAX_RAISES, MAX_ENTRIES = 60, 40
"""Raises and entries of one function that are compared; of more, none gets an entry."""
_LEAST_WORDS = 2
"""Words of a message that an entry must share where no name of a condition tells."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_PART = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_SIGN = re.compile(r"(?<![-<=])[<>](?![<>])")
_SIGNS = {
    **dict.fromkeys(
        ("negative", "less", "below", "smaller", "small", "short", "few", "least"), "<"
    ),
    **dict.fromkeys(("greater", "above", "larger", "large", "long", "many", "more"), ">"),
    **dict.fromkeys(("exceed", "exceeds", "bigger", "big"), ">"),
}
"""What words say of a comparison."""
_NO_NAMES = frozenset(
    """
    a A I and or not is in if else then when self this cls the len isinstance instanceof typeof new
    return await async lambda for from of to as on an at by be no
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_NO_WORDS = frozenset(
    """
    the and for not has have had was are with that this than from when where which while its been
    error errors exception raise raised raises throw thrown throws return returns returned given
    value values must should cannot can could will would may any all one
    """.split()  # noqa: SIM905
)


class _Likeness(NamedTuple):
    """What an entry and a raise have in common; more is better."""

    names: frozenset[str]
    words: frozenset[str]

    @property
    def rank(self) -> tuple[int, int]:
        """What puts one entry before another."""
        return len(self.names), len(self.words)


@dataclass(frozen=True, slots=True)
class _Text:
    """What an entry or a raise speaks of."""

    names: frozenset[str]
    """Names of the condition right around the raise."""
    around: frozenset[str]
    """Names of all conditions on the way to it."""
    words: frozenset[str]

    @classmethod
    def of_entry(cls, entry: str) -> _Text:
        """An entry, in which any word may be a name."""
        names = _names(entry)
        signs = {_SIGNS[word] for word in _PART.findall(entry.lower()) if word in _SIGNS}
        return cls(names, names, _words(entry) | signs)

    @classmethod
    def of_raise(cls, sites: Iterable[RaiseSite]) -> _Text:
        """The conditions and messages of all ways through one raise."""
        ways = list(sites)
        conditions = [list(conjuncts_of(site.raised_when or "")) for site in ways]
        last = " ".join(each[-1] for each in conditions if each)
        messages = " ".join(fixed_text(site.parts) for site in ways)
        signs = frozenset(_SIGN.findall(last))
        around = _names(" ".join(text for each in conditions for text in each))
        return cls(_names(last), around, _words(f"{last} {messages}") | signs)


def _names(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text)) - _NO_NAMES


def _words(text: str) -> frozenset[str]:
    return frozenset(map(_stem, {part.lower() for part in _PART.findall(text)} - _NO_WORDS))


def given_to_their_raises(*found: Sequence[RaiseSite]) -> list[list[RaiseSite]]:
    """The sites of one file, each with the entry of the documentation that is on it."""
    groups: dict[tuple[str | None, tuple[str, ...]], dict[int, list[RaiseSite]]] = {}
    for site in (site for sites in found for site in sites if site.documented):
        raises = groups.setdefault((site.function, site.documented), defaultdict(list))
        raises[site.line].append(site)
    chosen: dict[tuple[str | None, tuple[str, ...], int], str] = {}
    for (function, entries), raises in groups.items():
        for line, entry in _chosen(entries, raises).items():
            chosen[function, entries, line] = entry

    def resolved(site: RaiseSite) -> RaiseSite:
        if not site.documented:
            return site
        entry = chosen.get((site.function, site.documented, site.line))
        return replace(site, documented=(), documentation_source=entry or site.documentation_source)

    return [[resolved(site) for site in sites] for sites in found]


def _chosen(entries: Sequence[str], raises: Mapping[int, list[RaiseSite]]) -> dict[int, str]:
    """The entry of each raise that has one, by its line."""
    if len(entries) == len(raises) == 1:
        return dict.fromkeys(raises, entries[0])
    if len(entries) > MAX_ENTRIES or len(raises) > MAX_RAISES:
        return {}
    documented = [_Text.of_entry(entry) for entry in entries]
    raised = {line: _Text.of_raise(sites) for line, sites in raises.items()}
    likeness = [_likeness(entry, documented, raised) for entry in documented]
    given: dict[int, list[int]] = defaultdict(list)
    for number, alike in enumerate(likeness):
        for line in _receivers(alike):
            given[line].append(number)
    return {
        line: entries[best]
        for line, numbers in given.items()
        if (best := _only_best({number: likeness[number][line] for number in numbers})) is not None
    }


def _likeness(
    entry: _Text, documented: Sequence[_Text], raised: Mapping[int, _Text]
) -> dict[int, _Likeness]:
    """How each raise is like an entry, by the raise's line: by the names of the conditions right
    around the raises, else by those of all their conditions. Names that all entries have
    distinguish none, nor do words that all entries or all raises have."""
    words = entry.words - _common(each.words for each in documented)
    words -= _common(each.words for each in raised.values())
    names = entry.names - _common(each.names for each in documented)
    for attribute in ("names", "around"):
        of_raises = {line: getattr(each, attribute) for line, each in raised.items()}
        if any(names & each for each in of_raises.values()):
            break
    return {
        line: _Likeness(names & of_raises[line], words & each.words)
        for line, each in raised.items()
    }


def _common(texts: Iterable[frozenset[str]]) -> frozenset[str]:
    """What all of them have; nothing where there is one only."""
    several = list(texts)
    return frozenset.intersection(*several) if len(several) > 1 else frozenset()


def _receivers(alike: Mapping[int, _Likeness]) -> list[int]:
    """The raises that one entry may be on: those with the most of its names. Two that share the
    same names are distinguished by words, as are all where no names are shared."""
    most = max(len(each.names) for each in alike.values())
    best = {line: each for line, each in alike.items() if len(each.names) == most}
    if not most:
        return _with_most_words(best, _LEAST_WORDS)
    groups: dict[Set[str], dict[int, _Likeness]] = defaultdict(dict)
    for line, each in best.items():
        groups[each.names][line] = each
    return [
        line
        for same in groups.values()
        for line in (same if len(same) == 1 else _with_most_words(same, 1))
    ]


def _with_most_words(alike: Mapping[int, _Likeness], least: int) -> list[int]:
    """The raise with the most words of the entry, where it is the only one."""
    most = max(len(each.words) for each in alike.values())
    best = [line for line, each in alike.items() if len(each.words) == most]
    return best if len(best) == 1 and most >= least else []


def _only_best(alike: Mapping[int, _Likeness]) -> int | None:
    """The entry that a raise is most like, of those that may be on it; None for several."""
    best = max(alike, key=lambda number: alike[number].rank)
    ranks = [each.rank for each in alike.values()]
    return best if ranks.count(alike[best].rank) == 1 else None


def _stem(word: str) -> str:
    """Words that differ in their ending are one: `closed` and `closes`."""
    return word[:-2] if word.endswith(("ed", "es")) else word.removesuffix("s")
