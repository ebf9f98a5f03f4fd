"""Code that is written to take a lexer long costs a page a bounded time, whatever the language
that a record names."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from pygments.lexer import RegexLexerMeta
from pygments.lexers import get_all_lexers
from tests.knowledge_base import load, record

from errdex.config import Settings, open_store
from errdex.main import create_app
from errdex.web.pages.rendering import code, lexing

SLOW = ("java", "a" + "\n" * 29_000 + "b")
"""A lexer and code that it takes 45 s for."""


def text_of(lines):
    return "\n".join("".join(text for _, text in line) for line in lines)


@pytest.fixture
def calls(monkeypatch):
    """How often the companion was asked, and what each took of the processor."""
    monkeypatch.setattr(lexing, "SECONDS", 0.4)
    taken = []
    read = lexing._reader.read

    def count(*arguments):
        lines, spent = read(*arguments)
        taken.append(spent)
        return lines, spent

    monkeypatch.setattr(lexing._reader, "read", count)
    return taken


def test_what_takes_too_long_is_plain_and_the_code_of_the_next_page_is_not(calls):
    language, text = SLOW
    with lexing.page_time():
        lines = code.highlight(text, language)
        assert text_of(lines) == text
        assert {kind for line in lines for kind, _ in line} == {""}
        assert code.highlight("int a;", language) == code.plain("int a;"), "of the same page"
    assert len(calls) == 1
    assert sum(calls) < 3 * lexing.SECONDS
    with lexing.page_time():
        assert code.highlight("int a;", language) == [[("t", "int "), ("", "a;")]]


def test_all_code_of_a_page_shares_its_time(calls, tmp_path):
    language, text = SLOW
    pairs = "\n".join(f"# before\n{'a' * n}\n# after\n{'b' * n}" for n in range(1, 30))
    slow = record(
        "slow",
        id="00000000000000aa",
        language=language,
        lineNumber=3,
        sourceCodeStart=1,
        sourceCode=text,
        exampleFix=pairs,
        validationCode=text,
        typeGuard=text,
        tryCatchPattern=text,
    )
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}")
    load(tmp_path, *open_store(settings), [slow])
    with TestClient(create_app(settings)) as client:
        for host in ("one.example", "two.example"):
            page = client.get(f"/errors/{slow['id']}", headers={"Host": host})
            assert page.status_code == 200
    assert sum(calls) < 2 * 3 * lexing.SECONDS, "the excerpt and the template have their own"


def test_a_companion_that_ends_leaves_plain_text_and_is_replaced():
    assert code.highlight("int a;", "java") != code.plain("int a;")
    lexing._reader._companion._process.kill()
    lexing._reader._companion._process.wait()
    assert code.highlight("int a;", "java") != code.plain("int a;")


def test_a_lexer_whose_patterns_take_too_long_to_compile_is_plain_text(monkeypatch):
    """Pygments takes each Exception that is raised there for a broken lexer."""

    def spin(*_):
        while True:
            pass

    monkeypatch.setattr(RegexLexerMeta, "_process_regex", spin)
    assert lexing.lex_there("int a;", ("lilypond",), 0.01) == (None, 0.01)


HOSTILE = (
    "a" + "\n" * 20_000 + "b",
    " " * 1_900 + "\n" + ("\t " * 900 + "\n") * 5,
    ("(" * 1_000 + "\n") * 20,
    ("\\" * 1_000 + '"\n') * 20,
    ("a." * 900 + "\n") * 10 + "!",
    ("<" * 900 + "\n") * 20,
    ("/*" * 900 + "\n") * 10,
)
ALIASES = sorted({aliases[0] for _, aliases, _, _ in get_all_lexers() if aliases})


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_no_lexer_that_a_record_can_name_takes_longer(part, calls, monkeypatch):
    monkeypatch.setattr(lexing, "SECONDS", 0.1)
    for alias in ALIASES[part::8]:
        calls.clear()
        with lexing.page_time():
            for text in HOSTILE:
                assert text_of(code.highlight(text, alias)) == text, alias
        assert sum(calls) < 20 * 0.1, alias
