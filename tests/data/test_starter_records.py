"""Every record under `data/` is complete, and its pattern says what it claims."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from tests.data.starter_records import compiled, load_starter_records
from tests.data.write_ids import with_ids
from tests.loops import for_each

from errdex.matching.patterns.generality import check_generality
from errdex.records.messages.holes import hole_names
from errdex.records.model import Record
from errdex.records.validation import parse_record


def records() -> Iterator[tuple[str, Record]]:
    """Each record, named by its topic and slug."""
    for topic, record in load_starter_records():
        yield f"{topic}-{record.slug}", record


HOSTS_FILE = Path(__file__).with_name("reference_hosts.txt")
HOSTS = set(HOSTS_FILE.read_text(encoding="utf-8").splitlines()[1:])
FRONT_PAGES = {"git-lfs.com", "pre-commit.com", "uvicorn.dev"}
"""Where the front page is the documentation."""

ERROR_TYPES = {
    "authentication", "build", "compatibility", "concurrency", "configuration", "data",
    "dependency", "encoding", "import", "lookup", "memory", "name", "network", "permission",
    "resource", "runtime", "state", "syntax", "timeout", "type", "validation",
}  # fmt: skip
LANGUAGES = {
    "c", "cmake", "cpp", "csharp", "elixir", "go", "hcl", "java", "javascript", "json", "kotlin",
    "lua", "perl", "php", "python", "r", "redis", "ruby", "rust", "shell", "sql", "swift",
    "typescript", "yaml",
}  # fmt: skip
"""Each under one name, the one that harvested records have, since searches are narrowed by it."""
STRATEGIES = {"environment", "fallback", "fix-code", "retry", "try-catch", "validation"}

DANGEROUS = re.compile(
    r"rm -rf|chmod (?:-R )?777|--force(?![-\w])|--hard\b|verify=False|--no-verify|sslVerify false"
    r"|--allow-insecure|--break-system-packages|NODE_TLS_REJECT_UNAUTHORIZED|system prune"
    r"|--legacy-peer-deps|StrictHostKeyChecking[= ]no|--disable-host-key-checking"
    r"|--accept-data-loss|DROP (?:TABLE|DATABASE)|delete the volume",
    re.IGNORECASE,
)
CAUTION = re.compile(
    r"careful|only if|only when|last resort|beware|danger|loses|lost|never|not for|cannot be undone"
    r"|deletes|throws away|discards|overwrites|switches off|backup|instead of|anyone"
    r"|without (?:it|checking)",
    re.IGNORECASE,
)


@for_each(records)
def test_the_record_is_complete(record: Record) -> None:
    for name in (
        "error_type", "severity", "documentation", "trigger_scenarios", "common_situations",
        "solutions", "tags", "background_tag", "samples", "references",
    ):  # fmt: skip
        assert getattr(record, name), f"{name} is missing"
    assert record.error_type in ERROR_TYPES
    assert record.handling_strategy in STRATEGIES | {None}
    assert record.language in LANGUAGES | {None}
    assert re.search("[A-Za-z]", record.error_class or "None")
    assert record.given_id, "run python -m tests.data.write_ids"
    assert 2 <= len(record.solutions or []) <= 5
    assert len(record.samples or []) >= 2
    assert len(set(record.samples or [])) == len(record.samples or [])
    sentences = re.findall(r'[.!?][")`]?(?=\s|$)', record.documentation or "")
    assert 2 <= len(sentences) <= 4, record.documentation


def example_fixes() -> Iterator[tuple[str, str]]:
    for name, record in records():
        if record.example_fix is not None:
            yield name, record.example_fix


@for_each(example_fixes)
def test_the_example_shows_before_and_after(example: str) -> None:
    marks = [m.group(1) for m in re.finditer(r"^(?:#|//|--) (before|after)\b", example, re.M)]
    assert marks == ["before", "after"]


@for_each(records)
def test_samples_match_and_counter_samples_do_not(record: Record) -> None:
    pattern = compiled(record.pattern)
    for sample in record.samples or []:
        assert pattern.search(sample), f"{record.pattern} misses {sample!r}"
    for sample in record.counter_samples or []:
        assert not pattern.search(sample), f"{record.pattern} takes {sample!r}"


@for_each(records)
def test_the_pattern_is_not_too_general(record: Record) -> None:
    check_generality(compiled(record.pattern), record.error_class)


@for_each(records)
def test_each_hole_has_its_group(record: Record) -> None:
    """The names of the holes caption what the groups captured, in the same order."""
    holes = hole_names(record.error_message)
    assert len(holes) == len(compiled(record.pattern).group_names), holes


def dangerous_solutions() -> Iterator[tuple[str, tuple[int, str]]]:
    """Each solution with a dangerous command, and its place among those of its record."""
    for name, record in records():
        for number, solution in enumerate(record.solutions or []):
            if DANGEROUS.search(solution):
                yield name, (number, solution)


@for_each(dangerous_solutions)
def test_dangerous_commands_are_named_as_such(found: tuple[int, str]) -> None:
    number, solution = found
    assert CAUTION.search(solution), f"no word of caution: {solution}"
    assert number > 0, f"the safer way comes first: {solution}"


@for_each(records)
def test_references_are_official_documentation(record: Record) -> None:
    references = record.references or []
    assert len(set(references)) == len(references)
    for url in references:
        parts = urlsplit(url)
        assert parts.scheme == "https"
        assert parts.netloc in HOSTS, f"{url}: add its host to {HOSTS_FILE.name}, if it is official"
        assert not parts.query
        assert parts.path not in ("", "/") or parts.netloc in FRONT_PAGES, url


def test_no_host_is_listed_in_vain() -> None:
    used = {
        urlsplit(url).netloc
        for _, record in load_starter_records()
        for url in record.references or []
    }
    assert used == HOSTS


_TOP_FOLDER = re.compile(r"(?<![\w.:/~)\]-])/([a-z][\w.-]*)/")
TOP_FOLDERS = frozenset(
    """
    api apps bin builds data etc home lib login mnt proc run rustc simple subscriptions tmp usr
    v1 var
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""What the paths in samples begin with: the usual folders, and parts of addresses. The checkout
of whoever pinned a sample lies elsewhere."""


@for_each(records)
def test_nothing_of_this_machine_is_pinned(record: Record) -> None:
    for sample in record.samples or []:
        assert not re.search(r"/(?:root/|tmp/(?:errdex|tmp|pytest-))", sample), sample
        assert set(_TOP_FOLDER.findall(sample)) <= TOP_FOLDERS, sample


def test_the_first_tags_of_a_topic_are_few() -> None:
    """They name what the topic is about: `/about/data` counts by them."""
    first: dict[str, set[str]] = {}
    for topic, record in load_starter_records():
        first.setdefault(topic, set()).add((record.tags or [""])[0])
    assert {topic: tags for topic, tags in first.items() if len(tags) > 3} == {}


def test_ids_differ() -> None:
    counts = Counter(record.id for _, record in load_starter_records())
    assert [one for one, count in counts.items() if count > 1] == []


def test_an_id_is_written_where_it_lacks_and_stays_when_the_pattern_is_edited() -> None:
    entry = "- repo: acme/shop\n  errorMessage: {}\n"
    text = "# Baskets\n\n" + entry.format("a") + "\n" + entry.format("b")
    first, second = "0" * 16, "1" * 16
    written = with_ids(text, [first, second])
    assert yaml.safe_load(written) == [
        {"repo": "acme/shop", "id": first, "errorMessage": "a"},
        {"repo": "acme/shop", "id": second, "errorMessage": "b"},
    ]
    assert with_ids(written, [None, None]) == written
    assert [line for line in written.splitlines() if "id:" not in line] == text.splitlines()
    with pytest.raises(ValueError, match="each record must begin"):
        with_ids(text, [None])
    edited = parse_record({**yaml.safe_load(written)[0], "messagePattern": "a+"})
    assert edited.id == edited.body()["id"] == first
