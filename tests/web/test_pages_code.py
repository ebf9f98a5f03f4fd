"""Code as HTML: every character is kept, lines stay lines, languages are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.html_page import HtmlPage, harmful

from errdex.records.messages.texts import language_of_snippet
from errdex.web.pages.rendering import code

LANGUAGES = ["python", "javascript", "java", "go", "rust", "bash", "yaml", "json", "hcl", "sql"]
LANGUAGES += ["php", "html", "c", "csharp", "ruby", "typescript", "docker", "no such", "", None]
CODE = st.text(alphabet="ab1 \t\n'\"`#/<>&{}()=:$\\-*", max_size=120)


def text_of(lines):
    return "\n".join("".join(text for _, text in line) for line in lines)


@given(CODE, st.sampled_from(LANGUAGES))
def test_lines_joined_are_the_code_whatever_the_language(text, language):
    assert text_of(code.highlight(text, language)) == text


@given(CODE, st.sampled_from(LANGUAGES), st.integers(-1, 5))
def test_an_excerpt_keeps_every_character_wherever_it_begins(text, language, raising):
    assert text_of(code.highlight_excerpt(text, language, raising)) == text


@pytest.mark.parametrize(
    ("language", "text", "raising", "kinds"),
    [
        ("python", 'of it.\n"""\nif x:\n    raise E("no")', 3, ["c", "c", "k", ""]),
        ("python", "of it.\n'''\nraise E()", 2, ["c", "c", "k"]),
        ("python", 'a = 1\n"""\nraise E()\n"""', 2, ["c", "c", "k", "s"]),
        ("python", 'def f():\n    """Says."""\n    raise E()', 2, ["k", "", ""]),
        ("python", 'raise E(\n    "no"\n)', 1, ["k", "", ""]),
        ("python", 'x("""a\nb""")', 1, ["", "s"]),
        ("python", 'of it.\n"""\nraise E()', -1, ["", "s", "s"]),
        ("java", "that it is.\n */\nint x = 1;", -1, ["c", "c", "t"]),
        ("go", "/* a */\nreturn 1", 1, ["c", "k"]),
        ("python", "a */ b\nraise E()", 1, ["", "k"]),
    ],
)
def test_an_excerpt_that_begins_within_a_comment_is_told_from_code(language, text, raising, kinds):
    lines = code.highlight_excerpt(text, language, raising)
    assert [line[0][0] for line in lines] == kinds


@given(CODE, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
def test_a_marked_line_says_the_same(text, spans):
    line = code.highlight(text.replace("\n", " "), "python")[0]
    page = HtmlPage(str(code.to_html(line, spans)))
    assert page.source_text == text.replace("\n", " ")
    assert {each.name for each in page.elements} <= {"span", "mark"}
    assert not harmful(page)


def test_the_marked_span_is_what_is_marked():
    line = code.highlight("value = call(1)", "python")[0]
    page = HtmlPage(str(code.to_html(line, [(4, 11)])))
    assert "".join("".join(each.words) for each in page.named("mark")) == "e = cal"


def test_kinds_of_code_are_told_apart():
    html = str(code.block("def f():\n    return 'x'  # y", "python"))
    assert '<span class="k">def' in html
    assert '<span class="f">f</span>' in html
    assert "<span class=\"s\">'x'" in html
    assert '<span class="c"># y</span>' in html


@pytest.mark.parametrize("text", ["x" * (code.MAX_LINE + 1), "x\n" * code.MAX_HIGHLIGHTED])
def test_code_over_the_bounds_is_shown_plain(text):
    lines = code.highlight(text, "python")
    assert text_of(lines) == text
    assert {kind for line in lines for kind, _ in line} == {""}


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b/server.py", "python"),
        ("web/App.tsx", "tsx"),
        ("Dockerfile", "docker"),
        ("deep/../x.rs", "rust"),
        ("no-ending", None),
        ("x.unheard-of", None),
        ("", None),
        (None, None),
    ],
)
def test_a_path_tells_the_language(path, language):
    assert code.language_of_path(path) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("pip install requests", "bash"),
        ("# first\n$ ls -l", "bash"),
        ("--enable-x --topk 4", "bash"),
        ("import os\npip = 1", "python"),
        ("pipeline.run()", "python"),
        ("# only a comment", "python"),
    ],
)
def test_commands_are_told_from_code(text, language):
    assert language_of_snippet(text, "python") == language


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("    a\n      b\n\n    c", "a\n  b\n\nc"),
        ("\tif x:\n\t\ty", "if x:\n    y"),
        ("a\n  b", "a\n  b"),
        ("   \n  a", "\na"),
        ("", ""),
    ],
)
def test_shared_indentation_is_taken_off(text, shown):
    assert code.dedent(text) == shown
