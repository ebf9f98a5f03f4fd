"""Expressions of C and C++ as messages."""

from __future__ import annotations

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.messages.escapes import unescape
from errdex.harvest.messages.formats import braces, count_verbs, formatted, has_verbs, printf
from errdex.harvest.messages.wording import Messages, Wording, combined
from errdex.harvest.model import Fixed
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, named, one_line, text_of

_PASSED_ON = re.compile(
    r"^(?:_|N_|G_|Q_|T_|_T|TEXT|L|gettext|dgettext|tr|QObject::tr|QStringLiteral|QString|wxT"
    r"|(?:std::|absl::|base::)?(?:string|string_view|move|make_exception_ptr)|TRANS|gettext_noop)$"
)
_PRINTING = re.compile(
    r"(?:[sS]tr[fF]ormat|StringPrintf|[sS]tringFormat|asprintf|xstrfmt|strprintf)$"
)
_FORMATTING = re.compile(r"(?:^|::)(?:format|fmt)$")
_JOINING = re.compile(r"(?:^|::)(?:StrCat|str|MakeString|concat|JoinStr|strcat)$")
PRINTS_INTO = {
    "snprintf": 2, "sprintf": 1, "asprintf": 1, "sprintf_s": 2, "g_snprintf": 2, "strcpy": 1,
    "strlcpy": 1, "strncpy": 1,
}  # fmt: skip
"""Functions that put a text into their first argument, and which argument is the text."""
_LITERALS = frozenset({"string_literal", "concatenated_string"})
_OPEN_VERB = re.compile(r'(?<!%)(?:%%)*%[-+ #0]*\d*"$')
"""A literal that ends where a conversion's letters are to come."""
_STREAM = re.compile(r"^(?:std::)?(?:endl|flush|ends|hex|dec|oct|boolalpha|fixed|set\w+\(.*\))$")
_LITERAL = re.compile(r'(?:u8|[uUL])?"((?:[^"\\\n]|\\.)*)"\s*')


