"""A sentence on a harvested record, by rules alone: who raises the error, and when.

It says nothing that the record's function, condition and source do not say, and takes the place
of an explanation that nobody wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from errdex import lazy_re as re
from errdex.records.languages import family_of
from errdex.records.places import count_places

MAX_CONDITION = 120
"""Characters of a condition that is put into words."""
MOST_CONDITIONS = 2
"""Conditions that are named: those right around the raise."""
MAX_SCANNED = 20_000
"""Characters of a condition, or of an excerpt, that are looked at."""

_VALUE = r"(?:->|\([^()]*\)|[^\s<>=!&|()])+"
"""A name, a member, a call, an index: what is compared."""
_NOTHING = r"None|nil|null|NULL|nullptr|undefined"
_IS_NOTHING = re.compile(rf"({_VALUE})\s*(?:is|===?)\s*({_NOTHING})")
_IS_SOMETHING = re.compile(rf"({_VALUE})\s*(?:is not|!==?)\s*({_NOTHING})")
_COMPARED = re.compile(rf"({_VALUE})\s*(===?|!==?|<=?|(?<!-)>=?)\s*({_VALUE}|'[^']*'|\"[^\"]*\")")
_IN = re.compile(rf"({_VALUE})\s+(not in|in)\s+({_VALUE}|[(\[{{][^()\[\]{{}}]*[)\]}}])")
_IS_KIND = re.compile(
    rf"isinstance\(({_VALUE}), ({_VALUE}|\([^()]*\))\)|({_VALUE})\s+instanceof\s+({_VALUE})"
)
_CAUGHT = re.compile(r"(?:except|catch|rescue)\b\s*(?P<what>.*)")
_CAUGHT_CLASS = re.compile(
    r"(?:\w+\s*:\s*|const\s+)?"  # Kotlin's name of the error, C++'s word
    r"(?P<class>(?:[\w.\\]|::|\s\|\s)*[\w)]|\(.*\))"
    r"(?:\s*=>\s*\w+|\s+as\s+\w+|\s*[&*]*\s*[$\w]+|\s*[&*]+)?"  # what it is called here
)
_DENIED = re.compile(rf"!\s*({_VALUE}|\(.*\))|not\s+(.+)")
_JOINED = re.compile(r"\|\||\s(?:or|and)\s|&&")
_TYPE_OF = re.compile(rf"typeof\s+({_VALUE})\s*(===?|!==?)\s*['\"](\w+)['\"]")
_MATCHES = re.compile(rf"matches!\(({_VALUE}), (.+)\)")
_PLAIN = re.compile(_VALUE)
_WORDS = {
    "==": "is", "===": "is", "!=": "is not", "!==": "is not", "<": "is less than",
    "<=": "is at most", ">": "is greater than", ">=": "is at least",
}  # fmt: skip
_OPPOSITES = {
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
}
_FALSE = {
    "python": "empty or false",
    "c": "zero or null",
    "javascript": "empty or false",
    "ruby": "nil or false",
    "php": "empty or false",
}
_TRUE = {"python": "set", "c": "set", "javascript": "set", "ruby": "set", "php": "set"}
_HINTED = re.compile(r"(?:\w+_)?(?:un)?likely\((.*)\)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_RECEIVERS = frozenset({"self", "this", "cls"})


def derive_explanation(
    *,
    function: str | None,
    raised_when: str | None,
    error_class: str | None,
    language: str | None,
    source: str | None = None,
    other_places: int = 0,
) -> str | None:
    """The sentence, or None where neither the function nor a condition is known. `source` is the
    record's excerpt: a parameter that it declares is named as such. `other_places`: how many
    places besides this one say the same."""
    conditions = list(conjuncts_of((raised_when or "")[:MAX_SCANNED]))
    named = [
        words
        for each in _unchanged(conditions[-MOST_CONDITIONS:])
        if (words := _phrase(each, language))
    ]
    if not function and not named:
        return None
    sentence = "Raised" if error_class else "Reported"
    if other_places:
        sentence += f" in {other_places + 1:,} places, for example"
    if function:
        sentence += f" by {_code(function)}"
    if named:
        sentence += " when " + " and ".join(named)
        if len(conditions) > MOST_CONDITIONS:
            sentence += ", after other checks"
    sentence += "."
    parameter = _parameter(conditions[-1:], function, source)
    return f"{sentence} {parameter}" if parameter else sentence


def source_explanation(body: Mapping[str, Any]) -> str | None:
    """The sentence on a record's wire object; None where the record has an explanation."""
    if body.get("documentation") or not (body.get("function") or body.get("raisedWhen")):
        return None
    return derive_explanation(
        function=body.get("function"),
        raised_when=body.get("raisedWhen"),
        error_class=body.get("errorClass"),
        language=body.get("language"),
        source=body.get("sourceCode"),
        other_places=count_places(body),
    )


