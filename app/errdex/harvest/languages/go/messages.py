"""Go's expressions as messages."""

from __future__ import annotations

from functools import partial

from errdex.harvest.messages.escapes import unescape
from errdex.harvest.messages.formats import formatted, printf
from errdex.harvest.messages.wording import Messages, Wording, combined
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, named, one_line, text_of

_PASSED_ON = frozenset({"string", "error", "strings.TrimSpace", "errors.New"})


class GoMessages(Messages):
    """String literals, `+`, `fmt.Sprintf`, `strings.Join`, names."""

    def __init__(self, names: Names, guards: Guards) -> None:
        super().__init__(names, guards)
        self.forms = {
            "interpreted_string_literal": self.interpreted,
            "raw_string_literal": self.raw,
            "int_literal": self.literal,
            "float_literal": self.literal,
            "binary_expression": self.operation,
            "parenthesized_expression": self.inner,
            "identifier": self.name,
            "selector_expression": self.name,
            "call_expression": self.call,
            "type_conversion_expression": self.conversion,
        }

    def interpreted(self, place: Place, step: int) -> list[Wording]:
        """`"…"`."""
        return self.fixed(unescape(text_of(place.node)[1:-1]))

    def raw(self, place: Place, step: int) -> list[Wording]:
        """`` `…` ``."""
        return self.fixed(text_of(place.node)[1:-1].replace("\r", ""))

    def conversion(self, place: Place, step: int) -> list[Wording]:
        """`Error("…")`."""
        operand = place.node.child_by_field_name("operand")
        return self.read(place.of(operand), step) if operand is not None else []

    def call(self, place: Place, step: int) -> list[Wording]:
        """`fmt.Sprintf` and its kin, conversions, `errors.New` by a name."""
        function = one_line(place.node.child_by_field_name("function"))
        arguments = self.arguments(place)
        if not arguments:
            return []
        match function.rpartition(".")[2]:
            case "Sprintf" | "Errorf":
                return self.formatted(arguments, step)
            case "Sprint":
                return self.printed(arguments, step=step)
            case "Sprintln":
                return self.printed(arguments, spaces=True, step=step)
        is_type = function[:1].isalpha() and function.endswith(("Error", "errorString"))
        if function in _PASSED_ON or (is_type and len(arguments) == 1):
            return self.read(arguments[0], step)
        return self.made_by(function.rpartition(".")[2], arguments, step)

    def arguments(self, place: Place) -> list[Place]:
        """What a call is given."""
        given = place.node.child_by_field_name("arguments")
        return [place.of(given, each) for each in named(given)] if given is not None else []

    def formatted(self, arguments: list[Place], step: int = 0) -> list[Wording]:
        """A format and its operands."""
        spread = text_of(arguments[0].parent).rstrip(") ").endswith("...")
        values = None if spread else [self.read(each, step) for each in arguments[1:]]
        return formatted(self.read(arguments[0], step), partial(printf, go=True), values)

    def printed(
        self, arguments: list[Place], *, spaces: bool = False, step: int = 0
    ) -> list[Wording]:
        """Operands as `fmt.Print` puts them together: a blank between two that are no texts,
        between all for `Println`."""
        pieces: list[list[Wording]] = []
        before_is_text = True
        for argument in arguments:
            is_text = argument.node.type.endswith("string_literal")
            if pieces and (spaces or not (is_text or before_is_text)):
                pieces.append(self.fixed(" "))
            pieces.append(self.read(argument, step))
            before_is_text = is_text
        return combined(pieces)
