"""C and C++: what is printed to standard error and logged, exceptions, assertions, errors
raised in interpreters, and tables of messages.
"""

from __future__ import annotations

from collections.abc import Collection

import tree_sitter_c
import tree_sitter_cpp
from tree_sitter import Language, Node

from errdex import lazy_re as re
from errdex.harvest.languages.c import calls
from errdex.harvest.languages.c.guards import FUNCTIONS, CGuards
from errdex.harvest.languages.c.messages import CMessages
from errdex.harvest.languages.c.names import CLASSES, CBinder
from errdex.harvest.languages.c.preprocessor import parse_branches
from errdex.harvest.messages.formats import formatted, has_verbs, listed, printf
from errdex.harvest.messages.template import is_telling, normalized
from errdex.harvest.messages.wording import Wording, combined
from errdex.harvest.model import Extraction, SourceHole
from errdex.harvest.trees.details import Details
from errdex.harvest.trees.guards import Condition
from errdex.harvest.trees.reporters import Known
from errdex.harvest.trees.syntax import Place, inner_nodes, named, one_line, text_after, text_of

_C = Language(tree_sitter_c.language())
_CPP = Language(tree_sitter_cpp.language())
_BUILT = re.compile(r"_?[Ss]tatic_assert\b")
_SIZES = re.compile(r"\bPRI([dioxXu])(?:LEAST|FAST)?(?:8|16|32|64|MAX|PTR)\b")
"""Macros between two literals, which stand for conversions."""
_THROWS = re.compile(
    r"[@\\](?:throws?|exception)\s+(?P<class>[\w:]+)\s+(?P<text>.+?)(?=\n\s*[@\\]|\n\s*\n|\Z)",
    re.DOTALL,
)
_IS_CPP = re.compile(
    r"^\s*(?:class\s+\w|namespace\b|template\s*<|using\s)|\bpublic:|std::", re.MULTILINE
)
_ERROR_CLASS = re.compile(
    r"(?:Error|Exception|_error|_exception|exception|Failure|Fault|out_of_range|invalid_argument)$"
)
_STRINGS = frozenset({"string_literal", "concatenated_string", "raw_string_literal"})
_SAID = _STRINGS | {"call_expression"}
"""What a function that tells an error's text returns; `_("…")` too."""


_NO_TEXTS = frozenset({"number_literal", "char_literal"})


def extract(source: str, path: str, known: Known | None = None) -> Extraction:
    """The raise sites of a C or C++ file. Raises SourceUnreadable."""
    source = _SIZES.sub(lambda found: f'"{found[1]}"'.ljust(len(found[0])), source)
    return CFinder(source, path).extract(known)


