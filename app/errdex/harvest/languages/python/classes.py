"""The error classes of a file: what each prints by itself, and what it makes of arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errdex import lazy_re as re
from errdex.harvest.languages.python.calls import MESSAGE_WORDS, message_arguments
from errdex.harvest.languages.python.formats import with_fields
from errdex.harvest.languages.python.messages import MAX_TEXTS, MessageReader, Text, Texts
from errdex.harvest.languages.python.names import (
    ClassFacts,
    Function,
    NameScope,
    last_name,
    scope_of,
)
from errdex.harvest.messages.template import is_telling
from errdex.harvest.model import Fixed, Part, SourceHole

_ERROR_NAME = re.compile(r"(?:Error|Exception|Warning|Interrupt|Failure|Fault|Exit|Abort)s?\d*$")
_BUILT_IN = frozenset({"Exception", "BaseException", "StopIteration"})
_SHOWN = re.compile(r"(?:self\.)?(\w+)(?: % .+|\.format\(.*\))?", re.DOTALL)
_TELLING = ("__str__", "format_message", "get_message")
"""Methods that give an error's message."""
_DEFAULT_NAMES = frozenset(
    """
    message msg default_message default_msg default_detail detail description default_description
    msg_template msg_fmt message_format message_template fmt template error_message reason title
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


@dataclass(frozen=True, slots=True)
class Template:
    """A message that a class makes, its parameters being holes, and where it does so."""

    text: Text
    line: int
    end_line: int
    function: str


def is_error_class(facts: ClassFacts, classes: dict[str, ClassFacts]) -> bool:
    """Whether a class of the file is raised, as far as names tell."""
    seen: set[str] = set()
    waiting = [facts]
    while waiting:
        one = waiting.pop()
        if one.name in seen:
            continue
        seen.add(one.name)
        if looks_like_error(one.node.name) or any(map(looks_like_error, one.bases)):
            return True
        waiting += [classes[base] for base in one.bases if base in classes]
    return False


def looks_like_error(name: str) -> bool:
    """Whether a name is that of an error class by its ending."""
    return name in _BUILT_IN or bool(_ERROR_NAME.search(name) and name[:1].isupper())


def base_classes(name: str | None, classes: dict[str, ClassFacts]) -> tuple[str, ...]:
    """The classes that a class of the file derives from, nearest first."""
    found: list[str] = []
    waiting = [name or ""]
    while waiting:
        facts = classes.get(waiting.pop(0))
        if facts is not None:
            new = [base for base in facts.bases if base not in found and base != name]
            found += new
            waiting += new
    return tuple(found)


def lineage(facts: ClassFacts, classes: dict[str, ClassFacts]) -> Iterator[ClassFacts]:
    """The class and those of its bases that the file has, nearest first."""
    yield facts
    for base in base_classes(facts.node.name, classes):
        if base in classes:
            yield classes[base]


class ClassReader:
    """Reads what the error classes of one file print."""

    def __init__(self, reader: MessageReader) -> None:
        self._reader = reader
        self._templates: dict[str, list[Template]] = {}

    def templates(self, facts: ClassFacts) -> list[Template]:
        """What the class itself makes of its arguments: in `__str__` or a method such as
        `format_message`, else in `__init__`,
        else in an attribute that holds the message. Bases are not asked."""
        known = self._templates.get(facts.name)
        if known is None:
            known = self._templates[facts.name] = list(self._find_templates(facts))
        return known

    def _find_templates(self, facts: ClassFacts) -> Iterator[Template]:
        found = False
        for method in (*_TELLING, "__init__"):
            function = facts.methods.get(method)
            if function is None or found:
                continue
            for expressions, place in self._said_in(facts, function):
                expression, texts = self._most_telling(expressions, place)
                if method != "__str__" and method in _TELLING and not _has_words(texts):
                    continue  # what else is called so may be anything
                for text in texts:
                    found = found or method in ("__str__", "__init__")
                    where = f"{facts.name}.{method}"
                    end = expression.end_lineno or expression.lineno
                    yield Template(text, expression.lineno, end, where)
        if not found:
            yield from self._attributes(facts)

    def _most_telling(
        self, expressions: Sequence[ast.expr], place: NameScope
    ) -> tuple[ast.expr, Texts]:
        """The first of the arguments that has words of its own, else the first."""
        read = [(one, self._reader.messages(one, place)) for one in expressions]
        return next((one for one in read if _has_words(one[1])), read[0])

    def _attributes(self, facts: ClassFacts) -> Iterator[Template]:
        for name in sorted(_DEFAULT_NAMES & facts.attributes.keys()):
            value = facts.attributes[name]
            place = NameScope(self._reader.module, owner=facts)
            for text in self._reader.messages(value, place):
                if isinstance(text[0], Fixed) or len(text) > 1:
                    yield Template(
                        with_fields(text),
                        value.lineno,
                        value.end_lineno or value.lineno,
                        facts.name,
                    )

    def _said_in(
        self, facts: ClassFacts, function: Function
    ) -> Iterator[tuple[list[ast.expr], NameScope]]:
        scope = scope_of(function, self._reader.module)
        for node in ast.walk(function):
            expressions = _said_by(node, function.name)
            if expressions:
                yield expressions, NameScope(scope, owner=facts, before=expressions[0].lineno)

    def messages_of(self, facts: ClassFacts, call: ast.Call | None, place: NameScope) -> Texts:
        """What is printed when the class is raised with this call (None: without one)."""
        for one in lineage(facts, self._reader.classes):
            templates = self.templates(one)
            if not templates:
                continue
            texts = self._with_arguments(one, templates, call, place)
            if any(is_telling(text, "") or is_telling(text, "E") for text in texts):
                return texts
        return self._first_message(call, place)

    def _first_message(self, call: ast.Call | None, place: NameScope) -> Texts:
        if call is None:
            return []
        found: Texts = []
        for argument in message_arguments(call):
            texts = self._reader.messages(argument, place)
            if _has_words(texts):
                return texts
            found = found or texts
        return found

    def _with_arguments(
        self,
        facts: ClassFacts,
        templates: Sequence[Template],
        call: ast.Call | None,
        place: NameScope,
    ) -> Texts:
        function = facts.methods.get("__init__")
        given = {} if call is None or function is None else arguments_by_name(function, call)
        texts = _without_defaults([template.text for template in templates], given)
        return filled(texts, given, self._reader, place)


def arguments_by_name(function: Function, call: ast.Call) -> dict[str, ast.expr]:
    """What each parameter is given by a call that names them or not."""
    given = {word.arg: word.value for word in call.keywords if word.arg}
    names = [parameter.arg for parameter in [*function.args.posonlyargs, *function.args.args]]
    if names[:1] in (["self"], ["cls"]):
        del names[0]
    for name, argument in zip(names, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        given[name] = argument
    return given


def filled(
    texts: Texts, given: dict[str, ast.expr], reader: MessageReader, place: NameScope
) -> Texts:
    """Texts made inside a function, with what its parameters were given put into the holes
    that show nothing but a parameter."""
    found: Texts = []
    for text in texts:
        ways: Texts = [()]
        for part in text:
            fills: Texts = [(part,)]
            name = shown_name(part)
            if isinstance(part, SourceHole) and name in given and not part.conversion:
                fills = reader.argument(given[name], place)
                if part.expression.removeprefix("self.") != name:
                    fills = [with_fields(fill) for fill in fills]
            ways = [(*way, *fill) for way in ways for fill in fills][:MAX_TEXTS]
        found += ways
    return list(dict.fromkeys(found))


def shown_name(part: Part) -> str:
    """The name that a hole shows: `msg` for `msg`, `self.msg`, `msg % args`, `msg.format(n)`.
    Empty for any other."""
    found = _SHOWN.fullmatch(part.expression) if isinstance(part, SourceHole) else None
    return found[1] if found else ""


def _without_defaults(texts: Texts, given: dict[str, ast.expr]) -> Texts:
    """The texts without those that stand in for a message that was given: `message or "…"`."""
    for text in texts:
        name = shown_name(text[0]) if len(text) == 1 else ""
        value = given.get(name)
        if value is not None and not (isinstance(value, ast.Constant) and not value.value):
            return [one for one in texts if any(shown_name(part) == name for part in one)]
    return texts


def _has_words(texts: Texts) -> bool:
    return any(isinstance(part, Fixed) for text in texts for part in text)


def _said_by(node: ast.AST, method: str) -> list[ast.expr]:
    """What may be the message in a node of `__init__` or a method that tells it."""
    if method in _TELLING:
        return [node.value] if isinstance(node, ast.Return) and node.value is not None else []
    if isinstance(node, ast.Call) and last_name(node.func) == "__init__":
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return list(message_arguments(node, 0 if isinstance(owner, ast.Call) else 1))
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and target.attr in {"args", *MESSAGE_WORDS}:
            value = node.value
            return value.elts[:1] if isinstance(value, ast.Tuple) else [value]
    return []
