"""Answers as a test report in JUnit's XML, which every build server shows."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from errdex.formats.answer import ErrorEvent
from errdex.formats.ci.build_commands import disarm_xml
from errdex.formats.ci.checkout import place_of
from errdex.formats.options import WriteOptions
from errdex.formats.short_texts import LogAnswer, explained, reported, title_of
from errdex.records.printable import printable


def write_all(answers: Sequence[LogAnswer], options: WriteOptions) -> bytes:
    """A suite for each log, with a failing case for each of its errors."""
    root = Element("testsuites", name="errdex")
    for each in answers:
        events = reported(each.answer)
        count = str(len(events))
        suite = SubElement(
            root, "testsuite", name=valid(each.log), tests=count, failures=count, errors="0"
        )
        for event in events:
            _case(suite, event, options)
    indent(root)
    return xml_of(root)


def xml_of(root: Element) -> bytes:
    """The document as it is written."""
    written: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return disarm_xml(written) + b"\n"


def known_text(event: ErrorEvent, options: WriteOptions) -> str:
    """What is known about an error, as the text of an element."""
    return valid("\n\n".join(explained(event, options.site)))


def valid(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return printable(text)


def _case(suite: Element, event: ErrorEvent, options: WriteOptions) -> None:
    title = valid(title_of(event))
    case = SubElement(suite, "testcase", name=valid(event.test or "") or title, classname="errdex")
    kind = valid(event.error_class or event.error_code or "error")
    failure = SubElement(case, "failure", message=title, type=kind)
    place = place_of(event, options.checkout)
    line = f":{place.line}" if place and place.line else ""
    where = f"{place.path}{line}\n\n" if place else ""
    failure.text = f"{valid(where)}{known_text(event, options)}"
