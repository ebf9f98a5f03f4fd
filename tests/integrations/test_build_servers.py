"""The recipes for build servers: their scripts run as the server runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store

pytestmark = [pytest.mark.slow, pytest.mark.tools("bash")]
ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
KNOWN = "ShopError: Basket 7 is empty\n"
UNKNOWN = "NapkinError: unheard of\n::set-output name=evil::1\n"
GH = """#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$GH_CALLS"
case $* in
*/jobs\\ --jq*) printf '%s\\n' $GH_JOBS ;;
*/jobs/7/logs) printf 'build\\tStep\\t2026-11-29T10:00:00.000Z ShopError: Basket 7 is empty\\n' ;;
*/jobs/8/logs) echo 'all is well' ;;
pr\\ comment*) exit "${GH_COMMENT-0}" ;;
esac
"""


class Runner:
    """A folder with what a server's runner gives to a script."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.files = {name: folder / name for name in ("OUTPUT", "STEP_SUMMARY", "calls")}
        for file in self.files.values():
            file.touch()
        tools = folder / "bin"
        tools.mkdir()
        (tools / "gh").write_text(GH)
        (tools / "gh").chmod(0o755)
        self.env = {
            "PATH": f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "ERRDEX_DATABASE_URL": f"sqlite:///{home}/errdex.db",
            "LC_ALL": "C.UTF-8",
            "RUNNER_TEMP": str(folder / "temp"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.files["OUTPUT"]),
            "GITHUB_STEP_SUMMARY": str(self.files["STEP_SUMMARY"]),
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_RUN_ID": "3",
            "GH_CALLS": str(self.files["calls"]),
            "GH_JOBS": "7 8",
        }
        (folder / "temp").mkdir()
        (folder / "work").mkdir()

    def run(self, script: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            env={**self.env, **env},
            cwd=self.folder / "work",
            capture_output=True,
            text=True,
            timeout=300,
        )

    def write(self, name: str, text: str) -> str:
        (self.folder / "work" / name).write_text(text)
        return name

    def said(self, name: str) -> str:
        return self.files[name].read_text()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    store, indexes = open_store(Settings(database_url=f"sqlite:///{home}/errdex.db"))
    load(home, store, indexes, SHOP)
    store.close()
    return home


@pytest.fixture
def runner(tmp_path: Path, home: Path) -> Runner:
    return Runner(tmp_path, home)


# GitHub


def step(name: str) -> dict[str, Any]:
    return next(each for each in ACTION["runs"]["steps"] if each.get("id") == name)


def inputs(**given: str) -> dict[str, str]:
    """The environment of the action's step, for these inputs."""
    values = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
    assert not set(given) - {name.replace("-", "_") for name in values}
    values |= {name.replace("_", "-"): value for name, value in given.items()}
    return {
        variable: values.get(found[1], "")
        for variable, text in step("match")["env"].items()
        if (found := re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text))
    }


def match(runner: Runner, **given: str) -> subprocess.CompletedProcess[str]:
    return runner.run(step("match")["run"], **inputs(**given))


def test_no_script_of_the_action_has_an_expression_in_it() -> None:
    for each in ACTION["runs"]["steps"]:
        assert "${{" not in each.get("run", "")


def test_the_logs_of_the_failed_jobs_are_annotated_and_summed_up(runner: Runner) -> None:
    done = match(runner)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("::error title=ShopError%3A Basket 7 is empty::")
    assert done.stdout.count("\n") == 1
    assert runner.said("OUTPUT") == "errors=1\nknown=1\n"
    assert "Add an article before checkout." in runner.said("STEP_SUMMARY")
    assert "pr comment" not in runner.said("calls")


def test_a_run_without_failed_jobs_is_quiet(runner: Runner) -> None:
    done = runner.run(step("match")["run"], **inputs(), GH_JOBS="")
    assert (done.returncode, done.stdout) == (0, "No job of this run has failed yet.\n")