class CFinder(CBinder):
    """Reads one file."""

    found_at = frozenset(
        """
        call_expression throw_statement binary_expression return_statement init_declarator
        assignment_expression preproc_def preproc_call static_assert_declaration field_initializer
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )

    error_names = _ERROR_CLASS

    throws = _THROWS

    guards: CGuards

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        suffix = path[path.rfind(".") :]
        is_c = suffix == ".c" or (suffix == ".h" and _IS_CPP.search(source) is None)
        self.grammar = _C if is_c else _CPP
        self.guards = CGuards()
        self.messages = CMessages(self.names, self.guards)

    def parse(self) -> Node:
        """The tree, with one branch of conditionals that spoil it."""
        return parse_branches(self.grammar, self.source)

    def with_places(self, way: Wording) -> Wording:
        """As printf reads it."""
        return listed(way)

    def visit(self, place: Place) -> None:
        """What prints, throws, asserts or lists."""
        match place.node.type:
            case "call_expression":
                self._called(place)
            case "throw_statement":
                self._thrown(place)
            case "binary_expression":
                self._streamed(place)
            case "return_statement":
                self._returned(place)
            case "static_assert_declaration":
                message = place.node.child_by_field_name("message")
                if message is not None:
                    self.say(place, place.of(message), Details(kind="assert"))
            case "field_initializer":
                self._base_initialised(place)
            case "assignment_expression":
                self._assigned(place)
            case _:
                self._listed(place)

    def conditions_at(self, place: Place, details: Details) -> list[Condition]:
        """None of what is asserted when the program is built."""
        if _BUILT.match(text_of(place.node)[:20]):
            return []
        return super().conditions_at(place, details)

    def simple_name(self, name: str) -> str:
        """Without its namespaces."""
        return name.rpartition("::")[2]

    def _called(self, place: Place) -> None:
        name = one_line(place.node.child_by_field_name("function"))
        arguments = self.messages.arguments(place)
        if place.parent is not None and place.parent.type == "throw_statement":
            return
        texts = [each.node.type not in _NO_TEXTS and self.has_text(each) for each in arguments]
        if calls.THROWS.search(name) and (thrown := self._error_among(arguments)):
            self._threw(place, thrown)
        elif name in {"assert", "__ASSERT"} and arguments:
            self._asserted(place, arguments[0])
        elif True in texts:
            self._called_with_text(place, name, arguments, texts)
        else:
            self._passed_on(place, name, arguments)

    def _called_with_text(
        self, place: Place, name: str, arguments: list[Place], texts: list[bool]
    ) -> None:
        if name in {"_Static_assert", "static_assert"}:
            self.say(place, arguments[-1], Details(kind="assert"))
        elif calls.PRINTS_TO.match(name):
            if calls.prints_error(name, text_of(place.node)):
                self._said(place, arguments, texts, self._on_the_way_out(place))
        elif calls.PYTHON.match(name) or calls.class_of(text_of(place.node)[:200], name):
            self._raised(place, name, arguments, texts)
        elif (cause := calls.cause_of(name, arguments, texts.index(True))) is not None:
            self._caused(place, arguments, texts, cause)
        elif self._makes_error(place, name):
            self._threw(place, place)
        elif calls.CONCATENATING.match(name):
            first = texts.index(True)
            ways = combined([self.messages.read(each) for each in arguments[first:]])
            self.report(place, ways, Details(kind="raise", when=self._check(name, arguments)))
        else:
            self._called_otherwise(place, name, arguments, texts)

    def _makes_error(self, place: Place, name: str) -> bool:
        """`type_error::create(…)`; `return BadName("…")`, a class of this file or what the function
        is there to make."""
        if calls.MAKES.search(name):
            return self.is_error(calls.MAKES.sub("", name))
        if name in self.bases:
            return self.is_error(name)
        around = place.up(FUNCTIONS)
        is_returned = place.parent is not None and place.parent.type == "return_statement"
        made = around.node.child_by_field_name("type") if around and is_returned else None
        return one_line(made) == name and self.is_error(name)

    def _error_among(self, arguments: list[Place]) -> Place | None:
        """The error that a macro which throws is given."""
        for each in arguments:
            made = one_line(each.node.child_by_field_name("function"))
            if made and self.is_error(calls.MAKES.sub("", re.sub(r"<.*>", "", made))):
                return each
        return None

    def _passed_on(self, place: Place, name: str, arguments: list[Place]) -> None:
        """A report of what is said elsewhere."""
        if calls.prints_error(name, text_of(place.node)) or calls.reports(name):
            ways = [self.messages.hole(each.node) for each in arguments]
            self.note_passing(place, ways, self._on_the_way_out(place))

    def _called_otherwise(
        self, place: Place, name: str, arguments: list[Place], texts: list[bool]
    ) -> None:
        at = texts.index(True)
        if calls.NOT_REPORTING.search(name):
            return
        if name in self.printing and self.has_text(arguments[at]):
            self._said(place, arguments, texts, Details(kind="log", severity="error"))
            return
        if calls.reports(name):
            ways = self.messages.printed(arguments[at:])
            if not any(is_telling(normalized(way.parts), None) for way in ways):
                self.note_passing(place, ways, self._on_the_way_out(place))
        if not self.is_sentence(arguments[at]):
            return
        if (node := calls.NODE.match(name)) is not None:
            self._said(place, arguments, texts, Details(kind="raise", error_code=node[1]))
        elif any(calls.LEVEL.search(one_line(each.node)) for each in arguments[:at]):
            if calls.LEVELLED.search(name):
                self._said(place, arguments, texts, Details(kind="log", severity="error"))
        elif name.endswith("printf") and calls.ERROR_VARIABLE.search(one_line(arguments[0].node)):
            self._said(place, arguments, texts, Details(kind="raise"))

    def visit_named(self, place: Place) -> None:
        """`die_with("…")`, wherever it is."""
        name = one_line(place.node.child_by_field_name("function"))
        is_call = place.node.type == "call_expression" and place.node.id not in self._reported
        if not is_call or not calls.reports(name):
            return
        arguments = self.messages.arguments(place)
        texts = [each.node.type not in _NO_TEXTS and self.has_text(each) for each in arguments]
        at = texts.index(True) if True in texts else len(texts)
        is_thrown = place.parent is not None and place.parent.type == "throw_statement"
        is_levelled = any(calls.LEVEL.search(one_line(each.node)) for each in arguments[:at])
        if at < len(texts) and self.is_sentence(arguments[at]) and not is_thrown | is_levelled:
            self._said(place, arguments, texts, self._on_the_way_out(place, kind="raise"))

    def _said(
        self, place: Place, arguments: list[Place], texts: list[bool], details: Details
    ) -> None:
        """The first argument that has text, with those behind it put in."""
        self.report(place, self.messages.printed(arguments[texts.index(True) :]), details)

    def _on_the_way_out(self, place: Place, kind: str = "log") -> Details:
        if re.match(r"(?:std::)?(?:_?exit|abort)\s*\(", text_after(place)):
            return Details(kind="exit", severity="fatal")
        name = one_line(place.node.child_by_field_name("function"))
        if calls.ENDING.search(name):
            return Details(kind="exit", severity="fatal")
        if kind == "raise" and not calls.LOGGING.search(name):
            return Details(kind="raise")
        return Details(kind="log", severity="error")

    def _raised(self, place: Place, name: str, arguments: list[Place], texts: list[bool]) -> None:
        error_class = calls.class_of(text_of(place.node)[:200], name)
        ways = self.messages.read(arguments[texts.index(True)])
        values = [self.messages.read(each) for each in arguments[texts.index(True) + 1 :]]
        text = self.messages.read_text(arguments[texts.index(True)])
        if text and has_verbs(text) and not name.endswith("SetString"):
            ways = formatted(ways, printf, values)
        self.report(place, ways, Details(kind="raise", error_class=error_class))

    def _caused(self, place: Place, arguments: list[Place], texts: list[bool], cause: str) -> None:
        """`perror("…")` prints `…: No such file or directory`."""
        ways = self.messages.printed(arguments[texts.index(True) :])
        reason = [Wording((SourceHole(f"strerror({cause})"),))]
        ways = combined([ways, self.messages.fixed(": "), reason])
        name = one_line(place.node.child_by_field_name("function"))
        is_exit = name in calls.EXITING and one_line(arguments[0].node) != "0"
        details = Details(kind="exit", severity="fatal") if is_exit else self._on_the_way_out(place)
        self.report(place, ways, details)

    def _check(self, name: str, arguments: list[Place]) -> tuple[str, ...]:
        checks = "CHECK" in name or "ENFORCE" in name or "ASSERT" in name
        return (self.guards.opposite(arguments[0].node),) if checks and arguments else ()

    def _asserted(self, place: Place, test: Place) -> None:
        text = self.messages.fixed(f"Assertion `{one_line(test.node)}' failed")
        tested = self.guards.tested(test.node)
        when = (self.guards.opposite(tested),) if tested is not None else ()
        self.report(place, text, Details(kind="assert", when=when))

    def _thrown(self, place: Place) -> None:
        inner = named(place.node)[:1]
        while len(inner) and inner[-1].type == "parenthesized_expression":
            inner += named(inner[-1])[:1]
        if inner:
            self._threw(place, place.of(*inner))

    def _threw(self, place: Place, thrown: Place) -> None:
        node = thrown.node
        if node.type in _STRINGS:
            self.say(place, thrown, Details(kind="raise"))
            return
        made = node.child_by_field_name("function") or node.child_by_field_name("type")
        arguments = self.messages.arguments(thrown)
        if node.type == "compound_literal_expression":
            value = node.child_by_field_name("value")
            arguments = [thrown.of(value, each) for each in named(value)] if value else []
        if made is None:
            return
        name = calls.MAKES.sub("", re.sub(r"<.*>", "", one_line(made)))
        details = Details(kind="raise", error_class=self.full_name(name))
        texts = [e for e in arguments if e.node.type not in _NO_TEXTS and self.has_text(e)]
        if texts:
            rest = arguments[arguments.index(texts[0]) :]
            self.report(place, self.messages.printed(rest), details)
        elif self.is_error(name):
            ways = [self.messages.hole(each.node) for each in arguments]
            self.note_passing(place, ways, details)
            self.say(place, arguments[0] if arguments else None, details)

    def _streamed(self, place: Place) -> None:
        """`std::cerr << …`, `LOG(ERROR) << …`, `CHECK(x) << …`: the outermost `<<`."""
        operator = text_of(place.node.child_by_field_name("operator"))
        parent = place.parent
        if operator != "<<" or parent is None or parent.type == "binary_expression":
            return
        stream, ways = self.messages.streamed(place)
        name = one_line(stream)
        when: tuple[str, ...] = ()
        if stream.type == "call_expression" and calls.CHECK_MACROS.match(name.split("(")[0]):
            tested = named(stream.child_by_field_name("arguments"))
            turned = calls.OPPOSITES.get(name.split("(")[0][-2:])
            if len(tested) == 1:
                when = (self.guards.opposite(tested[0]),)
            elif len(tested) == 2 and turned is not None:
                when = (f"{one_line(tested[0])} {turned} {one_line(tested[1])}",)
        elif not calls.STREAMS.search(name):
            return
        if any(way.has_text for way in ways):
            details = self._on_the_way_out(place)
            kind = "assert" if when else details.kind
            if kind == "assert":
                self.report(place, ways, Details(kind="assert", when=when))
            else:
                self.report(place, ways, details)

    def _returned(self, place: Place) -> None:
        """A function that tells an error's text, and `what()` of an exception."""
        around = place.up(FUNCTIONS)
        value = named(place.node)[:1]
        if around is None or not value or value[0].type not in _SAID:
            return
        if not calls.tells_error(self.name_of(around) or ""):
            return
        owner = place.up(CLASSES)
        name = text_of(owner.node.child_by_field_name("name")) if owner is not None else ""
        error_class = self.full_name(name) if name and self.is_error(name) else None
        message = place.of(*value)
        if self.is_sentence(message):
            self.say(place, message, Details(kind="table", error_class=error_class))

    def _base_initialised(self, place: Place) -> None:
        """`B(int x) : std::runtime_error("…")`."""
        owner = place.up(CLASSES)
        parts = named(place.node)
        name = text_of(owner.node.child_by_field_name("name")) if owner is not None else ""
        if len(parts) == 2 and self.is_error(one_line(parts[0])):
            arguments = [place.of(parts[1], each) for each in named(parts[1])]
            text = next((each for each in arguments if self.has_text(each)), None)
            if text is not None:
                self.say(
                    place, text, Details(kind="table", error_class=self.full_name(name) or None)
                )

    def _assigned(self, place: Place) -> None:
        """`*error = "…"`."""
        left, right = (place.node.child_by_field_name(side) for side in ("left", "right"))
        if left is None or right is None or right.type not in _STRINGS:
            return
        target = one_line(left).lstrip("*").strip("()")
        if calls.ERROR_VARIABLE.search(target) and self.is_sentence(place.of(right)):
            self.say(place, place.of(right), Details(kind="raise"))

    def _listed(self, place: Place) -> None:
        """Arrays and macros of messages, and `#error`."""
        node = place.node
        value = node.child_by_field_name("value")
        if node.type == "preproc_call":
            argument = node.child_by_field_name("argument")
            if text_of(node.child_by_field_name("directive")).strip() == "#error" and argument:
                text = text_of(argument).strip().strip('"')
                self.report(place, self.messages.fixed(text), Details(kind="raise"))
        elif node.type == "preproc_def":
            name = text_of(node.child_by_field_name("name"))
            is_message = value is not None and calls.MACRO_NAME.search(name)
            if value is not None and is_message and self.is_sentence(place.of(value)):
                self.say(place, place.of(value), Details(kind="table", is_listed=True))
        elif value is not None and value.type == "initializer_list":
            name = one_line(node.child_by_field_name("declarator"))
            if calls.is_table_of_messages(name):
                self._entries(place.of(value))

    def visit_asked(self, place: Place, asked: Collection[str]) -> None:
        """Tables, and functions that return literals."""
        value = place.node.child_by_field_name("value")
        if place.node.type == "init_declarator" and value is not None:
            names = list(inner_nodes(place.node, {"identifier"}, 30))[:1]
            if value.type == "initializer_list" and names and text_of(names[0]) in asked:
                self._entries(place.of(value))
        elif place.node.type == "return_statement":
            around = place.up(FUNCTIONS)
            returned = named(place.node)[:1]
            is_asked = around is not None and self.name_of(around) in asked
            is_text = is_asked and returned and returned[0].type in _SAID
            if is_text and self.is_sentence(place.of(*returned)):
                self.say(place, place.of(*returned), Details(kind="table"))

    def _entries(self, table: Place) -> None:
        for entry in named(table.node):
            inside = Place(entry, (*table.path, table.node))
            for text in inner_nodes(entry, _STRINGS, limit=40):
                message = Place(text, inside.path if text.id == entry.id else (*inside.path, entry))
                if self.is_sentence(message):
                    self.say(inside, message, Details(kind="table", is_listed=True))
                    break
