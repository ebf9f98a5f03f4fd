"""A record's prose as HTML: nothing is lost, nothing gets in, and forms are recognised."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.html_page import HtmlPage, harmful

from errdex.web.pages.rendering import prose

PIECES = st.sampled_from(
    [
        *("<b>", "&amp;", "`", "``", "\n", "\n\n", "- ", "1. ", "7) ", "```\n", "--flag", "a_b"),
        *("f()", "https://a.example/x?y=1", "javascript:x", " ", "word", "KeyError", "'", '"'),
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=25).map("".join))


@pytest.mark.slow
@given(TEXTS)
def test_whatever_the_text_the_html_is_closed_harmless_and_made_of_known_elements(text):
    for html in (prose.to_html(text), prose.to_inline(text), prose.to_item(text)):
        page = HtmlPage(str(html))
        assert not harmful(page)
        assert {each.name for each in page.elements} <= {"p", "ul", "ol", "li", "pre", "code", "a"}


@given(st.text(alphabet="ab<>&\"'/= \n", max_size=80))
def test_no_word_is_lost(text):
    assert HtmlPage(str(prose.to_html(text))).text.split() == text.split()


@given(st.text(alphabet="abC.-<&\"' \n(=", max_size=80))
def test_keeping_words_whole_changes_no_text(text):
    page = HtmlPage(str(prose.whole_words(text)))
    assert {each.name for each in page.elements} <= {"span", "wbr"}
    assert page.source_text == text


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("one\n\ntwo", "<p>one</p>\n<p>two</p>"),
        ("say:\n- a\n- b", "<p>say:</p>\n<ul><li>a</li><li>b</li></ul>"),
        ("1. a\n2. b\n   on", "<ol><li>a</li><li>b\non</li></ol>"),
        ("3. c", '<ol start="3"><li>c</li></ol>'),
        ("run `pip install x` now", "<p>run <code>pip install x</code> now</p>"),
        ("``a ` b``", "<p>``a ` b``</p>"),
        ("pass --a-flag=1", '<p>pass <code class="w">--a-flag</code>=1</p>'),
        ("call os.getcwd() or a_b", None),
        ("a KeyError", '<p>a <code class="w">KeyError</code></p>'),
        ("well--known and e.g. this", "<p>well--known and e.g. this</p>"),
        ("see https://a.example/b.", None),
        ("https://user:pw@a.example/", "<p>https://user:pw@a.example/</p>"),
        ("```sh\n<x>\n```", '<pre class="fenced" tabindex="0">&lt;x&gt;</pre>'),
        ("", ""),
    ],
)
def test_forms_are_recognised(text, html):
    shown = str(prose.to_html(text))
    if html is not None:
        assert shown == html
    elif "https" in text:
        assert (
            '<a href="https://a.example/b" rel="nofollow noopener">https://a.example/b</a>.'
            in shown
        )
    else:
        assert '<code class="w">os.getcwd()</code>' in shown
        assert '<code class="w">a_b</code>' in shown


def test_a_text_over_the_bound_keeps_its_paragraphs_and_no_other_form():
    text = "`x` <y>\n\n" + "word " * prose.MAX_PROSE
    page = HtmlPage(str(prose.to_html(text)))
    assert [each.name for each in page.elements] == ["p", "p"]
    assert page.text.startswith("`x` <y>")


@pytest.mark.parametrize(
    ("text", "most", "start"),
    [
        ("Short.", 50, "Short."),
        ("First sentence here. Second one that is longer.", 30, "First sentence here."),
        ("No end in sight of this very long sentence", 20, "No end in sight of…"),
        ("x" * 100, 20, "x" * 19 + "…"),
        ("  much \n  space ", 50, "much space"),
    ],
)
def test_the_first_sentence_is_cut_where_one_may_stop(text, most, start):
    assert prose.first_sentence(text, most) == start
    assert len(prose.first_sentence(text, most)) <= most + 1


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("a.b.Error", "a.<wbr>b.<wbr>Error"),
        ("std::io::Error", "std::<wbr>io::<wbr>Error"),
        ("owner/a_name", "owner/<wbr>a_<wbr>name"),
        ("__init__.py", "__<wbr>init__.<wbr>py"),
        ("<b>.", "&lt;b&gt;."),
        ("ModuleNotFoundError", "Module<wbr>Not<wbr>Found<wbr>Error"),
        ("IOError", "IOError"),
        ("", ""),
    ],
)
def test_a_name_is_broken_behind_its_marks(name, html):
    assert prose.breakable(name) == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a short.Name <b>", "a short.Name &lt;b&gt;"),
        ("of java.lang.ClassNotFoundException: x", None),
        ("at " + "a.b" * 15, "at " + "a.<wbr>b" * 15),
        ("pass --a-long-flag=x on", 'pass <span class="w">--a-long-flag=x</span> on'),
    ],
)
def test_only_long_words_of_a_message_are_broken_between_their_parts(text, html):
    word = "java.<wbr>lang.<wbr>Class<wbr>Not<wbr>Found<wbr>Exception:"
    assert prose.whole_words(text) == (html or f'of <span class="w">{word}</span> x')


class CountedPattern:
    """A compiled pattern that counts the characters which it is given."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.characters = 0

    def fullmatch(self, text: str) -> re.Match[str] | None:
        self.characters += len(text)
        return self._pattern.fullmatch(text)


@pytest.mark.parametrize("line", ["```x\n", "```\n", "``` \n\n", "````\n", "`\n```x`\n"])
def test_fences_are_looked_for_once_however_many_there_are(monkeypatch, line):
    counted = [CountedPattern(prose._OPENING), CountedPattern(prose._CLOSING)]
    monkeypatch.setattr(prose, "_OPENING", counted[0])
    monkeypatch.setattr(prose, "_CLOSING", counted[1])
    text = line * (19_000 // len(line))
    prose.to_html(text)
    assert all(each.characters <= len(text) for each in counted)
