"""JavaScript's and TypeScript's expressions as messages."""

from __future__ import annotations

from errdex.harvest.messages.escapes import unescape, unindented
from errdex.harvest.messages.formats import braces, formatted, has_verbs, printf
from errdex.harvest.messages.wording import Messages, Wording, combined, filled
from errdex.harvest.model import Fixed
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, named, text_of

_WRAPPERS = frozenset({"_", "__", "gettext", "$gettext", "String", "dedent", "i18n", "msg", "tl"})
_PLURALS = frozenset({"__n", "_n", "ngettext", "$ngettext"})
"""Given both forms, the count, and what fills them."""
_FORMATS = frozenset({"format", "sprintf", "vsprintf", "strfmt"})
_BODIES = frozenset({"string", "template_string", "binary_expression", "ternary_expression"})
_UNCHANGING = frozenset({"trim", "trimStart", "trimEnd", "toString", "valueOf", "normalize"})


class JavaScriptMessages(Messages):
    """Template literals, `+`, `||`, `util.format`, `[…].join()`, names."""

    def __init__(self, names: Names, guards: Guards) -> None:
        super().__init__(names, guards)
        self.forms = {
            "string": self.string,
            "template_string": self.template,
            "number": self.literal,
            "binary_expression": self.binary_form,
            "ternary_expression": self.choice,
            "parenthesized_expression": self.inner,
            "as_expression": self.inner,
            "satisfies_expression": self.inner,
            "non_null_expression": self.inner,
            "await_expression": self.inner,
            "identifier": self.name,
            "member_expression": self.member,
            "call_expression": self.call,
        }

    def string(self, place: Place, step: int) -> list[Wording]:
        """`'…'` and `"…"`."""
        return self.fixed(unescape(text_of(place.node)[1:-1]))

    def template(self, place: Place, step: int) -> list[Wording]:
        """`` `…${}` ``."""
        ways: list[list[Wording]] = []
        for child in place.node.named_children:
            if child.type == "template_substitution":
                inner = named(child)
                ways.append(self.read(place.of(child, inner[0]), step) if inner else [])
            else:
                ways.append(self.fixed(unescape(text_of(child))))
        return combined([way for way in ways if way]) if ways else self.fixed("")

    def binary_form(self, place: Place, step: int) -> list[Wording]:
        """`a + b`, and `a || b` where `b` stands in for `a`."""
        left, operator, right = self.operands(place.node)
        if left is not None and right is not None and text_of(operator) in {"||", "??"}:
            return self.otherwise(place, left, right, step)
        return self.operation(place, step)

    def member(self, place: Place, step: int) -> list[Wording]:
        """`Errors.NOT_FOUND`, `this.constructor.X`, `Foo.X`."""
        name = text_of(place.node).replace("?.", ".")
        return self.named_value(name, place, step) or self.named_value(
            name.removeprefix("this.constructor.").removeprefix("this."), place, step
        )

    def call(self, place: Place, step: int) -> list[Wording]:
        """Formats, wrappers and what does not change a text."""
        node = place.node
        function, given = (
            node.child_by_field_name("function"),
            node.child_by_field_name("arguments"),
        )
        if function is None or given is None:
            return []
        if given.type == "template_string":  # dedent`…`
            return _unindented(self.read(place.of(given), step))
        arguments = [place.of(given, argument) for argument in named(given)]
        name = text_of(function.child_by_field_name("property") or function)
        if function.type == "member_expression" and not arguments and name in _UNCHANGING:
            return self._receiver(place, step)
        if name in {"join", "concat"}:
            return self._put_together(place, name, arguments, step)
        if not arguments:
            return []
        if name in _FORMATS:
            return self.formatted(arguments, step)
        if name == "localize" and len(arguments) > 1:
            text = self.read_text(arguments[1])
            values = [self.read(argument, step) for argument in arguments[2:]]
            return braces(text, values) if text is not None else []
        if name in _PLURALS and len(arguments) > 2:
            values = [self.read(each, step) for each in arguments[3:]]
            return [
                way
                for form in arguments[:2]
                for way in formatted(self.read(form, step), printf, values)
            ]
        if name in _WRAPPERS:
            values = [self.read(each, step) for each in arguments[1:]]
            ways = self.read(arguments[0], step)
            texts = [part.text for way in ways for part in way.parts if isinstance(part, Fixed)]
            is_format = values and any(map(has_verbs, texts))
            return formatted(ways, printf, values) if is_format else ways
        made = self._of_function(text_of(function), place, arguments, step)
        return made or self.made_by(name, arguments, step)

    def _of_function(
        self, name: str, place: Place, arguments: list[Place], step: int
    ) -> list[Wording]:
        """What an arrow function of this file that is one expression makes of its arguments."""
        found = [binding.value for binding, _ in self.names.find(name, place)]
        function = found[0] if len(found) == 1 else None
        body = function.node.child_by_field_name("body") if function is not None else None
        if function is None or body is None or body.type not in _BODIES:
            return []
        single = function.node.child_by_field_name("parameter")
        parameters = named(function.node.child_by_field_name("parameters"))
        names = [
            text_of(each.child_by_field_name("pattern") or each)
            for each in ([single] if single is not None else parameters)
        ]
        values = {
            each: self.read(argument, step)
            for each, argument in zip(names, arguments, strict=False)
        }
        ways = self.read(function.of(body), step)
        return filled(ways, values) if any(way.has_text for way in ways) else []

    def formatted(self, arguments: list[Place], step: int = 0) -> list[Wording]:
        """A first argument with `%s` for the others, as `util.format` has it."""
        values = [self.read(argument, step) for argument in arguments]
        text = self.read_text(arguments[0])
        if text is not None and has_verbs(text) and len(arguments) > 1:
            return printf(text, values[1:])
        texts = [part.text for way in values[0] for part in way.parts if isinstance(part, Fixed)]
        if len(arguments) > 1 and any(map(has_verbs, texts)):
            return formatted(values[0], printf, values[1:])
        blank = self.fixed(" ")
        return combined([way for value in values for way in (blank, value)][1:])

    def _receiver(self, place: Place, step: int) -> list[Wording]:
        function = place.node.child_by_field_name("function")
        receiver = function.child_by_field_name("object") if function else None
        if function is None or receiver is None:
            return []
        return self.read(place.of(function, receiver), step)

    def _put_together(
        self, place: Place, name: str, arguments: list[Place], step: int
    ) -> list[Wording]:
        function = place.node.child_by_field_name("function")
        receiver = function.child_by_field_name("object") if function else None
        if function is None or receiver is None:
            return []
        values = [self.read(argument, step) for argument in arguments]
        if name == "concat":
            first = self.read(place.of(function, receiver), step)
            return combined([first, *values]) if any(way.has_text for way in first) else []
        if receiver.type != "array" or len(values) > 1:
            return []
        between = values[0] if values else self.fixed(",")
        items = [self.read(place.of(function, receiver, item), step) for item in named(receiver)]
        return combined([way for item in items for way in (between, item)][1:])


def _unindented(ways: list[Wording]) -> list[Wording]:
    return [
        Wording(
            tuple(
                Fixed("\n".join(line.lstrip() for line in unindented(part.text).split("\n")))
                if isinstance(part, Fixed) and len(way.parts) == 1
                else part
                for part in way.parts
            ),
            way.when,
        )
        for way in ways
    ]
