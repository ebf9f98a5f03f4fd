from __future__ import annotations

import base64
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.knowledge import BadCursor
from errdex.knowledge import cursors as c
from errdex.search.protocol import Position
from errdex.store import FacetValue

READERS = [c.to_record, c.to_position, c.to_value]
ASKED = ("basket", None, "acme/shop")


@pytest.mark.parametrize("reader", READERS)
@given(text=st.text())
def test_any_text_is_read_or_refused(reader, text: str) -> None:
    with contextlib.suppress(BadCursor):
        assert reader(text, ASKED)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "parts",
    [
        "[]",
        "{}",
        "null",
        '["r",%s]',
        '["r",%s,5]',
        '["r",%s,"00000000000000ZZ"]',
        '["v",%s,"x","y"]',
        '["v",%s,-1,"y"]',
        '["v",%s,99999999999999999999,"y"]',
        '["p",%s,true,NaN,"y"]',
        '["p",%s,true,Infinity,"y"]',
        '["p",%s,1,1.0,"y"]',
        "[" * 5000,
    ],
)
def test_what_no_list_has_given_out_is_refused(reader, parts: str) -> None:
    text = parts.replace("%s", f'"{c._digest(ASKED)}"')
    with pytest.raises(BadCursor, match="without it"):
        reader(base64.urlsafe_b64encode(text.encode()).decode(), ASKED)


def test_a_cursor_does_not_serve_another_kind_of_list() -> None:
    with pytest.raises(BadCursor):
        c.to_position(c.of_record("0" * 16, ASKED), ASKED)


@pytest.mark.parametrize(
    "other", [("baskets", None, "acme/shop"), ("basket", "acme/shop", None), ()]
)
def test_a_cursor_does_not_serve_another_question(other) -> None:
    cursor = c.of_record("0" * 16, ASKED)
    assert c.to_record(cursor, ASKED) == "0" * 16
    with pytest.raises(BadCursor):
        c.to_record(cursor, other)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_position_survives_the_way_out_and_back(score: float) -> None:
    position = Position(score, "0123456789abcdef")
    assert c.to_position(c.of_position(position, ASKED), ASKED) == position


@given(st.text(), st.integers(0, 2**40), st.text())
def test_a_value_survives_the_way_out_and_back(value: str, count: int, asked: str) -> None:
    cursor = c.of_value(FacetValue(value, count), (asked,))
    assert c.to_value(cursor, (asked,)) == FacetValue(value, count)