def conjuncts_of(condition: str) -> Iterator[str]:
    """The parts that must all hold; `and` and `&&` within brackets or quotes join nothing."""
    depth, start, at, quote = 0, 0, 0, ""
    while at < len(condition):
        character = condition[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif depth == 0:
            width = next((len(j) for j in (" and ", " && ") if condition.startswith(j, at)), 0)
            if width:
                yield condition[start:at].strip()
                at += width
                start = at
                continue
        at += 1
    if condition[start:].strip():
        yield condition[start:].strip()


def _unchanged(conditions: Sequence[str]) -> list[str]:
    """The conditions without one that the next denies: what it asks has changed since."""
    pairs = zip(conditions, [*conditions[1:], ""], strict=False)
    return [each for each, later in pairs if _bare(later.removeprefix("!")) != _bare(each)]


def _phrase(condition: str, language: str | None) -> str | None:
    """The condition in words; None for one that is too long to read."""
    condition = _bare(condition)
    if len(condition) > MAX_CONDITION:
        return None
    if (caught := _CAUGHT.fullmatch(condition)) is not None:
        return _caught(caught["what"])
    before, semicolon, after = condition.rpartition("; ")
    if semicolon and language == "go":
        words = _known(after, language, negated=False) or f"{_code(after)} holds"
        return f"{words} after {_code(before)}"
    return _known(condition, language, negated=False) or f"{_code(condition)} holds"


def _known(condition: str, language: str | None, *, negated: bool) -> str | None:
    denied = _DENIED.fullmatch(condition)
    inner = _bare(denied[1] or denied[2]) if denied is not None else ""
    if inner and not negated and _is_one(condition):
        return _known(inner, language, negated=True) or f"{_code(inner)} does not hold"
    for form, words in _FORMS:
        if (found := form.fullmatch(condition)) is not None:
            return words(found, negated)
    is_plain = _PLAIN.fullmatch(condition) is not None
    return _state(condition, language, negated=negated) if is_plain else None


def _is_one(condition: str) -> bool:
    """Whether a condition that begins with a denial is denied as a whole: `!a || b` is not."""
    depth = 0
    outside = ""
    for character in condition:
        depth -= character in ")]}"
        outside += character if depth == 0 else ""
        depth += character in "([{"
    return _JOINED.search(outside) is None


def _caught(what: str) -> str:
    """What a handler catches, in words."""
    what = what.removesuffix(":").strip()
    found = _CAUGHT_CLASS.fullmatch(what if "," in what else _bare(what))
    name = found["class"] if found is not None else ""
    is_class = name[:1].isupper() or re.search(r"\w(?:\.|::)\w|\\|^\(", name) is not None
    return f"{_code(name)} is caught" if is_class else "an error is caught"


def _article(kind: str) -> str:
    return "one of " if kind.startswith("(") else "an " if kind[:1].lower() in "aeio" else "a "


def _state(value: str, language: str | None, *, negated: bool) -> str:
    """What a value that is a condition by itself has to be."""
    family = "" if value.endswith(")") else family_of(language) or ""
    state = _FALSE.get(family, "false") if negated else _TRUE.get(family, "true")
    return f"{_code(value)} is {state}"


def _is(left: str, right: str, *, denied: bool, before: str = "") -> str:
    return f"{_code(left)} is {'not ' if denied else ''}{before}{_code(right)}"


def _compared(found: re.Match[str], negated: bool) -> str:
    operator = _OPPOSITES[found[2]] if negated else found[2]
    return f"{_code(found[1])} {_WORDS[operator]} {_code(found[3])}"


_FORMS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str], bool], str]]] = (
    (_IS_NOTHING, lambda found, no: _is(found[1], found[2], denied=no)),
    (_IS_SOMETHING, lambda found, no: _is(found[1], found[2], denied=not no)),
    (
        _TYPE_OF,
        lambda found, no: _is(
            found[1], found[3], denied=found[2].startswith("!") != no, before="of type "
        ),
    ),
    (
        _IS_KIND,
        lambda found, no: _is(
            found[1] or found[3],
            found[2] or found[4],
            denied=no,
            before=_article(found[2] or found[4]),
        ),
    ),
    (_MATCHES, lambda found, no: _is(found[1], found[2], denied=no)),
    (_IN, lambda found, no: _is(found[1], found[3], denied=(found[2] == "in") == no, before="in ")),
    (_COMPARED, _compared),
)
"""How a condition is written, and what it says; the second argument says that it is denied."""


def _bare(condition: str) -> str:
    """Without brackets around all of it, and without what only speeds it up."""
    if (hinted := _HINTED.fullmatch(condition)) is not None:
        condition = hinted[1]
    while condition.startswith("(") and condition.endswith(")"):
        depth = 0
        for at, character in enumerate(condition):
            depth += (character == "(") - (character == ")")
            if depth == 0 and at < len(condition) - 1:
                return condition
        condition = condition[1:-1].strip()
    return condition


def _code(text: str) -> str:
    """As code in Markdown."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _parameter(conditions: Sequence[str], function: str | None, source: str | None) -> str | None:
    """What the excerpt says of the name that the condition is about."""
    if not function or not source or not conditions:
        return None
    simple = re.split(r"[.:#]+", function)[-1]
    subject = _NAME.search(
        re.sub(r"^(?:not\s+|!|isinstance\(|typeof\s+|len\()+", "", conditions[0])
    )
    if subject is None or not _NAME.fullmatch(simple):
        return None
    declared = re.search(rf"\b{re.escape(simple)}\s*\(([^()]{{1,500}})\)", source[:MAX_SCANNED])
    if declared is None:
        return None
    names = [
        _NAME.findall(each.partition("=")[0].partition(":")[0]) for each in declared[1].split(",")
    ]
    names = [each for each in names if each and each[-1] not in _RECEIVERS]
    for number, each in enumerate(names[: len(_ORDINALS)]):
        if subject[0] in each[-1:]:
            which = f"the {_ORDINALS[number]}" if len(names) > 1 else "the"
            return f"{_code(subject[0])} is {which} parameter of {_code(simple)}."
    return None
