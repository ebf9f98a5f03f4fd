"""What of a message changes from run to run, and the message without it.

The template of a message has blanks for private values, addresses, paths, quoted values and
numbers. `hole_message` makes a record's message of it, with a name for each blank: from the word
before it where there is one (`port 8080` is `{port}`), else from its kind.
"""

from __future__ import annotations

from collections.abc import Sequence

from errdex import lazy_re as re
from errdex.matching.masking.blanks import MOST, Blank, Rule, find_by_rules, word_set
from errdex.matching.masking.private import RULES
from errdex.records.messages.holes import hole_names

_PATH_WORD = r"[\w.@+~%-]{1,120}"
_URL = Rule(
    "url", re.compile(r"\b[a-z][a-z0-9+.-]{1,30}://[^\s'\"<>`]{1,2000}", re.IGNORECASE), needs="://"
)
_PATHS = (
    Rule("path", re.compile(r"\b[A-Za-z]:[\\/][^\s'\"<>|:*?`]{1,500}")),
    Rule("path", re.compile(rf"(?<![\w/.])(?:~|\.{{1,2}})?/(?:{_PATH_WORD}/){{0,40}}{_PATH_WORD}")),
    Rule("path", re.compile(rf"(?<![\w/])(?:{_PATH_WORD}/){{1,40}}[\w.-]{{1,100}}\.\w{{1,8}}\b")),
)
_QUOTED = tuple(
    Rule(
        "value",
        re.compile(rf"(?<!\w){opening}(?P<v>[^{closing}\n]{{1,200}}){closing}(?!\w)"),
        needs=opening,
    )
    for opening, closing in (("'", "'"), ('"', '"'), ("`", "`"), ("“", "”"), ("‘", "’"), ("«", "»"))
)
_NUMBERS = (
    Rule(
        "time",
        re.compile(
            r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
        ),
    ),
    Rule("number", re.compile(r"\b0x[0-9a-fA-F]{1,32}\b")),
    Rule(
        "number", re.compile(r"(?<![\w.])[+-]?\d{1,40}(?:[.,]\d{1,40}){0,10}(?![\w.]*[A-Za-z_]{4})")
    ),
)
_KINDS = (_URL, *_PATHS, *_QUOTED, *_NUMBERS)
_WORD_BEFORE = re.compile(r"(?:^|[\s(\[])([A-Za-z_]{3,20})(?:\s|=|: ?|#| #)?[\"'`“‘«]?$")
_CODE_BEFORE = re.compile(
    r"(?:\b(?:errno|error|code|status|http|signal|exit|sqlstate)\b[\s=:#(]{0,3}|\bE)$",
    re.IGNORECASE,
)
"""What a number follows that says which error it is."""
_NO_NAMES = word_set(
    "the and for from with was are not but has had that this than into onto when while after "
    "before only got get set error failed invalid unknown cannot could open read write found "
    "such called named like equal equals between unexpected expected"
)
"""Words before a value that do not name it."""
_NUMBERED = re.compile(r"\b[a-z]+(?:[_-]?\d+)+[\w-]*")
"""Names such as `worker7`; a code of an error has capitals."""
_LOOSE = re.compile(r"[\[\](){}<>\"'`“”‘’«»=]|(?<!\w)[^\w\s]+|[^\w\s]+(?!\w)")
_SPACE = re.compile(r"\s+")


def find_variable(text: str) -> list[Blank]:
    """What in a message changes from run to run, private values included, in its order."""
    text = text[:MOST]
    whole = [each for rule in (_URL, *_PATHS) for each in rule.find(text)]
    # An address or a path is one value, whatever is private in it; so is a quoted one.
    private = find_by_rules(text, RULES)
    outer = [each for each in whole if _holds_all(each, private)]
    quoted = [each for rule in _QUOTED for each in rule.find(text) if _holds_all(each, private)]
    found = find_by_rules(text, _KINDS, taken=[*outer, *_widest(quoted, private), *private])
    return [each for each in found if each.kind != "number" or not _is_code(text, each)]


def template_words(text: str, most: int = 200) -> str:
    """The fixed words of a message, for a search: nothing of what changes is in them."""
    parts: list[str] = []
    place = 0
    for each in find_variable(text):
        parts += [text[place : each.start], " "]
        place = each.end
    words = _SPACE.sub(" ", "".join([*parts, text[place:MOST]]))
    words = _LOOSE.sub(" ", _NUMBERED.sub(" ", words))
    words = _SPACE.sub(" ", words).strip()
    return words if len(words) <= most else words[: words.rfind(" ", 0, most)]


def hole_message(text: str, blanks: Sequence[Blank] | None = None) -> str:
    """The message with a named hole `{name}` for each value that changes, or for each of these
    blanks. A value that comes twice has one name."""
    blanks = find_variable(text) if blanks is None else blanks
    names = _names(text, blanks)
    for double in (False, True):
        parts: list[str] = []
        place = 0
        for each, name in zip(blanks, names, strict=True):
            parts += [_plain(text[place : each.start], double=double), f"{{{name}}}"]
            place = each.end
        message = "".join([*parts, _plain(text[place:MOST], double=double)])
        if hole_names(message) == names:
            break
    return message


def _plain(text: str, *, double: bool) -> str:
    """Text of a message that is not to be read as a hole."""
    return re.sub(r"[{}%]", lambda found: found[0] * 2, text) if double else text


def _is_code(text: str, number: Blank) -> bool:
    return bool(_CODE_BEFORE.search(text[max(0, number.start - 20) : number.start]))


def _names(text: str, blanks: Sequence[Blank]) -> list[str]:
    by_value: dict[str, str] = {}
    counts: dict[str, int] = {}
    names: list[str] = []
    for each in blanks:
        value = text[each.start : each.end]
        if value not in by_value:
            name = _name(text, each)
            counts[name] = counts.get(name, 0) + 1
            by_value[value] = name if counts[name] == 1 else f"{name}{counts[name]}"
        names.append(by_value[value])
    return names


def _name(text: str, blank: Blank) -> str:
    if blank.kind not in ("value", "number"):
        return blank.kind
    before = _WORD_BEFORE.search(text[max(0, blank.start - 30) : blank.start])
    word = before[1].lower() if before else ""
    return blank.kind if word in _NO_NAMES or not word else word


def _holds_all(outer: Blank, private: Sequence[Blank]) -> bool:
    """Whether each private value is wholly inside or outside of it."""
    return not any(
        each.start < outer.start < each.end or each.start < outer.end < each.end for each in private
    )


def _widest(quoted: Sequence[Blank], private: Sequence[Blank]) -> list[Blank]:
    """Quoted values that hold a private one are of its kind."""
    found: list[Blank] = []
    for each in quoted:
        inside = [one for one in private if each.start <= one.start and one.end <= each.end]
        if inside:
            kind = inside[0].kind if (inside[0].start, inside[0].end) == each[:2] else each.kind
            found.append(Blank(each.start, each.end, kind))
    return found
