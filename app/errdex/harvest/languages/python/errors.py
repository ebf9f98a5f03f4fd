"""What a `raise` raises: class and message of each error that the expression may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from errdex import lazy_re as re
from errdex.harvest.languages.python.calls import (
    MESSAGE_WORDS,
    message_arguments,
    read_status,
    status_of,
    status_of_class,
)
from errdex.harvest.languages.python.classes import (
    ClassReader,
    arguments_by_name,
    base_classes,
    filled,
    lineage,
    looks_like_error,
    shown_name,
)
from errdex.harvest.languages.python.messages import MessageReader, Text, Texts
from errdex.harvest.languages.python.names import (
    Function,
    NameScope,
    dotted,
    entries_of,
    last_name,
    scope_of,
)
from errdex.harvest.messages.template import fixed_text
from errdex.harvest.model import Fixed, SourceHole

_LOWER_CASE_ERRORS = frozenset({"error", "timeout", "gaierror", "herror", "signal"})
_PASSED_THROUGH = frozenset({"with_traceback", "add_note"})
_CLASS_NAME = re.compile(r"_*[A-Z]\w*[a-z0-9]\w*$")
_OS_ERRORS = re.compile(
    r"(?:OS|IO|Environment|Permission|FileNotFound|FileExists|NotADirectory|IsADirectory|"
    r"Connection\w*|BlockingIO|Timeout|socket|Windows)Error$|^(?:error|timeout|gaierror)$"
)
_CODE = re.compile(r"[A-Z][A-Z0-9]*[-_.]?\d{2,}|[A-Z]{2,}(?:_[A-Z0-9]+)+")
_CODE_WORDS = ("code", "error_code", "errcode", "err_code")


@dataclass(frozen=True, slots=True)
class Raised:
    """One error that a `raise` may raise. `texts` is empty when it brings no message."""

    error_class: str | None
    texts: Texts
    bases: tuple[str, ...] = ()
    http_status: int | None = None
    error_code: str | None = None


class ErrorReader:
    """Reads the errors that the statements of one file raise."""

    def __init__(self, reader: MessageReader, classes: ClassReader) -> None:
        self._reader = reader
        self._classes = classes
        self._helpers: dict[int, list[Raised]] = {}

    def errors(self, node: ast.expr, place: NameScope) -> Iterator[Raised]:
        """Each error that the expression of a `raise` may be."""
        if place.depth > 4:
            return
        match node:
            case ast.Call(func=ast.Attribute(attr=attr, value=value)) if attr in _PASSED_THROUGH:
                yield from self.errors(value, place)
            case ast.Call():
                yield from self._called(node, place)
            case ast.IfExp(body=body, orelse=orelse):
                yield from self.errors(body, place)
                yield from self.errors(orelse, place)
            case ast.Name() | ast.Attribute():
                yield from self._named(node, place)

    def helped(self, call: ast.Call, place: NameScope) -> Iterator[Raised]:
        """The errors that a function of the file raises with words that this call gives it
        (`self.fail("unknown tag")`)."""
        function = self._reader.function_of(call.func, place)
        if function is None or not (call.args or call.keywords):
            return
        given = arguments_by_name(function, call)
        for raised in self._raised_in(function, place):
            new = [
                text
                for template in raised.texts
                for text in filled([template], given, self._reader, place)
                if len(fixed_text(text).split()) > len(fixed_text(template).split())
            ]
            if new:
                yield replace(raised, texts=new)

    def _raised_in(self, function: Function, place: NameScope) -> list[Raised]:
        """What a function raises with nothing but its parameters for words."""
        known = self._helpers.get(id(function))
        if known is None:
            known = self._helpers[id(function)] = []
            names = {
                parameter.arg
                for parameter in ast.walk(function.args)
                if isinstance(parameter, ast.arg)
            }
            scope = scope_of(function, self._reader.module)
            for node in ast.walk(function):
                if not isinstance(node, ast.Raise) or node.exc is None:
                    continue
                where = NameScope(scope, (), place.owner, node.lineno)
                for raised in self.errors(node.exc, where):
                    texts = [text for text in raised.texts if _shows(text, names)]
                    if texts:
                        known.append(replace(raised, texts=texts))
        return known

    def is_error(self, call: ast.expr) -> bool:
        """Whether an expression makes an error, by the name of what is called."""
        if not isinstance(call, ast.Call):
            return False
        name = last_name(call.func) or ""
        facts = self._reader.classes.get(name)
        return looks_like_error(name) or (
            facts is not None and any(map(looks_like_error, facts.bases))
        )

    def _named(self, node: ast.Name | ast.Attribute, place: NameScope) -> Iterator[Raised]:
        name = last_name(node) or ""
        whole = dotted(node)
        if whole is not None and not _CLASS_NAME.match(name):
            scope, bindings = place.scope.find(whole, place.path, place.before)
            while len(bindings) > 1 and bindings[-1][1]:
                del bindings[:-1]
            for binding, _ in bindings:
                if isinstance(binding.value, ast.Call | ast.IfExp):
                    where = place.following(scope, binding.path, binding.line)
                    yield from self.errors(binding.value, where)
            return
        facts = self._reader.classes.get(name)
        texts = [] if facts is None else self._classes.messages_of(facts, None, place)
        yield self._raised(name, texts, None)

    def _called(self, call: ast.Call, place: NameScope) -> Iterator[Raised]:
        name = last_name(call.func)
        facts = self._reader.classes.get(name or "")
        if facts is not None:
            yield self._raised(name, self._classes.messages_of(facts, call, place), call)
            return
        function = self._reader.functions.get(name or "")
        if function is not None and name is not None:
            given = arguments_by_name(function, call)
            for made in self._made_by(function, place):
                made = self._of_its_class(made, call)  # noqa: PLW2901 - the same, known better
                yield replace(made, texts=filled(made.texts, given, self._reader, place))
            return
        error_class = self._class_of(call.func) or self._class_given(call.func, place)
        yield self._raised(error_class, self._message(call, name, place), call)

    def _of_its_class(self, made: Raised, call: ast.Call) -> Raised:
        """What `QueryError.at(…)` makes with `return cls(…)`."""
        owner = last_name(call.func.value) if isinstance(call.func, ast.Attribute) else None
        if made.error_class is not None or owner not in self._reader.classes:
            return made
        return replace(made, error_class=owner, bases=base_classes(owner, self._reader.classes))

    def _class_given(self, function: ast.expr, place: NameScope) -> str | None:
        """The class that a name holds: `def find(name, error=ImportError)`."""
        if not isinstance(function, ast.Name):
            return None
        _, bindings = place.scope.find(function.id, place.path, place.before)
        values = [binding.value for binding, _ in bindings if binding.value is not None]
        if len(values) == 1 and isinstance(values[0], ast.Name | ast.Attribute):
            name = last_name(values[0]) or ""
            return name if looks_like_error(name) else None
        return None

    def _class_of(self, function: ast.expr) -> str | None:
        name = last_name(function) or ""
        if looks_like_error(name) or _CLASS_NAME.match(name):
            return name
        if name in _LOWER_CASE_ERRORS and isinstance(function, ast.Attribute):
            return name
        return None

    def _message(self, call: ast.Call, name: str | None, place: NameScope) -> Texts:
        """The first argument that says something; what an OSError says is its second."""
        skip = 0
        if len(call.args) > 1 and _OS_ERRORS.search(name or ""):
            skip = 1
        found: Texts = []
        for argument in message_arguments(call, skip):
            if read_status(argument) is not None and len(call.args) > 1:
                continue
            if isinstance(argument, ast.List | ast.Tuple) and argument.elts:
                argument = argument.elts[0]  # noqa: PLW2901 - Django's ValidationError takes lists
            if isinstance(argument, ast.Dict):
                argument = _message_in(argument) or argument  # noqa: PLW2901 - FastAPI's detail
            texts = self._reader.messages(argument, place)
            if any(isinstance(part, Fixed) for text in texts for part in text):
                return texts
            found = found or texts
        return found

    def _made_by(self, function: Function, place: NameScope) -> Iterator[Raised]:
        """The errors that a function of the file makes for others to raise."""
        scope = scope_of(function, self._reader.module)
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                yield from self.errors(node.value, place.following(scope, (), node.lineno))

    def _raised(self, name: str | None, texts: Texts, call: ast.Call | None) -> Raised:
        classes = self._reader.classes
        status = status_of_class(name)
        if call is not None and (status is None and name is not None):
            named = {word.arg for word in call.keywords}
            if "HTTP" in name or "Http" in name or "status_code" in named:
                status = status_of(call)
        facts = classes.get(name or "")
        if status is None and facts is not None:
            status = self._status_of(name or "")
        return Raised(name, texts, base_classes(name, classes), status, _code_of(call))

    def _status_of(self, name: str) -> int | None:
        facts = self._reader.classes[name]
        for one in lineage(facts, self._reader.classes):
            for attribute in ("status_code", "http_status"):
                if attribute in one.attributes:
                    return read_status(one.attributes[attribute])
        return None


def _message_in(table: ast.Dict) -> ast.expr | None:
    """The value under a key such as "message"."""
    entries = entries_of(table)
    return next((entries[word] for word in MESSAGE_WORDS if word in entries), None)


def _shows(text: Text, names: set[str]) -> bool:
    """Whether a text prints a parameter as it is."""
    return any(
        isinstance(part, SourceHole) and shown_name(part) in names and not part.conversion
        for part in text
    )


def _code_of(call: ast.Call | None) -> str | None:
    for word in call.keywords if call is not None else ():
        if word.arg in _CODE_WORDS and isinstance(word.value, ast.Constant):
            value = word.value.value
            if isinstance(value, str) and _CODE.fullmatch(value):
                return value
    return None
