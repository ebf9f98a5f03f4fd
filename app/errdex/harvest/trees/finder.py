"""From a file's tree to its raise sites: what all languages that tree-sitter reads have in
common.

A language is a Finder that names its node types and says, in `visit`, what a node that
may raise or report an error says. Each file is read in one walk that collects comments,
names and such nodes, which then are visited in order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from tree_sitter import Language, Node

from errdex import lazy_re as re
from errdex.harvest.documentation import given_to_their_raises
from errdex.harvest.messages.contradictions import possible
from errdex.harvest.messages.placeholders import with_holes
from errdex.harvest.messages.template import fixed_text, is_telling, normalized, tells_trouble
from errdex.harvest.messages.wording import Messages, Wording
from errdex.harvest.model import NO_FIXED_TEXT, NO_MESSAGE, Extraction, Fixed, Part, RaiseSite
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.comments import Comments, without_marks
from errdex.harvest.trees.details import Details
from errdex.harvest.trees.error_classes import ErrorClasses
from errdex.harvest.trees.guards import Condition, Guards
from errdex.harvest.trees.reporters import Known
from errdex.harvest.trees.syntax import Place, named, parse_tree, text_of, walk

TOO_DEEP = "nested too deeply"
NOT_UNDERSTOOD = "not understood"
MAX_SITES = 20_000
"""Sites of one file. More is data that looks like source."""
_ANSWER = re.compile(r"HTTP/\d")
"""Begins what a server sends, and is no message."""
_NEVER = re.compile(r"(?!)()")


class Finder(ErrorClasses):
    """Reads one file."""

    grammar: Language
    comments: ClassVar[frozenset[str]] = frozenset({"comment"})
    functions: ClassVar[frozenset[str]]
    classes: ClassVar[frozenset[str]]
    found_at: ClassVar[frozenset[str]]
    """Nodes that `visit` looks at."""
    bound_at: ClassVar[frozenset[str]]
    """Nodes that `bind` looks at."""
    separator: ClassVar[str] = "."
    """Between the parts of a qualified name."""
    throws: ClassVar[re.Pattern[str]] = _NEVER
    """What documentation says of raising one class: the groups `class` and `text`."""
    markup: ClassVar[re.Pattern[str]] = _NEVER
    """Marks within that text; the first group of one stays."""

    has_colon_places: ClassVar[bool] = False
    """Whether listed messages have `:name` for what is put in."""

    guards: Guards
    messages: Messages

    def __init__(self, source: str, path: str) -> None:
        super().__init__()
        self.path = path
        self.source = source
        self.names = Names(self.functions, self.classes)
        self._comments = Comments(source)
        self._sites: list[RaiseSite] = []
        self._unsaid: list[RaiseSite] = []
        self._seen: set[tuple[object, ...]] = set()
        self._left_out: Counter[str] = Counter()

    @abstractmethod
    def bind(self, place: Place) -> None:
        """Note the names that a node of `bound_at` gives values."""

    @abstractmethod
    def visit(self, place: Place) -> None:
        """Report what a node of `found_at` says."""

    def extract(self, known: Known | None = None) -> Extraction:
        """All sites of the file. `known`: the functions of the whole tree that report what they
        are given. Raises SourceUnreadable."""
        self.known, self.is_known = known or {}, known is not None
        places = self._places()
        self.note_classes()
        self._visit_all(places, self.visit)
        calls = list(filter(self.note_call, places))
        self._visit_all(calls, self.pass_on)
        if self.known:
            self._visit_all(calls, self.pass_on_known)
        self._visit_all(places, self.visit_by_name)
        if self._passed.asked:
            self._visit_all(places, self.visit_asked_for)
        self._sites.sort(key=lambda site: site.line)
        sites, unsaid = given_to_their_raises(self._sites, self._unsaid)
        return Extraction(sites, self._left_out, unsaid, self._passed)

    def _visit_all(self, places: Sequence[Place], visit: Callable[[Place], None]) -> None:
        for place in places:
            if len(self._sites) < MAX_SITES:
                visit(place)

    def _places(self) -> list[Place]:
        """Note comments, names and functions; returns what is to be visited."""
        notes = self.bound_at | self.returns | self.functions
        places: list[Place] = []
        for found in walk(self.parse(), self.comments | self.found_at | notes):
            if isinstance(found, Node):
                self._left_out[TOO_DEEP] += 1
                continue
            if found.node.type in self.comments:
                self._comments.add(found.node)
                continue
            self._note(found)
            if found.node.type in self.found_at:
                places.append(found)
        return places

    def _note(self, place: Place) -> None:
        if place.node.type in self.bound_at:
            self.bind(place)
        if place.node.type in self.returns:
            self.note_return(place)
        if place.node.type in self.functions:
            self.note_function(place)

    def parse(self) -> Node:
        """The file's tree, its lines where they are in the source. Raises SourceUnreadable."""
        return parse_tree(self.grammar, self.source)

    def say(self, place: Place, message: Place | None, details: Details) -> None:
        """Report what an expression says at a place. None: no message, which is counted."""
        if message is None:
            self._left_out[NO_MESSAGE] += 1
            self._leave_unsaid(place, details)
        elif message.node.has_error:
            self._left_out[NOT_UNDERSTOOD] += 1
        else:
            self.report(place, self.messages.read(message), details)

    def report(self, place: Place, wordings: Sequence[Wording], details: Details) -> None:
        """Report a message at a place: a site for each way in which it reads."""
        self.note_passing(place, wordings, details)
        if details.is_listed:
            wordings = [self.with_places(way) for way in wordings]
        if details.is_printed:
            wordings = [way for way in wordings if tells_trouble(way.parts)]
            if not wordings:
                return
        if details.is_listed:
            wordings = [way for way in wordings if not _ANSWER.match(fixed_text(way.parts[:1]))]
        told = [way for way in wordings if is_telling(normalized(way.parts), details.error_class)]
        if not told:
            self._left_out[NO_FIXED_TEXT] += 1
            self._leave_unsaid(place, details)
            return
        self._reported.add(place.node.id)
        site = self._site(place, details)
        around = self.conditions_at(place, details)
        for way in possible(told, [each.text for each in around]):
            parts = tuple(normalized(way.parts))
            key = (site.line, parts, details.error_class)
            if key not in self._seen:
                self._drop_unclassed(key)
                self._seen.add(key)
                conditions = [*around, *(Condition(text) for text in way.when)]
                when = self.guards.joined(conditions)
                self._sites.append(replace(site, parts=way.parts, raised_when=when))

    def _drop_unclassed(self, key: tuple[int, tuple[Part, ...], str | None]) -> None:
        """Forget what was told of the same error before its class was known."""
        line, parts, error_class = key
        if error_class is not None and (line, parts, None) in self._seen:
            self._sites = [
                site
                for site in self._sites
                if (site.line, site.error_class, site.kind) != (line, None, "raise")
                or tuple(normalized(site.parts)) != parts
            ]

    def with_places(self, way: Wording) -> Wording:
        """A message as it is listed, with holes for what the program puts in."""
        places = partial(with_holes, colons=self.has_colon_places)
        parts = (places(p.text) if isinstance(p, Fixed) else (p,) for p in way.parts)
        return replace(way, parts=tuple(each for found in parts for each in found))

    def _leave_unsaid(self, place: Place, details: Details) -> None:
        """Note an error whose class may say something in another file."""
        if details.error_class is not None and details.kind == "raise":
            when = self.guards.joined(self.conditions_at(place, details))
            self._unsaid.append(replace(self._site(place, details), raised_when=when))

    def conditions_at(self, place: Place, details: Details) -> list[Condition]:
        """The guards on the way to a place, and what its details add."""
        around = [
            condition
            for condition in self.guards.conditions(place)
            if condition.end is None
            or not (
                self.names.given_since(condition.text, condition.end, place)
                or (condition.left_before and self.names.entered_since(condition.end, place))
            )
        ]
        return around + [Condition(text) for text in details.when]

    def _site(self, place: Place, details: Details) -> RaiseSite:
        """All that a place says beside the message and its conditions."""
        line = details.line or place.line
        return RaiseSite(
            parts=(),
            line=line,
            end_line=max(line, place.node.end_point[0] + 1),
            kind=details.kind,
            error_class=self.as_printed(details.error_class),
            function=self.function_of(place),
            comment=self._comment_at(place),
            documentation_source=self.documentation_on(place),
            documented=self.documented(place, details.error_class),
            base_classes=self.bases_of(details.error_class),
            error_code=details.error_code,
            http_status=details.http_status,
            severity=details.severity,
        )

    def labelled(self, argument: Place) -> tuple[str, Place] | None:
        """The parameter that an argument names, and its value. None when it names none."""
        name, inner = argument.node.child_by_field_name("name"), named(argument.node)
        if name is None or argument.node.type != "argument" or not inner:
            return None
        return text_of(name), argument.of(inner[-1])

    def is_thrown(self, place: Place) -> bool:
        """Whether what is made at a place is thrown at once, so that it is an error whatever
        its class is called."""
        return place.parent is not None and place.parent.type.startswith("throw")

    def has_text(self, place: Place) -> bool:
        """Whether an expression has any fixed text."""
        return any(way.has_text for way in self.messages.read(place))

    def is_sentence(self, place: Place) -> bool:
        """Whether an expression has fixed text of more than a word."""
        return any(way.has_sentence for way in self.messages.read(place))

    def function_of(self, place: Place) -> str | None:
        """The qualified name of the function around a place; of its classes, if in none."""
        names = [
            name
            for index, node in enumerate(place.path)
            if (name := self.name_of(Place(node, place.path[:index])))
        ]
        return self.separator.join(names) or None

    def name_of(self, place: Place) -> str | None:
        """What a node adds to the qualified names of what is in it."""
        if place.node.type in self.functions or place.node.type in self.classes:
            name = text_of(place.node.child_by_field_name("name"))
            return name if name and len(name) <= 100 and "\n" not in name else None
        return None

    def documentation_on(self, place: Place) -> str | None:
        """What is said on this very error where it is declared."""
        return None

    def documented(self, place: Place, error_class: str | None) -> tuple[str, ...]:
        """What the function's documentation says on errors of a class, an entry each."""
        if not error_class:
            return ()
        simple = self.simple_name(error_class)
        texts = (
            " ".join(self.markup.sub(r"\1", found["text"]).split())
            for found in self.throws.finditer(self.documentation_of(place))
            if self.simple_name(found["class"]) == simple
        )
        return tuple(dict.fromkeys(filter(None, texts)))

    def documentation_of(self, place: Place) -> str:
        """The documentation above the innermost named function, as the source has it."""
        for index in range(len(place.path) - 1, -1, -1):
            node = place.path[index]
            if node.type in self.functions:
                rows = {node.start_point[0]}
                if index:  # decorated, exported, assigned: the comment stands above all of it
                    rows |= {
                        each.start_point[0]
                        for each in place.path[max(0, index - 3) : index]
                        if each.type not in self.guards.blocks
                        and each.parent is not None
                        and each.type not in self.classes
                    }
                for row in sorted(rows, reverse=True):
                    if text := self._comments.raw_above(row):
                        return without_marks(text)
        return ""

    def comment_above(self, node: Node) -> str:
        """The comment right above a node, without marks."""
        return without_marks(self._comments.raw_above(node.start_point[0]))

    def _comment_at(self, place: Place) -> str | None:
        return self._comments.above(dict.fromkeys(self._rows(place)))

    def _rows(self, place: Place) -> Iterable[int]:
        """Where a comment on the place can stand below: at the place, its statement, and the
        statement that this is the only business of."""
        yield place.node.start_point[0]
        blocks = 0
        for index in range(len(place.path) - 1, -1, -1):
            node = place.path[index]
            if node.type in self.functions or node.type in self.classes:
                return
            inside = place.path[index + 1] if index + 1 < len(place.path) else place.node
            if node.type in self.guards.blocks and inside.type not in self.guards.blocks:
                blocks += 1
                is_guard = self.guards.unwrapped_statement(inside).type in self.guards.ifs
                if blocks == 1 or is_guard:
                    yield inside.start_point[0]
                if blocks == 2:
                    return
            elif node.type in self.guards.ifs and blocks == 0:
                yield node.start_point[0]
