"""What a PostgreSQL URL names. Nothing here needs SQLAlchemy or the driver."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from urllib.parse import parse_qsl, unquote, urlsplit

from errdex import lazy_re as re
from errdex.store.errors import StoreError

_SCHEMES = ("postgresql+psycopg", "postgresql")


def is_postgres(url: str) -> bool:
    """Whether a database URL is one of PostgreSQL's, whether or not it can be used."""
    return url.startswith(("postgresql:", "postgresql+", "postgres:"))


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """A database, as messages and folders call it: nothing of it is secret."""

    host: str
    """With its port; several between commas."""
    user: str
    database: str

    @classmethod
    def of(cls, url: str) -> PostgresAddress:
        """Raises StoreError for a URL that cannot be used."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise refused_url() from None
        pairs = parse_qsl(parts.query)
        hosts = [value for name, value in pairs if name == "host"]
        query = {"port": "5432", "user": "", "dbname": "", **dict(pairs)}
        # An @ or / of a password as it is makes a part of it the host's or the database's name.
        unquoted = parts.netloc.count("@") > 1 or "@" in parts.path
        named = parts.scheme in _SCHEMES and url.startswith(f"{parts.scheme}://")
        if not named or unquoted or parts.fragment:
            raise refused_url()
        host = parts.hostname or ",".join(hosts) or "localhost"
        number = port or query["port"]
        return cls(
            host=host if "," in host or ":" in host else f"{host}:{number}",
            user=unquote(parts.username or "") or query["user"],
            database=unquote(parts.path.lstrip("/")) or query["dbname"],
        )

    def __str__(self) -> str:
        return f"PostgreSQL database {self.database or '(of this user)'} on {self.host}"

    @property
    def folder(self) -> str:
        """The name of the folder for the copy on this host."""
        whole = "\0".join((self.host, self.user, self.database)).encode()
        readable = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{self.host}-{self.database}")[:60]
        return f"{readable}-{blake2b(whole, digest_size=5).hexdigest()}"


def refused_url() -> StoreError:
    """The error for a URL that cannot be used; it may have a password, so it is not shown."""
    return StoreError(
        "The database URL does not name a PostgreSQL database: write it like "
        "postgresql+psycopg://USER:PASSWORD@HOST:5432/DATABASE, with characters such as @ and / "
        "in the password as %40 and %2F."
    )
