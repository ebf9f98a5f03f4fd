"""Messages that stand in a file without being raised there: error classes that bring their
own, and tables of messages."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from errdex import lazy_re as re
from errdex.harvest.languages.python.classes import ClassReader, base_classes, is_error_class
from errdex.harvest.languages.python.documents import comment_above, docstring_of, first_paragraph
from errdex.harvest.languages.python.formats import with_fields
from errdex.harvest.languages.python.messages import MessageReader
from errdex.harvest.languages.python.names import ClassFacts, NameScope
from errdex.harvest.languages.python.sites import SiteMaker
from errdex.harvest.messages.template import fixed_text
from errdex.harvest.model import RaiseSite

_TABLE = re.compile(
    r"(?:default_)?(?:error|err|validation)_?(?:messages|msgs|strings|table|descriptions)$|^errors$|"
    r"^ERRORS$|_ERRORS$|^_?ERROR_\w+S$|_error_messages$",
    re.IGNORECASE,
)
_CONSTANT = re.compile(r"(?:^|_)(?:ERR|ERROR|ERRMSG|INVALID|EXCEPTION)(?:_|$)")
_WORDS = re.compile(r"\w+\s+\w+")


def table_sites(
    tree: ast.Module, reader: MessageReader, classes: ClassReader, maker: SiteMaker
) -> Iterator[RaiseSite]:
    """The sites of a file's error classes and tables, except what its statements raise."""
    raised = {(site.error_class, site.parts) for site in maker.sites}
    said = {site.parts for site in maker.sites}
    for facts in reader.classes.values():
        if is_error_class(facts, reader.classes):
            for site in _class_sites(facts, reader, classes, maker):
                if (site.error_class, site.parts) not in raised:
                    raised.add((site.error_class, site.parts))
                    yield site
    for owner, name, value in _constants(tree, reader):
        for site in _constant_sites(owner, name, value, reader, maker):
            if site.parts not in said:
                said.add(site.parts)
                yield site


def _class_sites(
    facts: ClassFacts, reader: MessageReader, classes: ClassReader, maker: SiteMaker
) -> Iterator[RaiseSite]:
    for template in classes.templates(facts):
        for parts in maker.telling([template.text], facts.node.name):
            yield RaiseSite(
                parts=parts,
                line=template.line,
                end_line=template.end_line,
                kind="table",
                error_class=facts.node.name,
                function=template.function,
                comment=comment_above(maker.lines, facts.node.lineno),
                documentation_source=first_paragraph(docstring_of(facts.node)),
                base_classes=base_classes(facts.node.name, reader.classes),
            )


def _constants(
    tree: ast.Module, reader: MessageReader
) -> Iterator[tuple[ClassFacts | None, str, ast.expr]]:
    for name, bindings in reader.module.bindings.items():
        for binding in bindings:
            if binding.value is not None:
                yield None, name, binding.value
    for facts in reader.classes.values():
        for name, value in facts.attributes.items():
            yield facts, name, value


def _constant_sites(
    owner: ClassFacts | None,
    name: str,
    value: ast.expr,
    reader: MessageReader,
    maker: SiteMaker,
) -> Iterator[RaiseSite]:
    entries: list[ast.expr | None] = []
    if isinstance(value, ast.Dict) and _TABLE.search(name):
        entries = list(value.values)
    elif _is_enum_of_errors(owner) or (name.isupper() and _CONSTANT.search(name)):
        entries = [value.elts[-1] if isinstance(value, ast.Tuple) and value.elts else value]
    for entry in entries:
        if not isinstance(entry, ast.Constant | ast.JoinedStr | ast.BinOp | ast.Call):
            continue
        texts = reader.messages(entry, NameScope(reader.module, owner=owner))
        texts = [with_fields(text) for text in texts if _WORDS.search(fixed_text(text))]
        for parts in maker.telling(texts, None):
            yield RaiseSite(
                parts=parts,
                line=entry.lineno,
                end_line=entry.end_lineno or entry.lineno,
                kind="table",
                function=f"{owner.name}.{name}" if owner else name,
                comment=comment_above(maker.lines, entry.lineno),
            )


def _is_enum_of_errors(owner: ClassFacts | None) -> bool:
    return (
        owner is not None
        and any(base.endswith("Enum") for base in owner.bases)
        and re.search(r"Error|Message|Failure", owner.node.name) is not None
    )
