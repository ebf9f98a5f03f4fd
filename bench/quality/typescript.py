"""TypeScript's error templates as records, and a diagnostic of each in the forms that compilers,
editors, bundlers and other runtimes print.

The templates are read from the compiler's own file (`lib/typescript.js` of the npm package), which
is not kept here. A diagnostic is a template with values in its places: what the forms do to the
text is measured, not which programs cause it. Templates with one text count as one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.quality.knowledge_base import KnowledgeBase, accepted

_DIAGNOSTIC = re.compile(
    r'\w+: diag\((?P<code>\d+), 1 /\* Error \*/, "[^"]*", (?P<text>"(?:[^"\\]|\\.)*")'
)
_PLACE = re.compile(r"\{(\d)\}")
_VALUES = ("Cart", "total", "string", "Line[]", "./price", "number", "foo", "{ a: string; }")
_WHY = (
    "\n  Types of property 'owner' are incompatible."
    "\n    Type 'string' is not assignable to type 'User'."
)
_EXCERPT = "\n    12 | function f() {\n  > 14 |   add(item)\n"


class Template(NamedTuple):
    """An error's code (`TS2304`) and text, with `{0}` for its values."""

    code: str
    text: str


_FORMS: dict[str, Callable[[str, str], str]] = {
    "plain": lambda code, said: f"src/cart.ts(14,9): error {code}: {said}",
    "pretty": lambda code, said: (
        f"src/cart.ts:14:9 - error {code}: {said}\n\n14   add(item)\n         ~~~\n\n\n"
        "Found 1 error in src/cart.ts:14\n"
    ),
    "hover": lambda code, said: f"{said}ts({code.removeprefix('TS')})",
    "message alone": lambda _, said: said,
    "message and why": lambda _, said: said + _WHY,
    "code, message and why": lambda code, said: f"src/cart.ts(14,9): error {code}: {said}{_WHY}",
    "place above": lambda code, said: (
        f"ERROR in ./src/app/(shop)/cart.ts:14:9\n{code}: {said}{_EXCERPT}"
    ),
    "drive and colons": lambda code, said: f"D:/w/src/a.ts:3:5: error {code}: {said}",
    "code first": lambda code, said: f"{code} [ERROR]: {said}\nadd(item);\n~~~\n",
}


def load_templates(file: Path) -> list[Template]:
    """The error templates in `typescript.js`."""
    return [
        Template(f"TS{found['code']}", json.loads(found["text"]))
        for found in _DIAGNOSTIC.finditer(file.read_text(encoding="utf-8"))
    ]


def score_typescript(templates: list[Template]) -> Iterator[str]:
    """Lines of a table: the share of diagnostics whose record comes first, by form."""
    records = accepted(
        {
            "repo": "microsoft/TypeScript",
            "errorMessage": _PLACE.sub(r"{value\1}", each.text),
            "errorCode": each.code,
            "language": "typescript",
        }
        for each in templates
    )
    base = KnowledgeBase(records)
    yield f"{'typescript':<22}{'number':>7}{'right %':>9}"
    for name, form in _FORMS.items():
        right = sum(_is_found(base, each, form, templates) for each in templates)
        yield f"{name:<22}{len(templates):>7}{100 * right / max(1, len(templates)):>9.1f}"


def _is_found(
    base: KnowledgeBase,
    each: Template,
    form: Callable[[str, str], str],
    templates: list[Template],
) -> bool:
    answer = base.match(form(each.code, _fill(each.text)))
    for index in answer.reading_order[:1]:
        same = {other.code for other in templates if other.text == each.text}
        first = [match for match in answer.events[index].matches if match.group == 1]
        return any(match.record.error_code in same for match in first)
    return False


def _fill(text: str) -> str:
    def value(place: re.Match[str]) -> str:
        return _VALUES[(int(place[1]) * 3 + len(text)) % len(_VALUES)]

    return _PLACE.sub(value, text)
