"""Templates and the dataclasses of their contexts say the same, both ways."""

from __future__ import annotations

from dataclasses import fields

import pytest
from jinja2 import meta, nodes

from errdex.web.pages import contexts
from errdex.web.pages.rendering.templating import TEMPLATES, environment

NAMES = sorted(file.name for file in TEMPLATES.iterdir())


def names_used(template: str) -> set[str]:
    """The variables that a template and those that it refers to are given."""
    assert environment.loader is not None
    tree = environment.parse(environment.loader.get_source(environment, template)[0])
    own = {node.target for node in tree.find_all(nodes.Import)}
    own |= {node.name for node in tree.find_all(nodes.Macro)}
    used = meta.find_undeclared_variables(tree) - set(environment.globals) - own
    for other in meta.find_referenced_templates(tree):
        assert other is not None, f"{template} refers to a template whose name is not written out"
        used |= names_used(other)
    return used


@pytest.mark.parametrize("page", contexts.PAGES, ids=lambda page: page.template)
def test_a_template_uses_each_field_of_its_context_and_nothing_else(page):
    assert names_used(page.template) == {field.name for field in fields(page)}


@pytest.mark.parametrize("page", contexts.PAGES, ids=lambda page: page.template)
def test_each_context_is_documented(page):
    assert page.__doc__
    assert not page.__doc__.startswith(f"{page.__name__}(")


@pytest.mark.parametrize("name", NAMES)
def test_every_template_compiles(name):
    environment.get_template(name)


def test_every_template_is_a_page_or_part_of_one():
    pages = {page.template for page in contexts.PAGES}
    parts = set()
    for name in pages:
        source, _, _ = environment.loader.get_source(environment, name)
        parts |= set(meta.find_referenced_templates(environment.parse(source)))
    for name in set(parts):
        source, _, _ = environment.loader.get_source(environment, name)
        parts |= set(meta.find_referenced_templates(environment.parse(source)))
    assert pages | parts == set(NAMES)


def test_no_context_is_forgotten_in_the_list_of_pages():
    def heirs(kind):
        for heir in kind.__subclasses__():
            yield heir
            yield from heirs(heir)

    assert set(heirs(contexts.PageContext)) == set(contexts.PAGES)