class CMessages(Messages):
    """String literals that follow one another, `+`, `<<`, formats, names and macros."""

    def __init__(self, names: Names, guards: Guards) -> None:
        super().__init__(names, guards)
        self.forms = {
            "string_literal": self.string,
            "raw_string_literal": self.raw,
            "concatenated_string": self.concatenated,
            "char_literal": self.string,
            "number_literal": self.literal,
            "binary_expression": self.binary_form,
            "conditional_expression": self.choice,
            "parenthesized_expression": self.inner,
            "cast_expression": self.cast,
            "identifier": self.name,
            "qualified_identifier": self.name,
            "call_expression": self.call,
            "preproc_arg": self.macro,
            "initializer_list": self.inner,
            "argument_list": self.inner,
            "compound_literal_expression": self.made,
        }

    def string(self, place: Place, step: int) -> list[Wording]:
        """`"…"`, also with a prefix."""
        text = text_of(place.node)
        quote = "'" if place.node.type == "char_literal" else '"'
        return self.fixed(unescape(text[text.index(quote) + 1 : -1]))

    def raw(self, place: Place, step: int) -> list[Wording]:
        """`R"(…)"`."""
        content = [child for child in place.node.children if child.type == "raw_string_content"]
        return self.fixed(text_of(content[0]) if content else "")

    def concatenated(self, place: Place, step: int) -> list[Wording]:
        """`"…" "…"`, with macros between; one right behind a `%` is a conversion."""
        pieces = named(place.node)
        ways = [self.read(place.of(each), step) for each in pieces]
        for at, piece in enumerate(pieces[1:], 1):
            before = text_of(pieces[at - 1])
            if piece.type == "identifier" and _OPEN_VERB.search(before):
                ways[at] = self.fixed("d" if not ways[at][0].has_text else "")
        return combined(ways)

    def made(self, place: Place, step: int) -> list[Wording]:
        """`std::string{"…"}`."""
        given = place.node.child_by_field_name("value")
        inner = named(given)
        if given is None or len(inner) != 1:
            return []
        is_text = _PASSED_ON.match(one_line(place.node.child_by_field_name("type")))
        return self.read(place.of(given, inner[0]), step) if is_text else []

    def macro(self, place: Place, step: int) -> list[Wording]:
        """The text of a macro that is nothing but literals."""
        text = text_of(place.node).strip()
        pieces = [found[1] for found in _LITERAL.finditer(text)]
        return self.fixed(unescape("".join(pieces))) if not _LITERAL.sub("", text) else []

    def binary_form(self, place: Place, step: int) -> list[Wording]:
        """`a + b` and `stream << a << b`."""
        if text_of(place.node.child_by_field_name("operator")) == "<<":
            _, pieces = self.streamed(place, step)
            return pieces
        return self.operation(place, step)

    def streamed(self, place: Place, step: int = 0) -> tuple[Node, list[Wording]]:
        """The stream, and what is put into it."""
        operands: list[Place] = []
        current = place
        while text_of(current.node.child_by_field_name("operator")) == "<<":
            left, right = (current.node.child_by_field_name(side) for side in ("left", "right"))
            if left is None or right is None:
                break
            operands.append(current.of(right))
            current = current.of(left)
        pieces = [
            self.read(each, step)
            for each in reversed(operands)
            if not _STREAM.match(one_line(each.node))
        ]
        return current.node, combined(pieces)

    def call(self, place: Place, step: int) -> list[Wording]:
        """Formats, wrappers, `stream.str()`."""
        function = place.node.child_by_field_name("function")
        name, arguments = one_line(function), self.arguments(place)
        if function is not None and function.type == "field_expression" and not arguments:
            receiver = one_line(function.child_by_field_name("argument"))
            field = text_of(function.child_by_field_name("field"))
            if field in {"str", "c_str", "data", "what"}:
                return self._received(place, function, receiver, step)
        if not arguments:
            return []
        if _PASSED_ON.match(name):
            return self.read(arguments[-1], step)
        if len(arguments) > PRINTS_INTO.get(name, 99):
            return self.printed(arguments[PRINTS_INTO[name] :], step)
        if _PRINTING.search(name):
            return self.printed(arguments, step)
        if _FORMATTING.search(name):
            values = [self.read(each, step) for each in arguments[1:]]
            return formatted(self.read(arguments[0], step), braces, values)
        if _JOINING.search(name):
            return combined([self.read(each, step) for each in arguments])
        simple = re.split(r"::|->|\.", name)[-1]
        return self.made_by(simple, arguments, step) or self._of_literal(arguments, step)

    def _of_literal(self, arguments: list[Place], step: int) -> list[Wording]:
        """A function that is given a sentence: one that makes a string of it where that is all
        that it is given (`jv_string("…")`), or a format and what fills it
        (`luaO_pushfstring(L, "no %s", x)`)."""
        texts = [each.node.type in _LITERALS for each in arguments]
        if texts.count(True) == 0 or texts.index(True) > 1:
            return []
        at = texts.index(True)
        ways = self.read(arguments[at], step)
        text = "".join(part.text for way in ways for part in way.parts if isinstance(part, Fixed))
        rest = len(arguments) - at - 1
        if count_verbs(text) == rest > 0:
            return self.printed(arguments[at:], step)
        return ways if len(arguments) == 1 and " " in text.strip() else []

    def _received(self, place: Place, function: Node, receiver: str, step: int) -> list[Wording]:
        inner = function.child_by_field_name("argument")
        if inner is not None and inner.type == "call_expression":
            return self.read(place.of(function, inner), step)
        return self.named_value(receiver, place, step)

    def arguments(self, place: Place) -> list[Place]:
        """What a call is given."""
        given = place.node.child_by_field_name("arguments")
        return [place.of(given, each) for each in named(given)] if given is not None else []

    def printed(self, arguments: list[Place], step: int = 0) -> list[Wording]:
        """A format of printf and its values; one of `{}` in what C++ logs."""
        values = [self.read(each, step) for each in arguments[1:]]
        ways = self.read(arguments[0], step)
        text = "".join(part.text for way in ways for part in way.parts if isinstance(part, Fixed))
        if has_verbs(text) or "%%" in text:
            return formatted(ways, printf, values)
        if "{" in text and values:
            return formatted(ways, braces, values)
        return ways
