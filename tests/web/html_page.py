"""An HTML answer as a reader meets it: its text, its headings, where its links lead."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "input", "img", "br", "hr", "wbr"})


@dataclass(frozen=True)
class Element:
    """An element: its name, attributes and text."""

    name: str
    attributes: dict[str, str]
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


class HtmlPage(HTMLParser):
    """A parsed page. Elements that are not closed in order fail the parse."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = [Element("document", {})]
        self.feed(source)
        self.close()
        assert [each.name for each in self._open] == ["document"], "elements are left open"

    @property
    def text(self) -> str:
        return self._open[0].text

    @property
    def source_text(self) -> str:
        """The text with its white space as it stands."""
        return "".join(self._open[0].words)

    @property
    def links(self) -> list[str]:
        return [each.attributes["href"] for each in self.named("a") if "href" in each.attributes]

    def named(self, *names: str) -> list[Element]:
        return [each for each in self.elements if each.name in names]

    def link(self, text: str) -> str:
        """Where the first link with that text leads."""
        found = [each for each in self.named("a") if each.text == text]
        assert found, f"no link {text!r} among {[each.text for each in self.named('a')]}"
        return found[0].attributes["href"]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].name == tag, f"</{tag}> closes <{self._open[-1].name}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.words.append(data)


def harmful(page: HtmlPage) -> list[str]:
    """What in a page could run a script, load from another host or dodge the policy."""
    found = []
    for element in page.elements:
        kind = element.attributes.get("type", "")
        data = element.name == "script" and kind.endswith("json")
        if element.name == "script" and not data and (element.text or not _own(element, "src")):
            found.append(f"<script> {element.attributes} {element.text[:80]}")
        if element.name in {"style", "iframe", "object", "embed", "base"}:
            found.append(f"<{element.name}>")
        for name, value in element.attributes.items():
            if name.startswith("on") or name == "style":
                found.append(f"{element.name} {name}={value}")
            if name in {"href", "src", "action"} and _scheme(value) not in {"", "http", "https"}:
                found.append(f"{element.name} {name}={value}")
        if element.name in {"img", "link", "form"} and not (
            _own(element, "src", "href", "action") or element.attributes.get("rel") == "canonical"
        ):
            found.append(f"{element.name} {element.attributes}")
    return found


def _own(element: Element, *names: str) -> bool:
    addresses = [element.attributes[name] for name in names if name in element.attributes]
    return all(each.startswith("/") and not each.startswith("//") for each in addresses) and bool(
        addresses
    )


def _scheme(address: str) -> str:
    head = address.strip().split("/")[0].split("?")[0].split("#")[0]
    return head.split(":")[0].lower() if ":" in head else ""
