from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.asking import terms_of

from errdex.search.query import (
    LONGEST_QUERY,
    MOST_CLAUSES,
    FieldIs,
    ParsedQuery,
    Phrase,
    Word,
    WordPrefix,
    parse_query,
)


def test_an_empty_text_lists_and_is_no_mistake() -> None:
    assert parse_query("") == parse_query(" \n\t") == ParsedQuery()


@pytest.mark.parametrize(
    "text", ["****", '""', "\0", "\ud800", "- -- ()", '"!" "?"', "🦀", '"', "“ "]
)
def test_a_text_without_letters_says_so(text: str) -> None:
    query = parse_query(text)
    assert query.empty
    assert query.notes


@pytest.mark.parametrize("text", ["class:", "path:/", "class:*", 'tag:""'])
def test_a_field_without_a_value_is_told(text: str) -> None:
    query = parse_query(text)
    assert not query.required
    assert query.notes or query.wanted


def test_an_unknown_field_is_text_with_a_note() -> None:
    query = parse_query("colour:red")
    assert [clause.text for clause in query.wanted] == ["colour", "red"]
    assert query.notes == ("“colour:” is no field; it was looked for as text.",)


@pytest.mark.parametrize(
    "text", ["std::bad_alloc", "http://example.org", r"C:\temp", "error: no", "app.py:12"]
)
def test_colons_of_ordinary_text_are_no_fields(text: str) -> None:
    query = parse_query(text)
    assert query.wanted
    assert not query.notes


def test_an_open_quotation_mark_is_told() -> None:
    query = parse_query('"whole" "half')
    assert [type(clause) for clause in query.wanted] == [Phrase, Word]
    assert "not closed" in query.notes[0]


def test_a_long_query_is_cut_and_told() -> None:
    assert "first" in parse_query("a" * (LONGEST_QUERY + 1)).notes[0]
    query = parse_query(" ".join(f"word{i}" for i in range(MOST_CLAUSES + 1)))
    assert len(query.wanted) == MOST_CLAUSES
    assert str(MOST_CLAUSES) in query.notes[0]


def test_a_short_prefix_is_a_word_with_a_note() -> None:
    query = parse_query("a*")
    assert [type(clause) for clause in query.wanted] == [Word]
    assert query.notes


@pytest.mark.parametrize(
    ("text", "field", "values", "prefix"),
    [
        ("class:ValueError", "class", ("valueerror",), False),
        ("CLASS:Value*", "class", ("value",), True),
        ("repo:sgl-project/sglang", "repo", ("sgl-project/sglang",), False),
        ('tag:"two words"', "tag", ("two words",), False),
        ("lang:C++", "language", ("c++",), False),
        ("code:E0382,", "code", ("e0382",), False),
        (r"path:srt\server_args.py:7021", "path", ("srt", "server_args.py"), False),
        ("path:/srt/", "path", ("srt",), False),
        ("id:A1F9E0DE342224C6", "id", ("a1f9e0de342224c6",), False),
    ],
)
def test_fields(text: str, field: str, values: tuple[str, ...], prefix: bool) -> None:
    query = parse_query(text)
    assert query.required == (FieldIs(text, field, values, prefix),)
    assert not query.wanted
    assert not query.notes
    assert parse_query(f"-{text}").unwanted == query.required


def test_minus_before_a_word_a_phrase_and_a_path() -> None:
    query = parse_query('cannot -open -"no such file" -src/app.py')
    assert [clause.text for clause in query.wanted] == ["cannot"]
    assert [type(clause) for clause in query.unwanted] == [Word, Phrase, Phrase]


@pytest.mark.parametrize("text", ["exit -9", "--enable-replay", "a - b", "pre-fill"])
def test_a_minus_that_excludes_nothing(text: str) -> None:
    assert not parse_query(text).unwanted


def test_a_prefix_runs_the_parts_together() -> None:
    assert parse_query("--speculative-ea*").wanted == (WordPrefix("", "speculativeea"),)


def test_the_same_word_asked_for_twice_counts_once() -> None:
    assert len(parse_query('Error error ERROR "an error" "an  Error"').wanted) == 2


def test_operators_are_text() -> None:
    words = parse_query("((a AND b) OR NOT c)").wanted
    assert [word.text for word in words] == ["a", "AND", "b", "OR", "NOT", "c"]


@pytest.mark.parametrize(
    "text",
    [
        "dpkg was interrupted, you must manually run 'sudo dpkg --configure -a'",
        "docker run -p 8080:80 port is already allocated",
        "cannot find -lssl",
        "/usr/bin/ld: cannot find -lcrypto",
        "-bash: kubectl: command not found",
        "npm install -g EACCES permission denied",
        "git push -u origin main rejected",
        "tar -xzf archive.tar.gz not in gzip format",
        "cc -Wall main.c undefined reference",
        "gcc -std=c++11 unrecognized option",
        "error: unknown option -verbose (see --help)",
        "java -jar app.jar no main manifest attribute",
        "ls: cannot access -error: No such file",
    ],
)
def test_an_option_of_a_command_is_no_exclusion(text: str) -> None:
    query = parse_query(text)
    assert not query.unwanted
    assert not query.required


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("certificate -nginx", ["nginx"]),
        ("-nginx certificate", ["nginx"]),
        ("certificate -nginx expired", ["nginx"]),
        ("permission denied -npm", ["npm"]),
        ("permission denied -npm -ssh", ["npm", "ssh"]),
        ("error -er* -tag:x", ["er*", "tag:x"]),
        ('port -"a"', ['"a"']),
        ("split() -java", ["java"]),
    ],
)
def test_a_dash_before_a_word_leaves_it_out(text: str, words: list[str]) -> None:
    assert [clause.text.removeprefix("-") for clause in parse_query(text).unwanted] == words


def test_a_printed_line_is_words_alone() -> None:
    query = parse_query('FATAL: no entry for host "10.4.0.9", user "shop", class: x -y tag* z')
    assert {type(clause) for clause in query.wanted} == {Word}
    assert [clause.text for clause in query.wanted if getattr(clause, "quoted", False)] == [
        "10.4.0.9",
        "shop",
    ]


def test_terms_to_highlight() -> None:
    terms = terms_of('errors topK no* "such file" class:X -not')
    assert set(terms) == {"errors", "error", "top", "tops", "k", "topk", "no*", "such", "file"}


anything = st.text() | st.text(alphabet='ab"-*: \\/=classpth.+#\0\ud800显', max_size=40)


@given(anything)
def test_any_text_is_a_query(text: str) -> None:
    query = parse_query(text)
    assert len(query.wanted) + len(query.required) + len(query.unwanted) <= MOST_CLAUSES
    if query.empty:
        assert query.notes


@given(st.binary(max_size=200))
def test_any_bytes_are_a_query(data: bytes) -> None:
    for text in (data.decode("latin-1"), data.decode("utf-8", "surrogateescape")):
        assert isinstance(parse_query(text), ParsedQuery)


@pytest.mark.parametrize("text", ["(" * 50_000, '"' * 99_999, "a" * 100_000, "-:*" * 30_000])
def test_a_huge_query_is_read_all_the_same(text: str) -> None:
    assert parse_query(text).notes


def test_an_id_alone_is_looked_up_and_among_words_is_a_word() -> None:
    assert parse_query(" A1F9E0DE342224C6 ").required == (FieldIs("", "id", ("a1f9e0de342224c6",)),)
    assert not parse_query("at ffffffff81000000 in").required
