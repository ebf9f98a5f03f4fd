"""The quick look for control characters misses none that the slow one finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.records.validation import RecordRefused, _find_control_characters, parse_record

_TEXT = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("\x00\b\t\n\x0b\f\r\x1b\x7f\x80\x9f\xa0\u2028\u2029\\u0bf"),
    ),
    min_size=1,
    max_size=20,
)


@given(_TEXT, st.sampled_from(["documentation", "filePath", "tags", "solutions", "samples"]))
def test_the_quick_look_agrees_with_the_slow_one(text, key):
    given_value = [text] if key in {"tags", "solutions", "samples"} else text
    value = {"repo": "owner/name", "errorMessage": "the frobnicator refused", key: given_value}
    slow = list(_find_control_characters(value))
    if slow:
        with pytest.raises(RecordRefused) as refusal:
            parse_record(value)
        assert slow[0] in refusal.value.problems
    elif text.strip():
        parse_record(value)
