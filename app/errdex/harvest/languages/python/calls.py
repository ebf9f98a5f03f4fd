"""Which calls report an error, and which of their arguments says it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

from errdex import lazy_re as re
from errdex.harvest.languages.python.names import ClassFacts, dotted, last_name
from errdex.harvest.model import Kind

MESSAGE_WORDS = [
    "message",
    "msg",
    "detail",
    "description",
    "reason",
    "text",
    "error",
    "errmsg",
    "error_message",
    "title",
    "body",
]
"""Keywords under which errors are given their message, the surest first."""


@dataclass(frozen=True, slots=True)
class ErrorCall:
    """A call that reports an error."""

    kind: Kind
    message: ast.expr
    arguments: tuple[ast.expr, ...] = ()
    """What a logger fills into the message."""
    error_class: str | None = None
    severity: str | None = None
    http_status: int | None = None
    needs_error_word: bool = False
    """True for plain output to standard error, which is not an error by itself."""


_LOG_SEVERITIES = {
    "error": "error",
    "exception": "error",
    "critical": "critical",
    "fatal": "critical",
    "ERROR": "error",
    "CRITICAL": "critical",
    "FATAL": "critical",
}
_LOGGER = re.compile(r"(?:^|[a-z0-9_])log(?:ger|ging)?$")
_NO_LOGGER = re.compile(r"(?:dia|cata|b|back|change|pro|ana|epi)log$")
_PARSER = re.compile(r"parser$|^(?:ap|argp|args?_?parse)$")
_PARSER_BASE = re.compile(r"(?:Argument|Option)Parser$|ArgParser$")
PARSER_EXITS = frozenset({"error", "exit"})
_RAISING = re.compile(r"_?raise_[a-z]\w*$")
"""Methods that raise what they are given: `tokenizer.raise_syntax_error("…")`."""
_HTTP_NAME = re.compile(r"HTTP_(\d{3})(?:_|$)")
_STATUS_WORDS = ("status_code", "status", "code", "http_status")
_EXITS = frozenset({"sys.exit", "exit", "quit"})
_STDERR = frozenset({"sys.stderr", "self.stderr", "stderr", "self._stderr"})


def find_report(call: ast.Call, owner: ClassFacts | None) -> ErrorCall | None:
    """What a call reports; None when it reports nothing. `owner` is the class around it."""
    function = call.func
    name = last_name(function)
    if name is None:
        return None
    if isinstance(function, ast.Attribute):
        report = _method_report(call, name, function.value, owner)
        if report is not None:
            return report
    whole = dotted(function)
    if whole in _EXITS:
        return _first(call, "exit")
    if name == "abort":
        return _abort(call)
    if name == "warn" and whole in {"warnings.warn", "warn"}:
        return _warning(call)
    return _plain_output(call, name, whole)


def _method_report(
    call: ast.Call, name: str, receiver: ast.expr, owner: ClassFacts | None
) -> ErrorCall | None:
    if name in _LOG_SEVERITIES and _is_logger(receiver):
        return _first(call, "log", severity=_LOG_SEVERITIES[name], is_format=True)
    if name == "log" and len(call.args) > 1 and _is_logger(receiver):
        level = last_name(call.args[0]) or ""
        if level in _LOG_SEVERITIES:
            message, arguments = call.args[1], tuple(call.args[2:])
            return ErrorCall("log", message, arguments, severity=_LOG_SEVERITIES[level])
    if name in PARSER_EXITS and _is_parser(receiver, owner):
        return ErrorCall("exit", call.args[-1]) if call.args else None
    if name == "fail" and (last_name(receiver) or "") in {"ctx", "context"}:
        return _first(call, "exit")
    if name == "fail" and _is_self(receiver) and owner and _ends(owner, ("ParamType", "Choice")):
        return _first(call, "exit")
    if _RAISING.match(name):
        return _first(call, "raise")
    if name == "add_error" and len(call.args) > 1:  # Django's forms
        return ErrorCall("raise", call.args[1])
    if name == "write" and dotted(receiver) in _STDERR:
        return _first(call, "log", needs_error_word=True)
    return None


def find_parser_report(call: ast.Call, made_by: ast.expr | None) -> ErrorCall | None:
    """What `p.error("…")` reports, where `p` was made by this call: `argparse.ArgumentParser()`."""
    if not (isinstance(made_by, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
        return None
    maker = last_name(made_by.func) or ""
    is_parser = maker == "add_parser" or _PARSER_BASE.search(maker) is not None
    return (
        ErrorCall("exit", call.args[-1]) if is_parser and call.func.attr in PARSER_EXITS else None
    )


def _is_logger(receiver: ast.expr) -> bool:
    if isinstance(receiver, ast.Call):
        return (last_name(receiver.func) or "").lower() in {"getlogger", "get_logger", "bind"}
    name = (last_name(receiver) or "").lower()
    return bool(_LOGGER.search(name)) and not _NO_LOGGER.search(name)


def _is_parser(receiver: ast.expr, owner: ClassFacts | None) -> bool:
    if _is_self(receiver):
        names = (owner.node.name, *owner.bases) if owner is not None else ()
        return any(_PARSER_BASE.search(name) for name in names)
    return bool(_PARSER.search((last_name(receiver) or "").lower()))


def _is_self(receiver: ast.expr) -> bool:
    return isinstance(receiver, ast.Name) and receiver.id == "self"


def _ends(owner: ClassFacts, endings: tuple[str, ...]) -> bool:
    return any(base.endswith(endings) for base in owner.bases)


def _first(
    call: ast.Call,
    kind: Kind,
    *,
    severity: str | None = None,
    is_format: bool = False,
    needs_error_word: bool = False,
) -> ErrorCall | None:
    arguments = tuple(call.args)
    if not arguments:
        named = [word.value for word in call.keywords if word.arg in {"msg", "message"}]
        return ErrorCall(kind, named[0], severity=severity) if named else None
    return ErrorCall(
        kind,
        arguments[0],
        arguments[1:] if is_format else (),
        severity=severity,
        needs_error_word=needs_error_word,
    )


def _abort(call: ast.Call) -> ErrorCall | None:
    status = status_of(call)
    message = next(message_arguments(call, skip=1 if status else 0), None)
    if message is None or status is None:
        return None
    return ErrorCall("raise", message, http_status=status)


def _warning(call: ast.Call) -> ErrorCall | None:
    if not call.args:
        return None
    given = [word.value for word in call.keywords if word.arg == "category"]
    category = given[0] if given else call.args[1] if len(call.args) > 1 else None
    error_class = last_name(category) if category is not None else "UserWarning"
    return ErrorCall("log", call.args[0], error_class=error_class, severity="warning")


def _plain_output(call: ast.Call, name: str, whole: str | None) -> ErrorCall | None:
    words = {word.arg: word.value for word in call.keywords}
    target = words.get("file")
    err = words.get("err")
    to_stderr = (name == "print" and target is not None and dotted(target) in _STDERR) or (
        name in {"echo", "secho"} and isinstance(err, ast.Constant) and err.value is True
    )
    if not to_stderr or not call.args:
        return None
    message: ast.expr = call.args[0]
    if name == "print" and len(call.args) > 1 and "sep" not in words:
        message = _joined_with_blanks(call.args)
    return ErrorCall("log", message, needs_error_word=True)


def _joined_with_blanks(arguments: list[ast.expr]) -> ast.expr:
    blanks = ast.Constant(" ")
    items = ast.List(list(arguments), ast.Load())
    return ast.Call(ast.Attribute(blanks, "join", ast.Load()), [items], [])


def message_arguments(call: ast.Call, skip: int = 0) -> Iterator[ast.expr]:
    """The arguments that may be the message, the likeliest first."""
    words = {word.arg: word.value for word in call.keywords}
    yield from (words[name] for name in MESSAGE_WORDS if name in words)
    yield from (argument for argument in call.args[skip:] if not isinstance(argument, ast.Starred))


def status_of(call: ast.Call) -> int | None:
    """The HTTP status that a call gives, as its first argument or by name."""
    words = {word.arg: word.value for word in call.keywords}
    given = [words[name] for name in _STATUS_WORDS if name in words]
    return next(
        (status for node in [*given, *call.args[:1]] if (status := read_status(node))), None
    )


def read_status(node: ast.expr) -> int | None:
    """`404`, `status.HTTP_404_NOT_FOUND` or `HTTPStatus.NOT_FOUND` as a number of an error."""
    if isinstance(node, ast.Constant):
        value = node.value
        return value if type(value) is int and 400 <= value <= 599 else None
    if isinstance(node, ast.Attribute) and node.attr == "value":
        node = node.value
    name = last_name(node) or ""
    if found := _HTTP_NAME.fullmatch(name) or _HTTP_NAME.match(name):
        return int(found[1])
    if isinstance(node, ast.Attribute) and last_name(node.value) in {"HTTPStatus", "status"}:
        member = HTTPStatus.__members__.get(name)
        return member.value if member is not None and member >= 400 else None
    return None


_NAMED_STATUSES = {
    "HTTP" + re.sub(r"\W", "", status.phrase.title()): status.value
    for status in HTTPStatus
    if status >= 400
} | {"Http404": 404}


def status_of_class(name: str | None) -> int | None:
    """The HTTP status that an error class has in its name (`HTTPNotFound`, `Http404`)."""
    return _NAMED_STATUSES.get(name or "")