def test_logs_and_a_report_may_be_named(runner: Runner) -> None:
    log = runner.write("-build log.txt", UNKNOWN)
    with zipfile.ZipFile(runner.folder / "work/logs.zip", "w") as file:
        file.writestr("a.log", KNOWN)
    report = runner.write("report.xml", f'<testsuite name="u"><testcase name="a"><failure>{KNOWN}'
                                        "</failure></testcase></testsuite>")  # fmt: skip
    done = match(runner, log=f"{log}\n\nlogs.zip\n", junit=report)
    assert done.returncode == 0, done.stderr
    assert [line.split("::")[1].split()[0] for line in done.stdout.splitlines()] == ["error"] * 3
    assert runner.said("OUTPUT") == "errors=3\nknown=2\n"
    assert "evil" not in runner.said("OUTPUT")


def test_the_step_fails_by_the_errors_that_are_named(runner: Runner) -> None:
    runner.write("a.log", UNKNOWN)
    runner.write("green.log", UNKNOWN)
    assert match(runner, log="a.log", fail_on="known").returncode == 0
    assert match(runner, log="a.log", fail_on="unknown").returncode == 4
    assert match(runner, log="a.log", fail_on="any", baseline="green.log").returncode == 0
    assert match(runner, log="missing.log").returncode == 3


def test_the_summary_becomes_a_comment_where_it_is_wanted(runner: Runner) -> None:
    runner.write("a.log", KNOWN)
    given = inputs(log="a.log", comment="true") | {"INPUT_PULL_REQUEST": "12"}
    assert runner.run(step("match")["run"], **given).returncode == 0
    assert runner.said("calls") == (
        f"pr comment 12 --repo acme/shop --body-file {runner.folder}/temp/errdex.md\n"
    )
    done = runner.run(step("match")["run"], **given, GH_COMMENT="1")
    assert done.returncode == 0
    assert "::warning::Errdex could not comment" in done.stdout


def test_the_key_of_the_cache_follows_from_the_records(runner: Runner) -> None:
    assert runner.run(step("key")["run"]).returncode == 0
    assert re.fullmatch(r"key=[0-9a-f]{16}\n", runner.said("OUTPUT"))


# GitLab, Jenkins


def test_gitlabs_job_writes_a_report_for_the_merge_request(runner: Runner) -> None:
    (job,) = yaml.safe_load((ROOT / "integrations/gitlab/errdex.yml").read_text()).values()
    runner.write("build.log", KNOWN + "\n" + UNKNOWN)
    variables: Mapping[str, str] = job["variables"]
    done = runner.run("\n".join(job["script"]), **variables)
    assert done.returncode == 0, done.stderr
    report = runner.folder / "work" / job["artifacts"]["reports"]["codequality"]
    issues = json.loads(report.read_text())
    assert [each["location"]["path"] for each in issues] == ["build.log"] * 2
    assert "Add an article before checkout." in done.stdout
    runner.write("green.log", KNOWN)
    compared = dict(variables, ERRDEX_BASELINE="green.log")
    runner.run(job["script"][0], **compared)
    (issue,) = json.loads(report.read_text())
    assert issue["check_name"] == "errdex/unknown"


def test_jenkins_shows_a_report_beside_the_tests(runner: Runner) -> None:
    text = (ROOT / "integrations/jenkins/Jenkinsfile").read_text()
    (script,) = (each for each in re.findall(r"sh '''(.*?)'''", text, re.DOTALL) if "junit" in each)
    install = next(line for line in script.splitlines() if "venv" in line)
    runner.write("build.log", KNOWN)
    done = runner.run(script.replace(install, ""))
    assert done.returncode == 0, done.stderr
    report = ElementTree.parse(runner.folder / "work/errdex-report.xml")  # noqa: S314 (our own)
    assert "Add an article before checkout." in report.find(".//failure").text
