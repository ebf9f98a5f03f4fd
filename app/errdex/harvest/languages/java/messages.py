"""Java's expressions as messages."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.harvest.messages.escapes import unescape, unindented
from errdex.harvest.messages.formats import Arguments, braces, formatted, has_verbs, printf, slots
from errdex.harvest.messages.wording import Messages, Wording, combined, filled
from errdex.harvest.model import Fixed
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, named, one_line, text_of

_UNCHANGING = frozenset({"toString", "trim", "strip", "intern", "get", "build"})
FORMATS = re.compile(r"_*(?:f|fmt|s?printf|\w*[fF]ormat(?:ted)?(?:Message|Msg|String|Text)?)$")
"""Methods that fill a format, a project's own too."""
_PASSED_ON = frozenset({"String.valueOf", "Objects.toString", "requireNonNull", "I18n.tr"})


def _java_printf(text: str, arguments: Arguments | None) -> list[Wording]:
    return printf(text, arguments, java=True)


def _message_format(text: str, arguments: Arguments | None) -> list[Wording]:
    return braces(text.replace("''", "'"), arguments)


class JavaMessages(Messages):
    """String literals, `+`, `String.format`, `MessageFormat`, builders, names."""

    def __init__(self, names: Names, guards: Guards) -> None:
        super().__init__(names, guards)
        self.forms = {
            "string_literal": self.string,
            "character_literal": self.character,
            "decimal_integer_literal": self.literal,
            "decimal_floating_point_literal": self.literal,
            "binary_expression": self.operation,
            "ternary_expression": self.choice,
            "parenthesized_expression": self.inner,
            "cast_expression": self.cast,
            "identifier": self.name,
            "field_access": self.field,
            "method_invocation": self.call,
            "lambda_expression": self.supplier,
            "object_creation_expression": self.builder,
        }

    def string(self, place: Place, step: int) -> list[Wording]:
        """`"…"` and text blocks."""
        text = text_of(place.node)
        if text.startswith('"""'):
            return self.fixed(unescape(unindented(text[3:-3])))
        return self.fixed(unescape(text[1:-1]))

    def character(self, place: Place, step: int) -> list[Wording]:
        """`'x'`."""
        return self.fixed(unescape(text_of(place.node)[1:-1]))

    def field(self, place: Place, step: int) -> list[Wording]:
        """`Errors.MISSING`, `this.prefix`."""
        name = text_of(place.node)
        return self.named_value(name, place, step) or self.named_value(
            name.removeprefix("this."), place, step
        )

    def supplier(self, place: Place, step: int) -> list[Wording]:
        """`() -> "…"`."""
        body = place.node.child_by_field_name("body")
        return self.read(place.of(body), step) if body is not None else []

    def builder(self, place: Place, step: int) -> list[Wording]:
        """`new StringBuilder("…")`, to which more is appended."""
        kind = one_line(place.node.child_by_field_name("type"))
        if kind not in {"StringBuilder", "StringBuffer"}:
            return []
        arguments = self.arguments(place)
        way = self.read(arguments[0], step) if arguments else self.fixed("")
        return way if not arguments or any(each.has_text for each in way) else self.fixed("")

    def arguments(self, place: Place) -> list[Place]:
        """What a call or a constructor is given."""
        given = place.node.child_by_field_name("arguments")
        return [place.of(given, each) for each in named(given)] if given is not None else []

    def call(self, place: Place, step: int) -> list[Wording]:
        """Formats, builders, what passes a text on."""
        receiver = place.node.child_by_field_name("object")
        name = text_of(place.node.child_by_field_name("name"))
        whole = f"{one_line(receiver)}.{name}" if receiver is not None else name
        arguments = self.arguments(place)
        if receiver is not None:
            if name in {"append", "concat"} and arguments:
                return combined(
                    [self.read(place.of(receiver), step), self.read(arguments[0], step)]
                )
            if name in _UNCHANGING and not arguments:
                return self.read(place.of(receiver), step)
            if name == "formatted":
                values = [self.read(each, step) for each in arguments]
                return formatted(self.read(place.of(receiver), step), _java_printf, values)
        if not arguments:
            return []
        if FORMATS.match(name):
            return self.filled_format(whole, arguments, step)
        if whole in _PASSED_ON:
            return self.read(arguments[0], step)
        is_own = receiver is None or one_line(receiver) == "this"
        return self._made_by_own(name, place, arguments, step) if is_own else []

    def _made_by_own(
        self, name: str, place: Place, arguments: list[Place], step: int
    ) -> list[Wording]:
        """The texts that a method of the file returns, with what it is given put in."""
        key = f"{name}/{len(arguments)}"
        ways = self.named_value(key, place, step)
        values = [each.value for each, _ in self.names.find(key, place) if each.value is not None]
        methods = [each.up({"method_declaration"}) for each in values]
        of_one = {each.node.id: each for each in methods if each is not None}
        if not ways or len(of_one) != 1:
            return ways
        (method,) = of_one.values()
        parameters = [
            text_of(each.child_by_field_name("name"))
            for each in named(method.node.child_by_field_name("parameters"))
        ]
        given = [self.read(each, step) for each in arguments]
        return filled(ways, dict(zip(parameters, given, strict=False)))

    def filled_format(self, whole: str, arguments: list[Place], step: int) -> list[Wording]:
        """`String.format(…)` with or without a locale, `MessageFormat.format(…)`."""
        texts = [any(way.has_text for way in self.read(each, step)) for each in arguments[:2]]
        if texts == [False, True]:  # a locale stands first
            arguments = arguments[1:]
        values = [self.read(each, step) for each in arguments[1:]]
        fill = _message_format if whole.startswith("MessageFormat") else _java_printf
        return formatted(self.read(arguments[0], step), fill, values)

    def with_values(self, arguments: list[Place]) -> list[Wording]:
        """A text and the values for its `%s`, `{}` or `{0}`, as loggers and many exceptions
        take them."""
        return self.fill(self.read(arguments[0]), [self.read(each) for each in arguments[1:]])

    def fill(self, ways: list[Wording], values: Arguments) -> list[Wording]:
        """A text with the values for its `%s`, `{}` or `{0}` put in."""
        text = "".join(part.text for way in ways for part in way.parts if isinstance(part, Fixed))
        if not values:
            return ways
        if "{}" in text:
            return formatted(ways, slots, values)
        if "{0}" in text:
            return formatted(ways, _message_format, values)
        return formatted(ways, _java_printf, values) if has_verbs(text) else ways
