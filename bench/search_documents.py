"""Made-up records and queries for the search benchmark: the same for the same seed.

Words are drawn by rank (the n-th most frequent about 1/n as often as the first),
as in real text; a tenth are identifiers, put together from the same words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

from errdex.search.protocol import IndexDocument

_COMMON = """the to is a of error not in for and must be failed with value on invalid from an or
file when cannot this that was it expected type has no found are by unable set as at missing
required name version module config key option use does exist than only connection request server
object path field unknown argument before after one supported support string node default parameter
index index should unexpected empty already token data size number return load read write open
close user check timeout memory device model cache client host port service api input output list
range index column table query schema database lock thread process worker queue batch shape tensor
dimension layer attention backend kernel gpu cuda driver runtime compiler package import export
install build dependency environment variable directory permission denied access authentication
certificate credential session cookie header body response status code redirect proxy socket stream
buffer frame packet protocol handshake encoding decode encode parse parser syntax line character
position offset length limit exceeded maximum minimum allowed during startup shutdown
signal exit killed container image volume mount network interface address resolve lookup cluster
replica leader election partition shard commit rollback transaction constraint unique foreign
migration update insert delete select join filter sort page cursor record document attribute
method function class instance constructor callback promise async await event loop future cancel
retry backoff pool exhausted available register plugin extension hook handler middleware route
template render component state reducer store action dispatch context provider scope closure symbol
pointer reference null undefined allocation heap stack overflow segment alignment bounds checksum
mismatch corrupted signature verify hash key-pair cipher decrypt encrypt compression archive extract
upload download transfer sync snapshot restore backup schedule cron job task pipeline stage step
workflow trigger branch merge conflict tag release artifact registry manifest layout widget window
"""
_SYLLABLES = "ra to mi ka len dor vex pa shi qu or ten bla sto ne fil gam ur ix del co pre ap"
_CLASSES = """ValueError TypeError RuntimeError KeyError OSError ConnectionError TimeoutError
ModuleNotFoundError ImportError AttributeError NotImplementedError AssertionError PermissionError
FileNotFoundError java.lang.IllegalStateException java.lang.NullPointerException
java.lang.IllegalArgumentException java.sql.SQLException sqlalchemy.exc.OperationalError
sqlalchemy.exc.IntegrityError torch.cuda.OutOfMemoryError Error RangeError SyntaxError
System.InvalidOperationException System.ArgumentNullException pydantic.ValidationError
requests.exceptions.ConnectTimeout grpc.RpcError"""
_TYPES = "validation runtime configuration network io import syntax memory permission timeout"
_LANGUAGES = "python javascript typescript java go rust csharp ruby php cpp"
_WEIGHTS: dict[int, list[float]] = {}


def _ranked(pick: random.Random, values: list[str], count: int) -> list[str]:
    """`count` of the values, the n-th about 1/n as often as the first."""
    weights = _WEIGHTS.get(len(values))
    if weights is None:
        weights = list(accumulate(1 / (n + 3) for n in range(len(values))))
        _WEIGHTS[len(values)] = weights
    return pick.choices(values, cum_weights=weights, k=count)


def _make_words(pick: random.Random) -> list[str]:
    common = list(dict.fromkeys(_COMMON.split()))
    syllables = _SYLLABLES.split()
    rare = {"".join(pick.choices(syllables, k=pick.randint(2, 4))) for _ in range(12_000)}
    return common + sorted(rare - set(common))


def _make_name(pick: random.Random, words: list[str]) -> str:
    parts = _ranked(pick, words, pick.randint(2, 4))
    style = pick.random()
    if style < 0.5:
        return "_".join(parts)
    if style < 0.7:
        return "--" + "-".join(parts)
    return "".join(part.capitalize() for part in parts)


class Corpus:
    """The vocabulary that documents and queries share."""

    def __init__(self, seed: int = 7) -> None:
        self.pick = random.Random(seed)
        self.words = _make_words(self.pick)
        self.names = [_make_name(self.pick, self.words) for _ in range(30_000)]
        self.repos = [
            f"{self.pick.choice(self.words)}/{self.pick.choice(self.words)}" for _ in range(400)
        ]
        self.classes = _CLASSES.split() + [name for name in self.names if name[0].isupper()][:1500]
        self.tags = [
            "-".join(_ranked(self.pick, self.words, self.pick.randint(1, 2))) for _ in range(3000)
        ]

    def text(self, length: int) -> str:
        """Running text of about so many characters."""
        words = _ranked(self.pick, self.words, length // 5)
        for _ in range(max(len(words) // 12, 1)):
            words[self.pick.randrange(len(words))] = _ranked(self.pick, self.names, 1)[0]
        return " ".join(words)[:length]

    def document(self, number: int) -> IndexDocument:
        """The record of that number."""
        pick = self.pick
        message = self.text(pick.randint(60, 200))
        if pick.random() < 0.4:
            message += f": {{{pick.choice(self.names).strip('-')}}} {pick.randint(0, 9999)}"
        folder = "/".join(_ranked(pick, self.words, 3))
        return IndexDocument(
            record_id=f"{(number * 0x9E3779B97F4A7C15) % 2**64:016x}",
            message=message,
            repo=_ranked(pick, self.repos, 1)[0],
            slug="-".join(message.lower().split()[:8]),
            error_class=_ranked(pick, self.classes, 1)[0],
            error_type=pick.choice(_TYPES.split()),
            error_code=f"E{pick.randint(1, 4000):04}" if pick.random() < 0.2 else "",
            severity=pick.choice(["error", "error", "error", "warning", "fatal"]),
            language=_ranked(pick, _LANGUAGES.split(), 1)[0],
            background_tag=pick.choice(self.tags[:60]) if pick.random() < 0.5 else "",
            file_path=f"{folder}/{pick.choice(self.names).strip('-').lower()}.py",
            function=pick.choice(self.names).strip("-"),
            tags=tuple(dict.fromkeys(_ranked(pick, self.tags, pick.randint(1, 5)))),
            explanation=self.text(pick.randint(350, 600)),
            solutions=self.text(pick.randint(250, 400)),
        )

    def documents(self, count: int) -> Iterator[IndexDocument]:
        """So many records, in order."""
        return map(self.document, range(count))
