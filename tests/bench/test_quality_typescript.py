"""The measure of TypeScript's diagnostics, on a compiler's file of three templates."""

from __future__ import annotations

from pathlib import Path

from bench.quality.typescript import load_templates, score_typescript

SOURCE = """
  Cannot_find: diag(2304, 1 /* Error */, "Cannot_find_2304", "Cannot find name '{0}'."),
  Is_declared: diag(6133, 3 /* Message */, "Is_declared_6133", "'{0}' is declared."),
  Duplicate: diag(2300, 1 /* Error */, "Duplicate_2300", "Duplicate identifier '{0}'."),
"""


def test_only_errors_are_read_and_each_form_is_scored(tmp_path: Path) -> None:
    file = tmp_path / "typescript.js"
    file.write_text(SOURCE, encoding="utf-8")
    templates = load_templates(file)
    assert [each.code for each in templates] == ["TS2304", "TS2300"]
    header, *rows = score_typescript(templates)
    assert header.split() == ["typescript", "number", "right", "%"]
    assert len(rows) == 9
    assert all(row.split()[-2:] == ["2", "100.0"] for row in rows)
