"""An entry of a function's documentation is on the raise that it describes, and on no other."""

from __future__ import annotations

import pytest

from errdex.harvest.documentation import MAX_RAISES, given_to_their_raises
from errdex.harvest.extractors import find_language, load_extractor
from errdex.harvest.model import Fixed, RaiseSite

Raise = tuple[str | None, str]
"""Condition and message."""


def documented(entries: tuple[str, ...], raises: list[Raise]) -> list[str | None]:
    """The entry that each raise gets."""
    sites = [
        RaiseSite(
            parts=(Fixed(message),), line=line, end_line=line, kind="raise", function="f",
            raised_when=when, documented=entries,
        )
        for line, (when, message) in enumerate(raises, 1)
    ]  # fmt: skip
    (found,) = given_to_their_raises(sites)
    assert not [site for site in found if site.documented]
    return [site.documentation_source for site in found]


NEGATIVE = "if size is negative"
ONE_ENTRY: tuple[tuple[str, list[Raise], str], ...] = (
    ("the only raise needs no names", [(None, "no room left")], "+"),
    ("if size is negative", [("size < 0", "bad"), ("name is None", "bad")], "+-"),
    ("if x or y is negative", [("x < 0", "bad"), ("y < 0", "bad")], "++"),
    ("if key is lost", [("key not in a", "no"), ("key == 1", "no")], "--"),
    ("if key is None", [("key not in a", "no"), ("key is None", "no")], "-+"),
    (
        "if start is behind stop",
        [("start != stop", "bad"), ("not start", "bad"), ("c", "d")],
        "+--",
    ),
    ("if the till has been closed", [("a", "the till is closed"), ("b", "no such coin")], "+-"),
    ("if a coin is lost", [("a", "the coin rolls"), ("b", "no till")], "--"),
    ("if n is too large", [("n > 9", "bad"), ("n < 0", "bad"), ("d", "e")], "+--"),
    ("if n is odd", [("n % 2", "n is odd"), ("n == 0", "n is nothing"), ("d", "e")], "+--"),
    ("if mode is wrong", [("a and mode and b", "bad"), ("a and b", "bad")], "+-"),
    ("if name is empty", [("n and not name", "bad"), ("n and name and m", "bad")], "+-"),
    ("if something is wrong", [("a", "too hot"), ("b", "too cold")], "--"),
    ("if a value is odd", [("a", "too hot"), ("b", "too cold")], "--"),
    ("if self is odd", [("self.x", "too hot"), ("b", "too cold")], "--"),
)
"""An entry, the raises, and which of them get it."""


def test_one_entry_is_on_the_raise_that_it_names() -> None:
    wrong = []
    for entry, raises, expected in ONE_ENTRY:
        found = "".join("-" if each is None else "+" for each in documented((entry,), raises))
        wrong += [(entry, found)] if found != expected else []
    assert not wrong


SEVERAL = (
    (
        "each has its own",
        (NEGATIVE, "if name is empty"),
        [("not name", "no name"), ("size < 0", "too small")],
        ["if name is empty", NEGATIVE],
    ),
    ("two on the only raise", (NEGATIVE, "if it rains"), [("size < 0", "bad size")], [NEGATIVE]),
    ("two, and nothing tells", ("if it snows", "if it rains"), [("size < 0", "bad size")], [None]),
    (
        "two that name the same",
        ("if size is negative", "if size is odd"),
        [("size < 0", "bad size"), ("name", "bad name")],
        [None, None],
    ),
)


def test_of_several_entries_a_raise_has_the_one_that_is_most_like_it() -> None:
    wrong = [
        (name, found)
        for name, entries, raises, expected in SEVERAL
        if (found := documented(entries, raises)) != expected
    ]
    assert not wrong


def test_ways_through_one_raise_are_one_raise() -> None:
    sites = [
        RaiseSite(
            parts=(Fixed(text),),
            line=3,
            end_line=3,
            kind="raise",
            function="f",
            documented=("why",),
        )
        for text in ("one", "two")
    ]
    (found,) = given_to_their_raises(sites)
    assert [site.documentation_source for site in found] == ["why", "why"]


def test_raises_without_a_message_count_too() -> None:
    said = RaiseSite(
        parts=(Fixed("bad"),), line=3, end_line=3, kind="raise", function="f", documented=("why",)
    )
    unsaid = RaiseSite(
        parts=(), line=9, end_line=9, kind="raise", function="f", documented=("why",)
    )
    found, other = given_to_their_raises([said], [unsaid])
    assert [site.documentation_source for site in (*found, *other)] == [None, None]


def test_a_function_of_many_raises_is_not_compared() -> None:
    raises: list[Raise] = [(f"size_{n} < 0", "bad") for n in range(MAX_RAISES + 1)]
    assert documented(("if size_3 is negative",), raises[:-1])[3] is not None
    assert documented(("if size_3 is negative",), raises)[3] is None


