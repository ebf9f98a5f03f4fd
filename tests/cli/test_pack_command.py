"""`errdex pack`, and what `errdex match --pack` and the library do with its file."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest
from tests.cli.forked import ForkedCommand
from tests.cli.shop import load_shop
from tests.knowledge_base import SHOP, record

import errdex
from errdex.knowledge.packed import PackedKnowledge
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pack.build import build_pack
from errdex.matching.patterns.pack.sections import PackError

pytestmark = pytest.mark.slow

PASTES = [
    'Traceback (most recent call last):\n  File "shop/basket.py", line 12, in checkout\n'
    "ShopError: Basket 4711 is empty\n",
    "ERROR ERR_STOCK_UNKNOWN: no stock for article 7\n",
    "WidgetError: widget 17 of shelf 3 is broken\n",
    "all is well\n",
    'Traceback (most recent call last):\n  File "shop/tills.py", line 4, in pay\n'
    "TillError: the drawer is stuck\n",
]
CAUSE = {
    "tag": "stuck",
    "title": "Something is stuck",
    "text": "A part does not move.",
    "checks": ["Pull it."],
    "classes": ["python/TillError"],
}
WIDGETS = [
    record(
        f"widget {n} of shelf {{shelf}} is broken",
        errorClass="WidgetError",
        sourceCode="raise WidgetError",
        samples=[f"WidgetError: widget {n} of shelf 3 is broken"],
    )
    for n in range(400)
]
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="module")
def run(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("home")
    url = f"sqlite:///{home}/data/errdex.db"
    named = load_shop(forked, home, [*SHOP, *WIDGETS, CAUSE], ERRDEX_DATABASE_URL=url)

    def run(*words: object, paste: str = "", **environment: str):
        return forked.run(words, input=paste.encode(), env=named | environment)

    return run


@pytest.fixture(scope="module")
def pack(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "shop.pack"
    done = run("pack", "-o", path)
    assert done.returncode == 0, done.stderr
    assert b"404 records packed" in done.stderr
    return path


def without_near_misses(answer: bytes) -> object:
    value = json.loads(answer)
    for event in value["events"]:
        event["nearMisses"] = []
        event["outcome"] = event["outcome"].replace("near_miss", "unknown")
    return value


def test_a_pack_answers_as_the_database_does(run: Run, pack: Path) -> None:
    for paste in PASTES:
        by_database = run("match", "--json", paste=paste)
        by_pack = run(
            "match", "--json", "--pack", pack, paste=paste,
            ERRDEX_DATABASE_URL="sqlite:////nowhere/errdex.db",
        )  # fmt: skip
        assert by_pack.stderr == b""
        assert by_pack.returncode == by_database.returncode
        assert without_near_misses(by_pack.stdout) == without_near_misses(by_database.stdout)


def test_the_library_answers_from_a_pack(pack: Path) -> None:
    packed = errdex.open_pack(pack)
    found = [packed.match(paste).found for paste in PASTES]
    assert found == [True, True, True, False, False]
    (event,) = packed.match(PASTES[4]).events
    assert event.first_steps is not None
    assert (event.first_steps.cause_tag, event.first_steps.steps[-1]) == ("stuck", "Pull it.")
    assert packed.version.endswith("Z")
    with pytest.raises(errdex.Trouble):
        errdex.open_pack(__file__)


def test_what_no_answer_shows_is_left_out(pack: Path) -> None:
    (event,) = errdex.open_pack(pack).match(PASTES[2]).events
    stored = PackedKnowledge(pack)._records.find_many([event.matches[0].record.id])
    (body,) = (each.body for each in stored.values())
    assert body["errorMessage"] == "widget 17 of shelf {shelf} is broken"
    assert not {"sourceCode", "samples"} & set(body)


@pytest.mark.parametrize("words", [("--server", "localhost:1"), ("--database", "sqlite:///x.db")])
def test_a_pack_stands_alone(run: Run, pack: Path, words: tuple[str, str]) -> None:
    done = run("match", "--pack", pack, *words, paste=PASTES[0])
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--pack stands alone" in done.stderr


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda data: b"", b"is empty"),
        (lambda data: data[:20], b"too short"),
        (lambda data: data[:-9], b"bytes instead of"),
        (lambda data: b"{}" * 99, b"no pack"),
        (lambda data: data[:8] + b"\x99" + data[9:], b"another format"),
        (lambda data: data[:-99] + b"\x01" + data[-98:], b"checksum is wrong"),
        (lambda data: build_pack([("a", "disk full")]), b"without records"),
    ],
)
def test_a_file_that_is_no_whole_pack_is_one_clear_line(
    run: Run, pack: Path, tmp_path: Path, spoil: Callable[[bytes], bytes], said: bytes
) -> None:
    path = tmp_path / "spoilt.pack"
    path.write_bytes(spoil(pack.read_bytes()))
    done = run("match", "--pack", path, paste=PASTES[0])
    assert (done.returncode, done.stdout) == (3, b"")
    assert said in done.stderr
    assert done.stderr.count(b"\n") <= 3
    assert b"Traceback" not in done.stderr


def test_a_missing_pack_is_named(run: Run, tmp_path: Path) -> None:
    done = run("match", "--pack", tmp_path / "gone.pack", paste=PASTES[0])
    assert done.returncode == 3
    assert b"gone.pack" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_forged_pack_never_does_worse_than_to_be_damaged(pack: Path, tmp_path: Path) -> None:
    """Someone who writes a pack can write its checksum."""
    whole = pack.read_bytes()
    sections = PatternSet.open(pack).sections
    chance = random.Random(5)
    begin = whole.index(sections["records"].tobytes())
    span = len(sections["records"])
    path = tmp_path / "forged.pack"
    damaged = 0
    for number in range(300):
        data = bytearray(whole)
        places = range(begin, begin + span) if number % 2 else range(32, len(data))
        for place in chance.sample(places, 40):
            data[place] = chance.randrange(256)
        data[24:28] = crc32(data[32:], crc32(data[:24])).to_bytes(4, sys.byteorder)
        path.write_bytes(data)
        try:
            PackedKnowledge(path).match("\n".join(PASTES))
        except PackError:
            damaged += 1
    assert damaged > 50
