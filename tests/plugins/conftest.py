from __future__ import annotations

from pathlib import Path

import pytest
from tests.knowledge_base import load, record

from errdex.config import Settings, open_store

BASKET = record(
    "Basket {basket_id} is empty",
    documentation="Checkout was asked for a basket that holds no articles.",
    solutions=["Add an article to basket `{{basket_id}}` before checkout.", "Or remove it."],
)
HOSTILE = record(
    "Cart {cart} is cursed",
    errorClass="CurseError",
    title="Cursed\u202e title",
    solutions=["::set-output name=x::y\n::error::z\n<script>alert(1)</script>"],
)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a database with these records."""
    folder: Path = tmp_path_factory.mktemp("known")
    url = f"sqlite:///{folder / 'errdex.db'}"
    load(folder, *open_store(Settings(database_url=url)), [BASKET, HOSTILE])
    return url