SOURCES = {
    "a.py": '''
def f(size, name):
    """Do it.

    Raises:
        ValueError: If size is negative.
        ValueError: If name is empty.
        KeyError: If it is not there.
    """
    if size < 0:
        raise ValueError("that is too small")
    if not name:
        raise ValueError("nothing to look for")
    if size > 9:
        raise ValueError("that is too much")
    raise KeyError("it has gone")
''',
    "a.java": """
class Shop {
  /**
   * Does it.
   * @throws ShopException if size is negative
   * @throws ShopException if {@code name} is empty
   * @throws LostException if it is not there
   */
  void f(int size, String name) {
    if (size < 0) { throw new ShopException("that is too small"); }
    if (name.isEmpty()) { throw new ShopException("nothing to look for"); }
    if (size > 9) { throw new ShopException("that is too much"); }
    throw new LostException("it has gone");
  }
}
""",
    "a.ts": """
/**
 * Does it.
 * @throws {ShopError} if size is negative
 * @throws {ShopError} if name is empty
 * @throws {LostError} if it is not there
 */
function f(size: number, name: string) {
  if (size < 0) throw new ShopError("that is too small");
  if (!name) throw new ShopError("nothing to look for");
  if (size > 9) throw new ShopError("that is too much");
  throw new LostError("it has gone");
}
""",
    "a.php": """<?php
/**
 * Does it.
 * @throws ShopException if size is negative
 * @throws ShopException if name is empty
 * @throws LostException if it is not there
 */
function f($size, $name) {
  if ($size < 0) { throw new ShopException("that is too small"); }
  if (!$name) { throw new ShopException("nothing to look for"); }
  if ($size > 9) { throw new ShopException("that is too much"); }
  throw new LostException("it has gone");
}
""",
    "a.cs": """
class Shop {
  /// <summary>Does it.</summary>
  /// <exception cref="ShopException">If size is negative.</exception>
  /// <exception cref="ShopException">If name is empty.</exception>
  /// <exception cref="LostException">If it is not there.</exception>
  void F(int size, string name) {
    if (size < 0) { throw new ShopException("that is too small"); }
    if (name == "") { throw new ShopException("nothing to look for"); }
    if (size > 9) { throw new ShopException("that is too much"); }
    throw new LostException("it has gone");
  }
}
""",
    "a.kt": """
/**
 * Does it.
 * @throws ShopException if size is negative
 * @throws ShopException if name is empty
 * @throws LostException if it is not there
 */
fun f(size: Int, name: String) {
    if (size < 0) { throw ShopException("that is too small") }
    if (name.isEmpty()) { throw ShopException("nothing to look for") }
    if (size > 9) { throw ShopException("that is too much") }
    throw LostException("it has gone")
}
""",
    "a.rb": """
# Does it.
# @raise [ShopError] if size is negative
# @raise [ShopError] if name is empty
# @raise [LostError] if it is not there
def f(size, name)
  raise ShopError, "that is too small" if size < 0
  raise ShopError, "nothing to look for" if name.empty?
  raise ShopError, "that is too much" if size > 9
  raise LostError, "it has gone"
end
""",
    "a.rs": """
/// Does it.
///
/// # Errors
///
/// Returns [`ShopError`] if size is negative.
/// * an error if name is empty.
///
/// # Panics
///
/// If it is not there.
///
/// # Examples
/// that is too much
pub fn f(size: i32, name: &str) -> Result<(), ShopError> {
    if size < 0 { return Err(ShopError::new("that is too small")); }
    if name.is_empty() { return Err(ShopError::new("nothing to look for")); }
    if size > 9 { return Err(ShopError::new("that is too much")); }
    panic!("it has gone");
}
""",
    "a.cpp": """
/**
 * Does it.
 * @throws shop_error if size is negative
 * \\throw std::out_of_range if name is empty
 */
void f(int size, std::string name) {
  if (size < 0) { throw shop_error("that is too small"); }
  if (name.empty()) { throw std::out_of_range("nothing to look for"); }
  if (size > 9) { throw shop_error("that is too much"); }
  throw std::runtime_error("it has gone");
}
""",
}
EXPECTED = {
    "that is too small": "size is negative",
    "nothing to look for": "name is empty",
    "that is too much": None,
    "it has gone": "it is not there",
}


@pytest.mark.parametrize("path", list(SOURCES))
def test_each_language_gives_entries_to_their_raises(path: str) -> None:
    language = find_language(path)
    assert language is not None
    found = load_extractor(language)(SOURCES[path], path)
    said = {
        "".join(getattr(part, "text", "") for part in site.parts): site.documentation_source
        for site in found.sites
    }
    expected = EXPECTED | ({"it has gone": None} if path == "a.cpp" else {})
    assert set(said) == set(expected)
    wrong = {
        message: said[message]
        for message, words in expected.items()
        if (words is None) != (said[message] is None) or (words or "") not in (said[message] or "")
    }
    assert not wrong
