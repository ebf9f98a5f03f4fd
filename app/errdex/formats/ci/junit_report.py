"""A test report in JUnit's XML: its failing cases, and what is known about them.

A report may come from anywhere. A document type, and with it every entity, is refused; size, depth
and the number of elements are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from errdex.formats.ci.junit import valid, xml_of
from errdex.records.printable import on_one_line
from errdex.records.problems import Trouble

MOST_BYTES = 50_000_000
"""Bytes of a report."""
_ELEMENTS = 300_000
_DEPTH = 60
_NAME = 300
_FAILED = ("failure", "error")


class ReportRefused(Trouble):
    """The file is no JUnit report, or one that is not read; the message says why."""


@dataclass(frozen=True, slots=True)
class FailingCase:
    """A failing case of a report."""

    name: str
    """Its class and name on one line."""
    text: str
    """What the runner printed of the failure."""
    element: Element
    """The failure in the report."""


class Report:
    """A report that was read."""

    def __init__(self, root: Element) -> None:
        self._root = root

    def failing_cases(self) -> Iterator[FailingCase]:
        """The failing cases in the order of the report."""
        for case in self._root.iter():
            if _name(case) == "testcase":
                named = [case.get("classname"), case.get("name")]
                name = on_one_line(".".join(part for part in named if part))[:_NAME]
                for element in case:
                    if _name(element) in _FAILED:
                        yield FailingCase(name, _text(element), element)

    def to_xml(self) -> bytes:
        """The report with what was added."""
        return xml_of(self._root)


def read_report(data: bytes) -> Report:
    """The report in a file. Raises ReportRefused."""
    if len(data) > MOST_BYTES:
        raise ReportRefused(f"The report is larger than {MOST_BYTES:,} bytes.")
    parser = XMLParser(target=_Builder())  # noqa: S314 (which refuses document types)
    try:
        parser.feed(data)
        root: Element = parser.close()
    except (ParseError, ValueError, LookupError) as error:
        raise ReportRefused(f"The report is no XML: {on_one_line(str(error))}.") from None
    if _name(root) not in ("testsuites", "testsuite"):
        name = on_one_line(_name(root))[:60]
        raise ReportRefused(f"The report is not JUnit's: its first element is “{name}”.")
    return Report(root)


def add_known(case: FailingCase, text: str) -> None:
    """Add what is known to a failure of the report."""
    case.element.text = f"{case.element.text or ''}\n\n{valid(text)}\n"


class _Builder(TreeBuilder):
    """Builds a tree of bounded size."""

    def __init__(self) -> None:
        super().__init__()
        self._count = self._depth = 0

    def doctype(self, *_: object) -> None:
        """A document type is where entities are declared."""
        raise ReportRefused("The report has a document type, which may expand without end.")

    def start(self, tag: str, attributes: dict[str, str], /) -> Element:
        """Begin an element."""
        self._count += 1
        self._depth += 1
        if self._count > _ELEMENTS or self._depth > _DEPTH:
            raise ReportRefused("The report has too many elements, or nests them too deeply.")
        return super().start(tag, attributes)

    def end(self, tag: str, /) -> Element:
        """End an element."""
        self._depth -= 1
        return super().end(tag)


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _text(failure: Element) -> str:
    """The text of a failure, below its class and message where the text lacks them."""
    text = "".join(failure.itertext()).strip()
    message = (failure.get("message") or "").strip()
    if message and message.split("\n", 1)[0] in text:
        return text
    kind = failure.get("type") or ""
    head = f"{kind}: {message}" if kind and kind not in message else message
    return f"{head}\n{text}".strip()
