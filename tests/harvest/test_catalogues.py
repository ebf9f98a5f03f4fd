"""Which files are catalogues of messages, and how harvesting takes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errdex.harvest.catalogues.files import scope_of
from errdex.harvest.extractors import find_language
from errdex.harvest.reading import Tally
from errdex.harvest.run import harvest
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import open_tree


@pytest.mark.parametrize(
    "path",
    [
        "errors.json",
        "api/error-messages.json",
        "api/errorCodes.json",
        "locales/en/errors.json",
        "locales/en/validation_errors.json",
        "i18n/errors.en.json",
        "errors.properties",
        "errors_en_US.properties",
        "is/errors.properties",
        "org/acme/ApplicationErrors.properties",
        "org/acme/exception_messages.properties",
        "ValidationMessages.properties",
    ],
)
def test_a_file_named_after_errors_lists_errors_alone(path: str) -> None:
    assert scope_of(path) == "errors"


@pytest.mark.parametrize(
    "path",
    [
        "messages.json",
        "_locales/en/messages.json",
        "locales/en.json",
        "src/i18n/en-US.json",
        "translations/en_GB/common.json",
        "messages.properties",
        "messages_en.properties",
        "id/messages.properties",
        "org/acme/ServerMessages.properties",
        "org/acme/LocalStrings.properties",
    ],
)
def test_a_file_of_all_messages_lists_errors_among_others(path: str) -> None:
    assert scope_of(path) == "messages"


@pytest.mark.parametrize(
    "path",
    [
        "package.json",
        "tsconfig.json",
        "errors_log.json",
        "error-snapshot-2024.json",
        "validation.json",
        "en.json",
        "data/en.json",
        "locales/de.json",
        "locales/de/errors.json",
        "locales/common.json",
        "locales/pt-BR.json",
        "locales/zh_Hant/errors.json",
        "fr/errors.json",
        "errors.de.json",
        "messages_fr.properties",
        "LocalStrings_zh_CN.properties",
        "gradle.properties",
        "messages.toml",
        ".json",
    ],
)
def test_any_other_file_and_any_other_language_is_left_alone(path: str) -> None:
    language = find_language(path)
    assert language is None


def test_a_catalogue_becomes_records_beside_those_of_source(tmp_path: Path) -> None:
    (tmp_path / "locales").mkdir()
    (tmp_path / "locales" / "de.json").write_text('{"error": "Das ging heute schief"}')
    (tmp_path / "locales" / "en.json").write_text(
        '{\n  "error": {"disk": "No room left on {{ disk }}"}\n}\n'
    )
    (tmp_path / "a.py").write_text('raise ValueError("no such thing")\n')
    (tmp_path / "errors.json").write_text("{broken")
    tally = Tally()
    records = [
        json.loads(line)
        for line in harvest(
            [open_tree(tmp_path, Selection(), repo="acme/shop")],
            Selection(),
            workers=1,
            tally=tally,
        )
    ]
    assert [record["filePath"] for record in records] == ["a.py", "locales/en.json"]
    assert records[1] | {"id": None, "tags": None, "analyzedAt": None} == {
        "id": None,
        "repo": "acme/shop",
        "errorCode": "error.disk",
        "errorMessage": "No room left on {disk}",
        "messagePattern": "No room left on (.+)",
        "severity": "error",
        "filePath": "locales/en.json",
        "lineNumber": 2,
        "sourceCode": '{\n  "error": {"disk": "No room left on {{ disk }}"}\n}',
        "sourceCodeStart": 1,
        "sourceCodeEnd": 3,
        "tags": None,
        "analyzedAt": None,
        "schemaVersion": 2,
        "language": "json",
    }
    assert tally.files == 2
    assert tally.skipped == {"does not parse": 1}
