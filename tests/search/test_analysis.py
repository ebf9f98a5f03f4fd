from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.search.analysis import (
    LONGEST_TERM,
    SIGNED,
    fold,
    inflections,
    list_terms,
    list_tokens,
    sign,
    speak,
    split,
    squash,
    variants,
)


@pytest.mark.parametrize(
    ("text", "parts", "wholes"),
    [
        ("speculative_eagle_topk", "speculative eagle topk", "speculativeeagletopk"),
        ("--enable-replay-spec", "enable replay spec", "enablereplayspec"),
        ("ERR_MODULE_NOT_FOUND", "err module not found", "errmodulenotfound"),
        ("ModuleNotFoundError", "module not found error", "modulenotfounderror"),
        (
            "sqlalchemy.exc.OperationalError",
            "sqlalchemy exc operational error",
            "sqlalchemyexcoperationalerror operationalerror",
        ),
        ("std::bad_alloc", "std bad alloc", "stdbadalloc badalloc"),
        ("HTTPServerError", "http server error", "httpservererror"),
        ("TS2345", "ts2345", ""),
        ("C++", "c++", ""),
        ("C#", "c#", ""),
        ("issue#", "issue", ""),
        ("GPUs", "gpus", ""),
        ("1.2.3", "1 2 3", "1_2_3"),
        ("__init__", "init", ""),
        ("___", "", ""),
        ("内存不足", "内存 存不 不足", ""),
        ("显", "显", ""),
        ("ＥＲＲＯＲ", "error", ""),
        ("Größe", "grosse", ""),
        ("naïveError", "naive error", "naiveerror"),
        ("त्रुटि", "त्रुटि", ""),
    ],
)
def test_a_token_is_taken_apart(text: str, parts: str, wholes: str) -> None:
    (token,) = list_tokens(text)
    assert token.parts == tuple(parts.split())
    assert token.wholes == tuple(wholes.split())


def test_every_way_of_writing_a_name_has_one_whole() -> None:
    written = ["eagle_topk", "--eagle-topk", "EagleTopk", "eagleTopk", "EAGLE_TOPK", "eagletopk"]
    assert {list_tokens(name)[0].squashed for name in written} == {"eagletopk"}


def test_what_only_separates_yields_no_token() -> None:
    assert list_tokens(" .,:;-!?/\\'\"()[]{}<>*&^%$@~`|=\0\ud800 ") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("error", "errors"),
        ("library", "libraries"),
        ("class", "classes"),
        ("index", "indexes"),
        ("c#", "csharp"),
        ("c++", "cpp"),
    ],
)
def test_plural_and_singular_and_two_names_ask_for_each_other(one: str, other: str) -> None:
    assert variants(one) == (one, other)
    assert variants(other) == (other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("conflict", "conflicting"),
        ("conflict", "conflicted"),
        ("resolve", "resolving"),
        ("resolved", "resolve"),
        ("failing", "fail"),
        ("failed", "failing"),
        ("resolving", "resolved"),
    ],
)
def test_forms_of_a_verb_ask_for_others(one: str, other: str) -> None:
    assert other in inflections(one)


@pytest.mark.parametrize("term", ["", "is", "sing", "errors", "e0382", "显存显存显"])
def test_what_is_no_verb_has_no_forms(term: str) -> None:
    assert inflections(term) == ()


@pytest.mark.parametrize("term", ["is", "as", "status", "analysis", "e0382", "c", "显存"])
def test_what_is_no_plural_is_not_cut(term: str) -> None:
    assert all(variant.startswith(term) for variant in variants(term))


@given(st.text())
def test_any_text_is_taken_apart_into_short_folded_terms(text: str) -> None:
    for token in list_tokens(text):
        assert bool(token.parts) == bool(token.squashed)
        for term in token.terms:
            assert 0 < len(term) <= LONGEST_TERM + 2
            assert not term.isspace()


@given(st.text())
def test_folding_is_stable(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(
    st.text(alphabet="aA_-.:+#1é显\u2003 \n", max_size=30)
    | st.text(alphabet="ab_-", max_size=12)
    | st.from_regex(r"-{0,2}[a-z]{1,40}([_-][a-z]{1,40}){1,3}", fullmatch=True)
)
def test_a_text_is_the_same_whole_and_split_at_white_space(text: str) -> None:
    tokens = [token for token in list_tokens(text) if token.parts]
    assert list_terms(text) == {term for token in tokens for term in token.terms}
    pieces = split(text)
    assert speak(pieces) == sign(part for token in tokens for part in token.parts)
    assert squash(pieces) == sign(token.squashed for token in tokens)


def test_words_are_signed_apart() -> None:
    assert len(sign(["a", "b"])) == 2 * SIGNED
    assert sign(["a", "b"]) == sign(["a"]) + sign(["b"])
    assert sign(["a"]) != sign(["b"])
    assert not sign([])
    assert sign(["\ud800"])
