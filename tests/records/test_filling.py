"""What a paste said, written into the texts of a record."""

from __future__ import annotations

import ast
import json
import re
import shlex
import sqlite3
import subprocess

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from errdex.records.messages.filling import fill_code, fill_prose, joined, placeholders
from errdex.records.messages.quoting import (
    CodePlace,
    ValueRefused,
    check_value,
    plain_values,
    quote_value,
)

NAMES = ["module", "user", "path"]


def filled(text: str, **values: str) -> str:
    return joined(fill_prose(text, NAMES, values))


def test_prose_and_commands_hold_what_the_paste_said() -> None:
    text = "{{module}} is missing: `pip install {{module}}`, then\n```sh\ncd {{path}}\n```"
    assert filled(text, module="requests", path="/srv/my app") == (
        "requests is missing: `pip install requests`, then\n```sh\ncd '/srv/my app'\n```"
    )


def test_only_the_holes_of_the_record_are_filled() -> None:
    text = "`helm get values {{ .Release.Name }}` and {{ matrix.python }}, {{nothing}}"
    assert filled(text, nothing="x") == text
    assert placeholders("{{user}} {{ user }} {{other}}", NAMES) == ["user", "user"]


def test_what_the_paste_does_not_say_stays_a_named_blank() -> None:
    (before, blank) = fill_prose("install {{module}}", NAMES, {})
    assert (blank.text, blank.hole, blank.filled, blank.refused) == (
        "module",
        "module",
        False,
        None,
    )
    assert joined([before, blank]) == "install ‹module›"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("-rf", "dash"),
        ("a/../../etc", ".. part"),
        ("a\\..\\b", ".. part"),
        ("x" * 201, "longer than 200"),
        ("a\nb", "control character"),
        ("a\x1b[31m", "control character"),
        ("a\u202eb", "control character"),
        ("a\u200bb", "control character"),
        ("", "empty"),
    ],
)
def test_a_value_that_no_command_should_hold_is_refused_with_the_reason(
    value: str, reason: str
) -> None:
    segments = fill_prose("`pip install {{module}}`", NAMES, {"module": value})
    (blank,) = [each for each in segments if each.hole]
    assert (blank.filled, blank.text) == (False, "module")
    assert blank.refused is not None
    assert reason in blank.refused


def test_prose_shows_values_that_only_a_command_refuses() -> None:
    assert filled("The file {{path}} is missing", path="../-x") == "The file ../-x is missing"


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        ("`ALTER USER {{user}} WITH PASSWORD 'x'`", "reports", "ALTER USER reports"),
        ("`ALTER USER {{user}} WITH LOGIN`", 'a"b; DROP', 'ALTER USER "a""b; DROP"'),
        ("`SELECT 1 WHERE n = '{{user}}'`", "O'Brien", "n = 'O''Brien'"),
        ('`psql -c "DROP ROLE {{user}}"`', "a b", 'ROLE a b"'),
        ('`psql -c "DROP ROLE {{user}}"`', "a; --", "ROLE ‹user›"),
        ("`echo $(cat {{user}})`", "$(reboot)", "cat '$(reboot)')"),
        ('`echo "{{user}}"`', "$(reboot)`x`", r'echo "\$(reboot)\`x\`"'),
        ("`sh -c '{{user}}'`", "it's", r"'it'\''s'"),
        ("```powershell\nRemove-Item {{user}}\n```", "a;b", "Remove-Item 'a;b'"),
        ("```yaml\nname: {{user}}\n```", "yes", 'name: "yes"'),
        ("```yaml\nname: {{user}}\n```", "a: b #c", 'name: "a: b #c"'),
        ("```python\nimport {{user}}\n```", "a.b", "import a.b"),
        ("```python\nimport {{user}}\n```", "a; b", "import ‹user›"),
        ('```python\nopen("{{user}}")\n```', 'a"b', r'open("a\"b")'),
        ("```ini\nkey = {{user}}\n```", "a b", "key = ‹user›"),
    ],
)
def test_each_language_quotes_by_its_own_rules(text: str, value: str, wanted: str) -> None:
    assert wanted in joined(fill_prose(text, NAMES, {"user": value}))


