from __future__ import annotations

import base64
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.knowledge import BadCursor
from app.knowledge import cursors as c
from app.search.protocol import Position
from app.store import FacetValue

READERS = [c.to_record, c.to_position, c.to_value]


@pytest.mark.parametrize("reader", READERS)
@given(text=st.text())
def test_any_text_is_read_or_refused(reader, text: str) -> None:
    with contextlib.suppress(BadCursor):
        assert reader(text)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("inner", ["[]", "{}", '["r"]', '["r",5]', '["v","x","y"]', "[" * 5000])
def test_a_cursor_of_another_list_is_refused(reader, inner: str) -> None:
    with pytest.raises(BadCursor):
        reader(base64.urlsafe_b64encode(inner.encode()).decode())


def test_a_cursor_does_not_serve_another_kind_of_list() -> None:
    with pytest.raises(BadCursor):
        c.to_position(c.of_record("0" * 16))


@given(st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
def test_a_position_survives_the_way_out_and_back(all_words: bool, score: float) -> None:
    position = Position(all_words, score, "0123456789abcdef")
    assert c.to_position(c.of_position(position)) == position


@given(st.text(), st.integers(0, 2**40))
def test_a_value_survives_the_way_out_and_back(value: str, count: int) -> None:
    assert c.to_value(c.of_value(FacetValue(value, count))) == FacetValue(value, count)
