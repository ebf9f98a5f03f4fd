"""The sentence that stands where nobody explained a harvested record."""

from __future__ import annotations

import pytest

from errdex.records.messages.derived_explanation import derive_explanation, source_explanation


def said(when: str, language: str = "python", **more: str | None) -> str | None:
    named = {"function": "f", "error_class": "ShopError", "source": None, **more}
    return derive_explanation(raised_when=when, language=language, **named)


WORDS = (
    ("python", "x is None", "`x` is `None`"),
    ("python", "x is not None", "`x` is not `None`"),
    ("python", "not name", "`name` is empty or false"),
    ("python", "not self.is_open()", "`self.is_open()` is false"),
    ("python", "len(items) > self.most", "`len(items)` is greater than `self.most`"),
    ("python", "kind not in KINDS", "`kind` is not in `KINDS`"),
    ("python", "isinstance(x, str)", "`x` is a `str`"),
    ("python", "not isinstance(x, (int, float))", "`x` is not one of `(int, float)`"),
    ("python", "not (a < b)", "`a` is at least `b`"),
    ("python", "a or b", "`a or b` holds"),
    ("python", "not (a or b)", "`a or b` does not hold"),
    ("javascript", "typeof x !== 'string'", "`x` is not of type `string`"),
    ("javascript", "!(x instanceof Shop)", "`x` is not a `Shop`"),
    ("javascript", "x === undefined", "`x` is `undefined`"),
    ("java", "!open", "`open` is false"),
    ("go", "err != nil", "`err` is not `nil`"),
    ("c", "!sshc->sftp_handle", "`sshc->sftp_handle` is zero or null"),
    ("c", "p->left >= p->size", "`p->left` is at least `p->size`"),
    ("c", "unlikely(n < 0)", "`n` is less than `0`"),
    ("rust", "matches!(self, Kind::Rain)", "`self` is `Kind::Rain`"),
    ("rust", "!(n <= 9)", "`n` is greater than `9`"),
    ("python", "isinstance(level, int)", "`level` is an `int`"),
    ("python", "not x or y", "`not x or y` holds"),
    ("python", "not a in b", "`a` is not in `b`"),
    ("python", "a not in (1, 2) or b not in (1, 2)", "`a not in (1, 2) or b not in (1, 2)` holds"),
    ("javascript", "!config || !config.uri", "`!config || !config.uri` holds"),
    ("go", "key, ok := k.([]byte); !ok", "`ok` is false after `key, ok := k.([]byte)`"),
    ("csharp", "r.Next() && !r.Next()", "`r.Next()` is false"),
    ("python", "except sa_exc.Broken as e", "`sa_exc.Broken` is caught"),
    ("python", "except (OSError, ValueError)", "`(OSError, ValueError)` is caught"),
    ("java", "catch (IOException | ShopException e)", "`IOException | ShopException` is caught"),
    ("kotlin", "catch (e: IOException)", "`IOException` is caught"),
    ("cpp", "catch (const std::exception &e)", "`std::exception` is caught"),
    ("cpp", "catch (...)", "an error is caught"),
    ("php", r"catch (\Acme\Broken $e)", r"`\Acme\Broken` is caught"),
    ("ruby", "rescue LoadError => e", "`LoadError` is caught"),
    ("ruby", "rescue => e", "an error is caught"),
    ("javascript", "catch (cause)", "an error is caught"),
)


def test_a_condition_is_put_into_words() -> None:
    wrong = [
        (when, said(when, language))
        for language, when, words in WORDS
        if said(when, language) != f"Raised by `f` when {words}."
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("when", "language", "sentence"),
    [
        ("a and b is None", "python", "Raised by `f` when `a` is set and `b` is `None`."),
        ("!a && b == 1 && c", "go",
         "Raised by `f` when `b` is `1` and `c` is true, after other checks."),
        ('x == " and " and y', "python", None),
        ("f(a and b) > 1", "python", "Raised by `f` when `f(a and b)` is greater than `1`."),
    ],
)  # fmt: skip
def test_conditions_that_must_all_hold_are_joined(when, language, sentence) -> None:
    told = said(when, language)
    assert told == sentence if sentence else "`y` is set" in str(told)


def test_what_is_too_long_to_read_is_left_to_the_source() -> None:
    assert said(f"{'a' * 200} > 1") == "Raised by `f`."


def test_an_error_without_a_class_is_reported() -> None:
    assert said("x", "go", error_class=None) == "Reported by `f` when `x` is true."


def test_nothing_known_gives_no_sentence() -> None:
    assert said("", function=None) is None
    assert source_explanation({"errorMessage": "no stall"}) is None


def test_a_record_that_is_explained_has_no_such_sentence() -> None:
    assert source_explanation({"function": "f", "documentation": "The shop is closed."}) is None
    assert source_explanation({"function": "f"}) == "Reported by `f`."


SECOND = "`price` is the second parameter of `sell`."


@pytest.mark.parametrize(
    ("source", "function", "sentence"),
    [
        ("def sell(self, box, price=1):\n", "Shop.sell", SECOND),
        ("int sell(struct box *box, int price)\n", "sell", SECOND),
        ("func sell(price int) error {", "sell", None),
        ("def buy(price):\n", "sell", None),
    ],
)  # fmt: skip
def test_a_parameter_is_named_as_one(source, function, sentence) -> None:
    told = said("price < 0", function=function, source=source)
    assert told == f"Raised by `{function}` when `price` is less than `0`." + (
        f" {sentence}" if sentence else ""
    )


@pytest.mark.parametrize("when", ["(" * 50_000, "not " * 20_000, "a->" * 20_000, "x && " * 10_000,
                                  "`" * 100, "a" + "(b" * 9_000])  # fmt: skip
def test_hostile_conditions_take_no_time_and_no_depth(when) -> None:
    assert said(when, "c") is not None
