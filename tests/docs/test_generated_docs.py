"""docs/ says what the code says."""

from __future__ import annotations

import pytest
from tests.docs.generated import DOCS, PAGES, docstrings_of_fields

from errdex.config import Settings


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_as_it_would_be_generated(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run make docs"


def test_every_setting_says_what_it_does() -> None:
    about = docstrings_of_fields(Settings)
    silent = [name for name in Settings.model_fields if not about[name]]
    assert silent == ["host", "port"]
