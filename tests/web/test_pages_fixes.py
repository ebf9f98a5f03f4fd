"""Example fixes: a difference when both sides are there, else the code as it stands."""

from __future__ import annotations

import pytest
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage

from errdex.web.pages.rendering.fixes import MAX_LINES, changed_words, read_fix


def text_of(html):
    return HtmlPage(str(html)).source_text


def shown(example, language="python"):
    fix = read_fix(example, language)
    return [[(line.element, text_of(line.html)) for line in diff.lines] for diff in fix.diffs]


def test_a_before_and_its_after_become_a_difference():
    example = "# before\nimport a\nx = 1\n# after\nimport b\nx = 1"
    assert shown(example) == [[("del", "import a"), ("ins", "import b"), ("span", "x = 1")]]


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        ("# before", "# after", ""),
        ("// Before:", "// After:", ""),
        ("-- before", "-- after", ""),
        ("/* before */", "/* after */", ""),
        ("<!-- bad -->", "<!-- good -->", ""),
        ("before", "after", ""),
        ("# before (prefill server)", "# after (prefill server)", "prefill server"),
        ("// before: a.js", "// after: b.js", "a.js → b.js"),
        ("# before", "# after: saved as x.py", "saved as x.py"),
    ],
)
def test_sides_are_marked_in_many_ways(before, after, note):
    (diff,) = read_fix(f"{before}\nold\n{after}\nnew", None).diffs
    assert [line.element for line in diff.lines] == ["del", "ins"]
    assert diff.note == note


@pytest.mark.parametrize(
    "example",
    [
        "just code",
        "# before\nold",
        "# after\nnew\n# before\nold",
        "# before\n# after\nnew",
        "code first\n# before\nold\n# after\nnew",
        "# before we start, read this\nold\n# after that\nnew",
        "# before\n" + "x\n" * MAX_LINES + "# after\ny",
        "",
    ],
)
def test_what_is_no_pair_is_shown_as_it_stands(example):
    fix = read_fix(example, "python")
    assert fix.diffs == ()
    assert text_of(fix.html) == example.strip("\n")


def test_several_pairs_are_several_differences():
    assert shown("# before\na\n# after\nb\n# before\nc\n# after\nd") == [
        [("del", "a"), ("ins", "b")],
        [("del", "c"), ("ins", "d")],
    ]


def test_the_words_that_differ_are_marked():
    (diff,) = read_fix("# before\nrun --topk 4 --fast\n# after\nrun --topk 1 --fast", None).diffs
    marked = ["".join(each.words) for line in diff.lines for each in marks(line.html)]
    assert marked == ["4", "1"]


def marks(html):
    return HtmlPage(str(html)).named("mark")


def test_lines_that_have_little_in_common_are_not_marked():
    assert changed_words("import os", "return 42 + x") == ([], [])


def test_markup_in_an_example_is_text():
    (diff,) = read_fix("# before\n<script>\n# after\n<b>&amp;", "html").diffs
    assert [text_of(line.html) for line in diff.lines] == ["<script>", "<b>&amp;"]


def test_a_record_without_a_fix_says_so_and_where_to_look(serve_records):
    bare = record("Bare", id="00000000000000a1", documentation="Why.")
    source = bare | {"errorMessage": "Sourced", "id": "00000000000000a2", "sourceCode": "raise E"}
    fixed = bare | {"errorMessage": "Mended {n}", "id": "00000000000000a3", "solutions": ["Mend."]}
    client = serve_records([bare, source, fixed])

    def said(number):
        return HtmlPage(client.get(f"/errors/00000000000000a{number}").text).text

    assert "No fix documented yet." in said(1)
    assert "yet; the source below shows when it is raised." in said(2)
    assert "No fix" not in said(3)
    pasted = client.post("/match", files={"paste": (None, "ShopError: Sourced\nx\n")}).text
    assert "No fix documented yet." in HtmlPage(pasted).text
    pasted = client.post("/match", files={"paste": (None, "ShopError: Mended 1\nx\n")}).text
    assert "No fix" not in HtmlPage(pasted).text
