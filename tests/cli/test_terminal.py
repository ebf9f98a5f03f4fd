import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.cli.views.terminal import on_one_line, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – text, 日本語 ✓", "plain – text, 日本語 ✓"),
        ("two\n\tlines", "two\n\tlines"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("over\rwritten", "over\\x0dwritten"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("bidi \u202egnp.exe", "bidi \\u202egnp.exe"),
        ("lone \ud800 surrogate", "lone \\ud800 surrogate"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("nul \x00", "nul \\x00"),
    ],
)
def test_what_could_steer_a_terminal_is_shown_as_its_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_nothing_that_steers_is_left(text: str) -> None:
    assert all(c in "\n\t" or c.isprintable() or c.isspace() for c in printable(text))
    assert on_one_line(text).splitlines() in ([], [on_one_line(text)])
