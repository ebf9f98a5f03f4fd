"""What in JavaScript and TypeScript reports an error, by its name, and small readings of
objects."""

from __future__ import annotations

from collections.abc import Iterator

from errdex import lazy_re as re
from errdex.harvest.trees.syntax import Place, named, text_of

ERROR_CLASS = re.compile(r"(?:Error|Exception|Fault|Rejection|Warning|Panic)$|^(?:Err|Boom)$")
LOGGERS = re.compile(
    r"(?:^|\.|_)(?:console|log|logger|logging|winston|pino|bunyan|reporter|program|command|cli"
    r"|signale|consola|core|\w*[lL]og(?:ger)?)(?:\(\))?\."
    r"(?:error|fatal|critical|crit|alert|emerg|emergency|severe|panic|exception|setFailed)$"
)
ASSERTIONS = re.compile(
    r"^(?:console\.)?assert$|^assert\.\w+$|^(?:tiny)?[iI]nvariant$|^(?:assertTrue|assertNever|check)$"
)
SEVERITIES = {
    "fatal": "fatal",
    "panic": "fatal",
    "critical": "critical",
    "crit": "critical",
    "alert": "critical",
    "emerg": "critical",
    "emergency": "critical",
}
IS_TABLE = re.compile(
    r"(?:^|_)(?:err|error|exception|failure)s?(?:_|$)|Err(?:or)?|Exception", re.IGNORECASE
)


def properties(place: Place, *, deep: bool = False) -> Iterator[tuple[str, Place]]:
    """Name and value of each member of an object or an enum, through `Object.freeze` and
    `as const`. With `deep`, of a member that is an object its `message`."""
    body = place
    if place.node.type in {"call_expression", "as_expression", "satisfies_expression"}:
        given = place.node.child_by_field_name("arguments") or place.node
        inner = named(given)
        if not inner or inner[0].type != "object":
            return
        way = [inner[0]] if given.id == place.node.id else [given, inner[0]]
        body = place.of(*way)
    elif place.node.type == "enum_declaration":
        enum = place.node.child_by_field_name("body")
        if enum is None:
            return
        body = place.of(enum)
    for member in named(body.node):
        key = member.child_by_field_name("key") or member.child_by_field_name("name")
        value = member.child_by_field_name("value")
        if key is None or value is None:
            continue
        if deep and value.type == "object":
            for name, inner_value in properties(body.of(member, value)):
                if name in {"message", "msg", "description", "text"}:
                    yield text_of(key).strip("'\""), inner_value
            continue
        yield text_of(key).strip("'\""), body.of(member, value)


def function_name(place: Place) -> str | None:
    """The name that a function without one is given to: a variable, a member, a field."""
    parent = place.parent
    if parent is None or parent.type not in {
        "variable_declarator",
        "pair",
        "assignment_expression",
        "public_field_definition",
        "field_definition",
    }:
        return None
    for field in ("name", "key", "left", "property"):
        named_by = parent.child_by_field_name(field)
        if named_by is not None:
            name = text_of(named_by).strip("'\"").removeprefix("module.").removeprefix("exports.")
            return (
                name.replace(".prototype.", ".") if re.fullmatch(r"[\w.$#]{1,100}", name) else None
            )
    return None
