"""Formats for build servers and chat: read by their consumers' rules, and only text stays text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema_rs
import pytest
import xmlschema
from junitparser import Failure, JUnitXml
from markdown_it import MarkdownIt
from sarif.loader import load_sarif_file
from tests.formats import schemas
from tests.formats.hostile import EVIL, HOSTILE, SITE, hostile_answer
from tests.formats.test_table import EMPTY, FULL, KNOWN, UNKNOWN

from errdex.formats.layout import Row, Tone, lay_out
from errdex.formats.options import WriteOptions
from errdex.formats.short_texts import LogAnswer
from errdex.formats.table import FORMATS

ANSWERS = {"empty": EMPTY, "full": FULL} | {
    f"hostile {number}": hostile_answer(text) for number, text in enumerate(HOSTILE)
}
LONE_SURROGATES = "hostile 9"
"""Which a log never has once it is decoded, and JSON cannot."""
OPTIONS = WriteOptions(site=SITE, limit=10, log="logs/build.log")
EVENTS = {name: len(answer.events) for name, answer in ANSWERS.items()}


def written(form: str, name: str, options: WriteOptions = OPTIONS) -> str:
    return FORMATS[form].write(ANSWERS[name], options).decode()


def data(form: str, name: str) -> Any:
    return json.loads(written(form, name))


# GitHub's workflow commands


def read_command(line: str) -> tuple[str, dict[str, str], str] | None:
    """A line as the runner reads it: see `ActionCommand.TryParseV2` in actions/runner."""
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, _, rest = line[2:end].partition(" ")
    properties = dict(each.split("=", 1) for each in rest.strip().split(",") if "=" in each)
    escapes = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
    for escape, character in escapes:
        properties = {key: each.replace(escape, character) for key, each in properties.items()}
    text = line[end + 2 :].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
    return name, properties, text


@pytest.mark.parametrize("name", ANSWERS)
def test_the_runner_reads_each_line_as_an_annotation_and_nothing_else(name: str) -> None:
    lines = re.split(r"[\r\n\x85\u2028\u2029]", written("github", name))
    assert lines.pop() == ""
    read = [read_command(line) for line in lines]
    assert len(read) == EVENTS[name]
    for each in read:
        assert each is not None
        command, properties, text = each
        assert command == "error"
        assert set(properties) <= {"file", "line", "title"}
        assert ".." not in properties.get("file", "").split("/")
        assert re.sub(r"[\n\t]", "", text).isprintable()


def test_an_annotation_says_where_what_and_how_to_fix_it() -> None:
    known, unknown = written("github", "full").splitlines()
    assert read_command(known) == (
        "error",
        {"file": "shop.py", "line": "7", "title": "ShopError: Basket \\x1b[31m7 is empty"},
        "Basket {number} is empty (acme/shop)\nA basket without articles.\n"
        f"Fix: Add an article.\n{SITE}/errors/{'0' * 16}/x",
    )
    assert read_command(unknown)[2] == "No matching record yet."
    warning = replace(FULL, events=[replace(KNOWN, severity="warning")], reading_order=[0])
    assert FORMATS["github"].write(warning, OPTIONS).startswith(b"::warning file=shop.py,line=7,")


# Build servers' commands in answers that are printed in a build's log

COMMAND = re.compile(r"##[A-Za-z]{0,20}\[|^\s*::", re.MULTILINE)
INJECTED = (
    "::set-output name=a::b",
    "x\n::add-path::/tmp",
    "##[set-env name=A;]b",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[setParameter name='a' value='b']",
    "a #### [x] ::",
    "word " * 30 + "::stop-commands::" + "x" * 60,
)


@pytest.mark.parametrize("text", INJECTED)
@pytest.mark.parametrize("form", [form for form in FORMATS.values() if form.name != "github"])
def test_no_line_of_an_answer_is_a_command(form, text: str) -> None:
    answer = hostile_answer(text)
    for options in (OPTIONS, replace(OPTIONS, indent=True, labels={"file": text}, streamed=True)):
        assert not COMMAND.search(form.write(answer, options).decode())
    if form.content_type == "application/json":
        assert text.splitlines()[-1] in json.dumps(json.loads(form.write(answer, OPTIONS)))
    if form.write_all:
        logs = [LogAnswer(text, answer), LogAnswer(text, answer)]
        assert not COMMAND.search(form.write_all(logs, OPTIONS).decode())


def test_a_command_of_several_parts_of_a_line_is_none() -> None:
    parts = (("#", Tone.PLAIN), ("#[set-env name=A;]b", Tone.FILLED))
    rows = [Row(2, parts), Row(0, ((":", Tone.PLAIN), (":debug::x", Tone.CODE))), Row(4, parts[:1])]
    lines = [str(row) for row in lay_out(rows)]
    assert not COMMAND.search("\n".join(lines))
    assert [line.replace("\u2060", "") for line in lines] == [str(row) for row in rows]


# SARIF


@pytest.mark.parametrize("name", ANSWERS)
def test_sarif_is_valid_and_has_every_error(name: str) -> None:
    document = data("sarif", name)
    jsonschema_rs.Draft4Validator(schemas.SARIF).validate(document)
    (run,) = document["runs"]
    assert len(run["results"]) == EVENTS[name]
    for result in run["results"]:
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        (place,) = result["locations"]
        uri = place["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[\w./~%-]+", uri)
        assert not uri.startswith("/")
        assert "](" not in result["message"]["text"]


@pytest.mark.parametrize("name", ANSWERS)
def test_tools_for_sarif_list_every_error(tmp_path: Path, name: str) -> None:
    file = tmp_path / "errors.sarif"
    file.write_text(written("sarif", name))
    assert len(load_sarif_file(str(file)).get_records()) == EVENTS[name]


def test_tools_for_sarif_show_what_and_where(tmp_path: Path) -> None:
    (tmp_path / "errors.sarif").write_text(written("sarif", "full"))
    known, _ = load_sarif_file(str(tmp_path / "errors.sarif")).get_records()
    assert (known["Tool"], known["Severity"], known["Code"]) == ("Errdex", "error", "0" * 16)
    assert (known["Location"], known["Line"]) == ("shop.py", 7)
    assert "Fix: Add an article." in known["Description"]


def test_sarif_knows_an_error_again_by_its_fingerprint() -> None:
    (run,) = data("sarif", "full")["runs"]
    assert run["results"][0]["partialFingerprints"] == {"errdex/v1": "0"}
    assert run["tool"]["driver"]["rules"][0]["helpUri"] == f"{SITE}/errors/{'0' * 16}/x"


def test_a_broken_document_is_noticed() -> None:
    document = data("sarif", "full")
    document["runs"][0]["results"][0].pop("message")
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.Draft4Validator(schemas.SARIF).validate(document)


# reviewdog, GitLab


@pytest.mark.parametrize("name", ANSWERS)
def test_reviewdog_has_a_place_and_markdown_without_links_for_every_error(name: str) -> None:
    document = data("rdjson", name)
    assert len(document["diagnostics"]) == EVENTS[name]
    for each in document["diagnostics"]:
        assert each["location"]["path"]
        assert each["severity"] in ("ERROR", "WARNING")
        check_markdown(each["message"])
    assert document["source"]["url"] == SITE


@pytest.mark.parametrize("name", ANSWERS)
def test_gitlab_has_what_it_requires_of_every_issue(name: str) -> None:
    issues = data("gitlab", name)
    assert len({each["fingerprint"] for each in issues}) == len(issues) == EVENTS[name]
    for each in issues:
        assert set(each) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert each["severity"] in ("info", "minor", "major", "critical", "blocker")
        path = each["location"]["path"]
        assert path
        assert not path.startswith(("/", "./"))
        assert ".." not in path.split("/")
        assert each["location"]["lines"]["begin"] >= 1
        assert "\n" not in each["description"].split(" — ")[0]


# JUnit


@pytest.mark.parametrize("name", ANSWERS)
def test_junit_is_valid(name: str) -> None:
    schemas.JUNIT.validate(written("junit", name))


def test_a_report_that_is_no_junit_is_noticed() -> None:
    wrong = written("junit", "full").replace("<testcase name=", "<testcase title=", 1)
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        schemas.JUNIT.validate(wrong)


@pytest.mark.parametrize("name", ANSWERS)
def test_junit_is_read_and_has_a_failing_case_for_every_error(name: str) -> None:
    report = JUnitXml.fromstring(written("junit", name).encode())
    suites = list(report)
    assert [suite.name for suite in suites] == ["logs/build.log"]
    cases = [case for suite in suites for case in suite]
    assert len(cases) == suites[0].failures == suites[0].tests == EVENTS[name]
    for case in cases:
        assert case.name
        (failure,) = case.result
        assert isinstance(failure, Failure)
        assert "record" in failure.text or "errors/" in failure.text


# Slack

_ALLOWED = {"header", "plain_text", "rich_text", "rich_text_section", "rich_text_preformatted"}
_ALLOWED |= {"rich_text_list", "text", "link"}


def _elements(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(each for part in value.values() for each in _elements(part))]
    return [each for part in value for each in _elements(part)] if isinstance(value, list) else []


@pytest.mark.parametrize("name", ANSWERS)
def test_slack_gets_text_and_links_to_records_only(name: str) -> None:
    message = data("slack", name)
    elements = [each for each in _elements(message["blocks"]) if "type" in each]
    assert {each["type"] for each in elements} <= _ALLOWED
    links = [each["url"] for each in elements if each["type"] == "link"]
    assert all(link.startswith(f"{SITE}/errors/") for link in links)
    assert len(message["blocks"]) <= 50
    assert len(message["blocks"][0]["text"]["text"]) <= 150
    assert re.fullmatch(r"[\w ,]+", message["text"])
    assert all(each["text"] for each in elements if each["type"] == "text")


def test_slack_hides_what_is_private() -> None:
    known = replace(KNOWN, message="password=hunter2 at db7.internal.corp:5432")
    answer = replace(FULL, events=[known, UNKNOWN])
    message = FORMATS["slack"].write(answer, OPTIONS).decode()
    assert "hunter2" not in message
    assert "db7" not in message


# Markdown


def check_markdown(text: str) -> None:
    """Rendered as GitHub renders it, the text has no links but to records, no images, elements of
    HTML or mentions."""
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    outside = re.sub(r"<(code|pre)[ >].*?</\1>", "", html, flags=re.DOTALL)
    assert all(each.startswith(SITE) for each in re.findall(r'href="([^"]*)"', outside)), outside
    assert not re.search(r"<(?!/?(?:p|h3|h4|strong|em|a|code|pre|ol|ul|li|br|hr)\b)", outside)
    assert not re.search(r"[@#](?=\w)", outside.replace("&#", ""))
    assert EVIL not in outside.replace(f"{EVIL}|", "")
    assert "www.evil" not in outside


@pytest.mark.parametrize("name", ANSWERS)
def test_markdown_makes_no_link_mention_or_element(name: str) -> None:
    text = written("markdown", name)
    check_markdown(text)
    assert text.startswith("### ")


def test_markdown_without_a_server_names_the_command() -> None:
    text = written("markdown", "full", WriteOptions())
    assert f"`errdex show {'0' * 16}`" in text
    assert "](" not in text


# All of them


def test_several_logs_are_one_document() -> None:
    logs = [LogAnswer("a.log", FULL), LogAnswer("b.log", EMPTY), LogAnswer("c.log", FULL)]
    for form in FORMATS.values():
        if form.write_all:
            text = form.write_all(logs, OPTIONS).decode()
            assert text.count("Basket 7 was lost") >= 2, form.name
            if form.content_type == "application/json":
                json.loads(text)
    suites = ElementTree.fromstring(FORMATS["junit"].write_all(logs, OPTIONS))  # noqa: S314 (our own)
    assert [(each.get("name"), each.get("tests")) for each in suites] == [
        ("a.log", "2"),
        ("b.log", "0"),
        ("c.log", "2"),
    ]


@pytest.mark.parametrize("name", [name for name in ANSWERS if name != LONE_SURROGATES])
def test_ndjson_has_a_line_for_every_error(name: str) -> None:
    lines = written("ndjson", name).splitlines()
    assert [json.loads(line)["index"] for line in lines] == list(ANSWERS[name].reading_order)


def test_lines_that_only_report_a_failure_are_left_out_beside_errors() -> None:
    symptom = replace(UNKNOWN, role="symptom", message="exit code 1")
    answer = replace(FULL, events=[KNOWN, symptom])
    assert b"exit code 1" not in FORMATS["github"].write(answer, OPTIONS)
    alone = replace(FULL, events=[symptom], reading_order=[0])
    assert b"exit code 1" in FORMATS["github"].write(alone, OPTIONS)
