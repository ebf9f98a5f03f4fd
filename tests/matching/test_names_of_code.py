"""The names that frames and records give to functions, and what a path says of its package."""

from __future__ import annotations

import pytest

from app.matching.ranking.comparing import last_name, names_in


@pytest.mark.parametrize(
    ("function", "last"),
    [
        ("attach", "attach"),
        ("Widget.attach", "attach"),
        ("Widget.attach()", "attach"),
        ("net/http.(*conn).serve", "serve"),
        ("net/http.(*conn).serve(0xc000, {0x1, 0x2})", "serve"),
        ("main.(*Stack[...]).Pop(...)", "Pop"),
        ("shop::cart::Cart::add", "add"),
        ("(anonymous namespace)::load(std::string const&)", "load"),
        ("Cart->add()", "add"),
        ("Cart#add", "add"),
        ("save!(record)", "save!"),
        ("<module>", "<module>"),
        ("", ""),
        (None, ""),
    ],
)
def test_the_function_itself_of_a_qualified_name(function: str | None, last: str) -> None:
    assert last_name(function) == last


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/srv/node/node_modules/react/cjs/react.development.js", {"react", "cjs"}),
        ("/opt/redis/lib/python3.11/site-packages/kombu/utils.py", {"kombu", "utils"}),
        (r"C:\python\Lib\site-packages\Django\core.py", {"django", "core"}),
        ("/srv/shop/cart.py", {"srv", "shop", "cart"}),
    ],
)
def test_a_package_is_named_within_where_it_is_installed(path: str, names: set[str]) -> None:
    assert names_in(path) == names
