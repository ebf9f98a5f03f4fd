"""Lines of text: wrapped, hung, code whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.formats.layout import (
    Row,
    Tone,
    code_rows,
    columns_of,
    lay_out,
    prose_rows,
    split_lines,
)


def shown(text: str, width: int = 40, *, indent: int = 2, mark: str = "", marks: bool = True):
    lines = split_lines([(text, Tone.PLAIN)])
    return [str(row) for row in lay_out(prose_rows(indent, mark, lines), width, marks=marks)]


def test_prose_is_wrapped_and_list_items_hang_below_their_mark() -> None:
    assert shown("Install it with the interpreter that runs the program.", 30, mark="1. ") == [
        "  1. Install it with the",
        "     interpreter that runs the",
        "     program.",
    ]
    assert shown("First:\n- an item that is longer than a line\n- another", 30) == [
        "  First:",
        "  - an item that is longer",
        "    than a line",
        "  - another",
    ]


def test_code_is_never_broken() -> None:
    command = "`python -m pip install --upgrade --no-cache-dir requests`"
    assert shown(f"If it is old: {command}, then again.", 40) == [
        "  If it is old:",
        f"  {command},",
        "  then again.",
    ]
    fenced = "Run\n```bash\npython -m pip install --upgrade --no-cache-dir requests\n```"
    assert shown(fenced, 30)[2] == "  python -m pip install --upgrade --no-cache-dir requests"
    code = code_rows(4, split_lines([("a = 1  \n\n    b = 'long line of code that stays whole'",
                                      Tone.PLAIN)]))  # fmt: skip
    assert [str(row) for row in lay_out(code, 20)] == [
        "    a = 1",
        "",
        "        b = 'long line of code that stays whole'",
    ]


def test_where_code_has_a_colour_its_marks_are_left_out() -> None:
    text = "Say `git status`:\n```bash\ngit status\n```"
    assert shown(text, marks=False) == ["  Say git status:", "  git status"]
    rows = list(lay_out(prose_rows(0, "", split_lines([(text, Tone.PLAIN)])), 40, marks=False))
    assert rows[0].parts == (("Say ", Tone.PLAIN), ("git status", Tone.CODE), (":", Tone.PLAIN))


def test_a_value_within_code_keeps_its_tone_and_the_code_stays_whole() -> None:
    line = [
        ("Then run `pip install ", Tone.PLAIN),
        ("a b", Tone.FILLED),
        (" --user` again", Tone.PLAIN),
    ]
    rows = list(lay_out(prose_rows(0, "", [line]), 22))
    assert [str(row) for row in rows] == ["Then run", "`pip install a b --user`", "again"]
    assert ("a b", Tone.FILLED) in rows[1].parts
    assert ("pip install ", Tone.CODE) in rows[1].parts


@pytest.mark.parametrize("text", ["`", "``", "an open ` mark", "```", "``` ` ```", "a ``b` c"])
def test_marks_that_are_no_code_stay(text: str) -> None:
    assert "".join(shown(text, indent=0)) == text


def test_wide_characters_take_two_columns() -> None:
    assert columns_of("日本語") == 6
    assert columns_of("e\u0301") == 1
    assert shown("日本語 日本語 日本語", 22, indent=0) == ["日本語 日本語 日本語"]
    assert shown("日本語 日本語 日本語 日本語", 22, indent=0) == ["日本語 日本語 日本語", "日本語"]


@given(st.text(alphabet="ab `\n-1.", max_size=80), st.integers(1, 60), st.booleans())
def test_nothing_is_lost_but_spaces_and_no_line_ends_in_one(text: str, width: int, marks) -> None:
    lines = shown(text, width, marks=marks)
    assert all(line == line.rstrip() for line in lines)
    if marks:
        assert "".join("".join(lines).split()) == "".join(text.split())
        spans = text.count("`")
        assert spans or all(
            len(each) <= max(width, 22) or " " not in each.strip() for each in lines
        )


@given(st.lists(st.text(alphabet="ab ", max_size=30), max_size=4), st.integers(0, 8))
def test_an_unbroken_row_is_as_it_was(parts: list[str], indent: int) -> None:
    row = Row(indent, tuple((part, Tone.PLAIN) for part in parts), whole=True)
    (out,) = lay_out([row], 10)
    assert str(out) == str(row)
