"""The names that frames and records give to functions, and what a path says of its package."""

from __future__ import annotations

import pytest

from errdex.matching.ranking.comparison import names_in
from errdex.matching.ranking.function_names import last_name


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
        ("<lambda>", "<lambda>"),
        ("H$Item.<init>", "<init>"),
        ("main.walk[...]", "walk"),
        ("main.main.func1", "main"),
        ("ex.com/shop.(*Cart).Add.func2.1", "Add"),
        ("testing.tRunner.gowrap1", "tRunner"),
        ("net/http.(*Server).Serve-fm", "Serve"),
        ("rf::shop::Cart<T>::take::{{closure}}", "take"),
        ("rf::shop::Cart<T>::take::{{closure}}::h1a2b3c4d5e6f7a8b", "take"),
        ("std::io::stdio::print_to::<std::io::stdio::Stdout>", "print_to"),
        ("<usize as core::slice::index::SliceIndex<[T]>>::index", "index"),
        ("<&mut F as core::ops::function::FnOnce<A>>::call_once", "call_once"),
        ("(anonymous namespace)::deep(std::vector<int, std::allocator<int> >&, int)", "deep"),
        (
            "std::vector<int, std::allocator<int> > shop::Cart::get<std::string, "
            "std::vector<int, std::allocator<int> > >(std::string const&) const",
            "get",
        ),
        ("shop::Cart::operator<(shop::Cart const&) const", "operator<"),
        ("shop::Box<int>::operator[](int)", "operator[]"),
        ("shop::Cart::add(int)::{lambda(int)#1}::operator()(int) const", "add"),
        ("shop::Cart::add(int)::$_0::operator()(int) const", "add"),
        ("std::function<int (int)>::operator()(int) const", "operator()"),
        ("shop::Cart::~Cart()", "~Cart"),
        ("Shop.Carts.CartService.<TotalAsync>d__4.MoveNext()", "TotalAsync"),
        ("Shop.Carts.<>c__DisplayClass3_0.<Total>b__0(Item i)", "Total"),
        ("Shop.Program.<Main>g__Price|0_1(Item i)", "Price"),
        ("System.Linq.Enumerable.First[TSource](IEnumerable`1 source)", "First"),
        ("H.lambda$main$0", "main"),
        ("com.acme.CartKt$total$1.invokeSuspend", "total"),
        ("block (2 levels) in total", "total"),
        ("rescue in block in Shop::Cart#total", "total"),
        ("Shop::Cart.load", "load"),
        ("App\\Shop\\Cart->price", "price"),
        ("App\\Shop\\Base::make", "make"),
        ("async Object.readFile", "readFile"),
        ("Parser.parse [as handler]", "parse"),
        ("get x [as x]", "x"),
        ("new Foo", "constructor"),
        ("Foo.constructor", "constructor"),
        ("Shop.Cart.get_Total()", "Total"),
        ("#sum", "sum"),
        ("Proxy.my key", "my key"),
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
