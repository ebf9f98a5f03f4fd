from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.asking import terms_of

from errdex.search.highlight import highlight
from errdex.search.query import parse_query


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("No module named 'x'", "modules", ["module"]),
        ("ModuleNotFoundError: no", "modulenotfounderror", ["ModuleNotFoundError"]),
        ("ModuleNotFoundError: no", "found", ["Found"]),
        ("ModuleNotFoundError: no", "module found", ["Module", "Found"]),
        ("ModuleNotFoundError: no", "not found", ["NotFound"]),
        ("set speculative_eagle_topk=4", "eagle topk", ["eagle", "topk"]),
        ("set speculative_eagle_topk=4", "--speculative-eagle-topk", ["speculative_eagle_topk"]),
        ("set speculative_eagle_topk=4", "speculativeea*", ["speculative_eagle_topk"]),
        ("a sqlalchemy.exc.OperationalError", "OperationalError", ["OperationalError"]),
        ("std::bad_alloc", "bad_alloc", ["bad_alloc"]),
        ("use C++ or C", "C++", ["C++"]),
        ("显存不足：无法", "不足", ["不足"]),
        ("Größe", "groesse", []),
        ("Größe", "grosse", ["Größe"]),
        ("nothing here", "other", []),
        ("nothing here", "***", []),
        ("___ -- !", "x", []),
    ],
)
def test_what_is_marked(text: str, query: str, marked: list[str]) -> None:
    spans = highlight(text, terms_of(query))
    joined = [text[start:end] for start, end in spans]
    assert joined == marked


@given(st.text(), st.text())
def test_spans_are_in_order_inside_the_text_and_apart(text: str, query: str) -> None:
    end = 0
    for start, after in highlight(text, terms_of(query)):
        assert end <= start < after <= len(text)
        end = after


@given(st.text(alphabet="aB_-.1é显İß ", min_size=1))
def test_a_text_asked_for_is_marked_in_itself(text: str) -> None:
    query = parse_query(text)
    if query.wanted and not query.notes:
        assert highlight(text, terms_of(text))