def _safe(value: str) -> bool:
    try:
        check_value(value, command=True)
    except ValueRefused:
        return False
    return True


values = st.text(min_size=1, max_size=40).filter(_safe)


@given(values)
def test_a_shell_reads_the_value_as_one_word(value: str) -> None:
    assert shlex.split(quote_value(value, CodePlace("sh"))) == [value]
    single = quote_value(value, CodePlace("sh", "'", whole=True))
    assert shlex.split(f"'{single}'") == [value]


@pytest.mark.parametrize("value", ["$(id)", "`id`", "a;b", "a&&b", "$HOME", "~", "*", "a'b\"c\\"])
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_real_shell_prints_the_value(value: str, quote: str) -> None:
    written = quote_value(value, CodePlace("sh", quote, whole=True))
    ran = subprocess.run(
        ["sh", "-c", f"printf %s {quote}{written}{quote}"], capture_output=True, text=True
    )
    assert ran.stdout == value


@given(values.filter(lambda value: "\\" not in value))
def test_a_database_reads_the_value(value: str) -> None:
    written = quote_value(value, CodePlace("sql", "'", whole=True))
    database = sqlite3.connect(":memory:")
    assert database.execute(f"SELECT '{written}'").fetchone() == (value,)
    name = quote_value(value, CodePlace("sql"))
    if name.startswith('"'):
        cursor = database.execute(f"SELECT 1 AS {name}")
        assert cursor.description[0][0] == value
    database.close()


@given(values)
def test_data_formats_read_the_value_as_a_text(value: str) -> None:
    written = quote_value(value, CodePlace("yaml"))
    read = yaml.safe_load(f"key: {written}")["key"]
    assert str(read) == value or float(read) == float(value)
    inside = quote_value(value, CodePlace("json", '"', whole=True))
    assert json.loads(f'"{inside}"') == value


@given(values)
def test_a_program_reads_the_value_as_one_text(value: str) -> None:
    try:
        written = quote_value(value, CodePlace("python", '"', whole=True))
    except ValueRefused:
        return
    assert ast.literal_eval(f'"{written}"') == value


PLACES = [
    CodePlace(language, quote, whole)
    for language in ("sh", "powershell", "sql", "mysql", "yaml", "json", "ini", "python", "js", "")
    for quote in ("", "'", '"', "`")
    for whole in (True, False)
]


@given(values, st.sampled_from(PLACES))
@example("yes", CodePlace("yaml"))
@example("1.5", CodePlace("json"))
@example("=ls", CodePlace("sh"))
@example("“x”", CodePlace("powershell", '"', whole=True))
def test_a_value_that_needs_no_escaping_is_written_as_the_place_says(
    value: str, place: CodePlace
) -> None:
    takes = plain_values(place)
    if re.fullmatch(takes.plain, value):
        assert quote_value(value, place) == value
    elif takes.quote and re.fullmatch(takes.quotable, value):
        assert quote_value(value, place) == takes.quote + value + takes.quote


@pytest.mark.parametrize("value", ["=ls", ",x", "a b"])
def test_a_word_that_a_shell_may_expand_is_quoted(value: str) -> None:
    assert quote_value(value, CodePlace("sh")) == f"'{value}'"


def test_holes_may_wait_for_their_values() -> None:
    segments = fill_prose("Install {{module}}: `pip install {{module}}`", NAMES, None)
    prose, code = (each for each in segments if each.hole)
    assert prose.takes is None
    assert code.takes == plain_values(CodePlace("sh"))
    assert joined(segments) == "Install ‹module›: `pip install ‹module›`"


def test_code_without_a_fence_is_filled_by_its_language() -> None:
    segments = fill_code("pip install {{module}}\n", "sh", NAMES, {"module": "a b"})
    assert joined(segments) == "pip install 'a b'\n"


def test_work_grows_with_the_text() -> None:
    text = "`" * 3001 + " {{user}} " + "``x" * 30_000 + "```sh\n" * 3_000
    assert "anna" in joined(fill_prose(text, NAMES, {"user": "anna"}))
