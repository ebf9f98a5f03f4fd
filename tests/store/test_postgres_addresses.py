"""What a PostgreSQL URL is taken for, and that no part of its password is shown."""

from __future__ import annotations

import pytest

from errdex.store.errors import StoreError
from errdex.store.postgres.address import PostgresAddress


@pytest.mark.parametrize(
    "url",
    [
        "postgresql:user:secret@host/errdex",
        "postgresql:/user:secret@host/errdex",
        "postgresql://user:se@secret@host/errdex",
        "postgresql://user:12/secret@host/errdex",
        "postgresql://user:se/secret@host/errdex",
        "postgresql://user:12#secret@host/errdex",
        "postgres://user:secret@host/errdex",
    ],
)
def test_a_password_is_not_taken_for_a_name(url: str) -> None:
    with pytest.raises(StoreError, match="with characters such as @ and /") as refused:
        PostgresAddress.of(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql:///errdex", "errdex on localhost:5432"),
        ("postgresql+psycopg://a:se%40cret@host:1/b%40c", "b@c on host:1"),
        ("postgresql://host/errdex?user=a@b&password=secret", "errdex on host:5432"),
        ("postgresql:///errdex?host=/run/postgresql", "errdex on /run/postgresql:5432"),
    ],
)
def test_a_database_is_called_by_its_name_and_host(url: str, said: str) -> None:
    assert str(PostgresAddress.of(url)) == f"PostgreSQL database {said}"
