"""Commands of a fix that hold a bare placeholder or a sample's own name."""

from __future__ import annotations

import pytest
from tests.knowledge_base import record

from errdex.ingest.fix_checks import find_fix_warnings
from errdex.records.messages.filling import is_command
from errdex.records.validation import parse_record


def warnings(*solutions, **more):
    values = {"samples": ["release payments has no deployed releases"], **more}
    given = record("release {name} has no deployed releases", solutions=list(solutions), **values)
    return list(find_fix_warnings(parse_record(given)))


@pytest.mark.parametrize(
    ("solution", "wanted"),
    [
        ("Run `helm uninstall NAME`.", "bare placeholder NAME"),
        ("Run `kubectl logs POD --previous`", "bare placeholder POD"),
        ("```sh\nhelm uninstall RELEASE-NAME\n```", "bare placeholder RELEASE-NAME"),
        ("Run `helm uninstall payments`.", "of a sample"),
    ],
)
def test_a_command_that_names_no_hole_is_named(solution, wanted):
    found = warnings(solution)
    assert len(found) == 1
    assert wanted in found[0]


@pytest.mark.parametrize(
    "solution",
    [
        "Run `helm uninstall {{name}}`.",
        "Run `git reset --hard HEAD`.",
        "Run `make CC=gcc all` with $HOME set.",
        "Run `echo $KUBECONFIG`.",
        "NAME is the release.",
        "Uninstall payments first.",
        'Run `psql -c "ALTER USER {{name}}"`.',
        "Run `unset AWS_PROFILE AWS_REGION`.",
        "Run `lsof -nP -sTCP:LISTEN`, `taskkill /PID 7`, `iconv -f UTF-8 in.csv`.",
        "Look at the manifest, META-INF/MANIFEST.MF: `unzip -p app.jar META-INF/MANIFEST.MF`.",
        "For the release payments: `helm uninstall payments`.",
        "Run `payments status`, `ls /srv/payments`, `echo $payments`, `tool -payments`.",
        "Run `helm list # payments or NAME`.",
        "Add the line `admin ALL=(ALL) NOPASSWD: ALL`.",
    ],
)
def test_other_texts_are_left_alone(solution):
    assert not warnings(solution)


def test_only_what_is_to_be_run_of_an_example_counts():
    example = "# before\nhelm upgrade payments NAME\n# after\nhelm upgrade --install {{name}} ."
    assert not warnings("Run it.", exampleFix=example)
    (found,) = warnings("Run it.", exampleFix=f"{example}\nhelm history payments")
    assert "exampleFix" in found
    assert "helm history" in found


def test_a_record_without_holes_is_left_alone():
    given = record("out of memory", solutions=["Run `kill PID`."])
    assert not list(find_fix_warnings(parse_record(given)))


@pytest.mark.parametrize(
    "code", ["pip install x", "sudo apt-get update", "SELECT 1 FROM t", "env | grep -i proxy"]
)
def test_commands_are_known_by_their_form(code):
    assert is_command(code)


@pytest.mark.parametrize(
    "code",
    ["import os", "return x", "i < 3", "x == y", "config.yaml", "let a = 1", "pip", "await f(x)"],
)
def test_statements_and_words_are_no_commands(code):
    assert not is_command(code)
