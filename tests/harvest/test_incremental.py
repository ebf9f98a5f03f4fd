"""A harvest that knows what an earlier one found gives the bytes of one that reads everything."""

from __future__ import annotations

import random
import re
import shutil
import struct
import zlib
from collections.abc import Callable
from contextlib import closing
from itertools import cycle
from pathlib import Path

import pytest
from tests.harvest.harvest_cases import cases_of

from errdex.harvest import reading, state
from errdex.harvest.extractors import load_extractor
from errdex.harvest.reading import TOO_SLOW, Tally
from errdex.harvest.records import GITHUB, Origin
from errdex.harvest.run import harvest
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import SourceFile, Tree, open_tree
from errdex.harvest.state import DAMAGED, OTHER_VERSION, HarvestState
from errdex.workers.cpu_limit import CpuTimeOver

pytestmark = pytest.mark.slow

REPORTER = """
void give_up(const char *text) { fprintf(stderr, "fatal: %s\\n", text); exit(1); }
"""
CALLER = 'void use(void) { give_up("no more of them are left"); }\n'
OTHER = 'void other(void) { fprintf(stderr, "error: the shelf is empty"); exit(1); }\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files of all languages whose words come from other files."""
    root = tmp_path / "tree"
    for number, (_, case) in enumerate(cases_of("trees")):
        for name, text in case["files"].items():
            file = root / f"case{number}" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    (root / "errors.py").write_text("class LimitError(Exception):\n    def __init__(self, limit):\n"
        "        super().__init__(f'no more than {limit} are allowed')\n")  # fmt: skip
    (root / "use.py").write_text("from errors import LimitError\nraise LimitError(3)\n")
    (root / "broken.py").write_text("def (")
    (root / "odd.js").write_text('throw new Error("half of a pair: \\ud800 is here");\n')
    return root


@pytest.fixture
def small(tmp_path: Path) -> Path:
    root = tmp_path / "small"
    root.mkdir()
    files = {"report.c": REPORTER, "use.c": CALLER, "other.c": OTHER}
    for name, text in files.items():
        (root / name).write_text(text)
    return root


@pytest.fixture
def read_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that are read, in this process."""
    paths: list[str] = []

    def loaded(language):
        extractor = load_extractor(language)

        def extract(source: str, path: str, **known):
            paths.append(path)
            return extractor(source, path, **known)

        return extract

    monkeypatch.setattr(reading, "load_extractor", loaded)
    return paths


def harvested(
    root: Path | Tree, kept: Path | None = None, tally: Tally | None = None
) -> tuple[bytes, str]:
    """The lines, and what is said of the state."""
    tree = open_tree(root, Selection(), repo="acme/shop") if isinstance(root, Path) else root
    if kept is None:
        return b"".join(harvest([tree], Selection(), workers=1, tally=tally)), ""
    with closing(HarvestState(kept)) as known:
        lines = harvest([tree], Selection(), workers=1, tally=tally, state=known)
        text = b"".join(lines)
        known.save()
        return text, known.note


def edit_a_line(file: Path, chance: random.Random) -> None:
    lines = file.read_text().split("\n")
    lines.insert(chance.randrange(len(lines) + 1), "")
    file.write_text("\n".join(lines))


def edit_words(file: Path, chance: random.Random) -> None:
    text = file.read_text()
    old, new = chance.choice(
        [("exit", "leave"), ("error", "word"), ("throw", "give"), ("the", "a")]
    )
    file.write_text(text.replace(old, new) if old in text else text.replace(new, old))


def rename(file: Path, chance: random.Random) -> None:
    file.rename(file.with_stem(f"{file.stem}{chance.randrange(9)}"))


def move(file: Path, chance: random.Random) -> None:
    folder = file.parent.parent / f"new{chance.randrange(3)}"
    folder.mkdir(exist_ok=True)
    file.rename(folder / file.name)


def delete(file: Path, chance: random.Random) -> None:
    file.unlink()


def copy(file: Path, chance: random.Random) -> None:
    shutil.copy(file, file.with_stem(f"{file.stem}_copy"))


def swap(file: Path, chance: random.Random) -> None:
    alike = chance.choice(sorted(file.parent.parent.rglob(f"*{file.suffix}")))
    one, other = file.read_text(), alike.read_text()
    file.write_text(other)
    alike.write_text(one)


EDITS: tuple[Callable[[Path, random.Random], None], ...] = (
    *(edit_a_line, edit_words, edit_words, edit_words, rename, move, delete, copy, swap),
)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_gives_what_a_full_harvest_gives_after_any_edits(
    tree: Path, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    kept = tmp_path / "kept"
    harvested(tree, kept)
    for step in range(25):
        done = []
        for _ in range(chance.randrange(4)):
            file = chance.choice(sorted(each for each in tree.rglob("*") if each.is_file()))
            edit = chance.choice(EDITS)
            done.append((edit.__name__, file.name))
            edit(file, chance)
        full, known = Tally(), Tally()
        assert harvested(tree, kept, known)[0] == harvested(tree, None, full)[0], (step, done)
        assert (known.files, known.records) == (full.files, full.records)
        assert (known.skipped, known.left_out) == (full.skipped, full.left_out)


def test_nothing_is_read_of_an_unchanged_tree(
    small: Path, tmp_path: Path, read_files: list[str]
) -> None:
    first, _ = harvested(small, tmp_path / "kept")
    assert b"no more of them are left" in first
    assert sorted(read_files) == ["other.c", "report.c", "use.c", "use.c"]
    read_files.clear()
    tally = Tally()
    before = (tmp_path / "kept").read_bytes()

    again, note = harvested(small, tmp_path / "kept", tally)

    assert (again, note, read_files) == (first, "", [])
    assert (tally.files, tally.unchanged) == (3, 3)
    assert (tmp_path / "kept").read_bytes() == before


@pytest.mark.parametrize(
    ("change", "reads"),
    [
        ({"other.c": OTHER.replace("shelf", "case")}, ["other.c"]),
        ({"use.c": CALLER.replace("left", "here")}, ["use.c", "use.c"]),
        ({"report.c": REPORTER.replace("fatal", "fault")}, ["report.c", "use.c"]),
        ({"report.c": "\n\n" + REPORTER}, ["report.c"]),
        ({"report.c": "void give_up(const char *text) { puts(text); }\n"}, ["report.c"]),
        ({"new.c": CALLER.replace("use", "more")}, ["new.c", "new.c"]),
    ],
)
def test_reads_changed_files_and_those_that_call_a_changed_reporter(
    small: Path, tmp_path: Path, read_files: list[str], change: dict[str, str], reads: list[str]
) -> None:
    harvested(small, tmp_path / "kept")
    for name, text in change.items():
        (small / name).write_text(text)
    read_files.clear()

    changed, note = harvested(small, tmp_path / "kept")

    assert (read_files, note) == (reads, "")
    assert changed == harvested(small)[0]


def test_records_of_another_commit_have_its_name_and_links(
    small: Path, tmp_path: Path, read_files: list[str]
) -> None:
    files = [SourceFile(name, str(small / name)) for name in ("other.c", "report.c", "use.c")]
    commits = [
        Tree(Origin("acme/shop", ref * 40, f"2026-01-0{ref}T00:00:00.000Z", GITHUB), files)
        for ref in ("1", "2")
    ]
    harvested(commits[0], tmp_path / "kept")
    read_files.clear()

    later, _ = harvested(commits[1], tmp_path / "kept")

    assert read_files == []
    assert later == harvested(commits[1])[0]
    assert b"blob/2222" in later


def test_another_project_or_way_of_linking_is_read_anew(small: Path, tmp_path: Path) -> None:
    files = [SourceFile("other.c", str(small / "other.c"))]
    origins = [
        Origin("acme/shop", "1" * 40, None, GITHUB),
        Origin("acme/other", "1" * 40, None, GITHUB),
        Origin("acme/shop", "1" * 40, None, None),
        Origin("acme/shop", None, None, None),
        Origin("acme/shop", None, None, None, tags=("a",)),
        Origin("acme/shop", None, None, None, part="b"),
    ]
    wrong = []
    for origin in origins:
        tally = Tally()
        found, _ = harvested(Tree(origin, files), tmp_path / "kept", tally)
        if found != harvested(Tree(origin, files))[0] or tally.unchanged:
            wrong.append(origin)
    assert wrong == []


def _cut(text: bytes) -> bytes:
    return text[: len(text) // 2]


def _without_index(text: bytes) -> bytes:
    return text[:-20] + bytes(20)


def _entries_changed(text: bytes) -> bytes:
    return text.replace(b"shelf", b"sheep")


def _index_beyond_the_end(text: bytes) -> bytes:
    length, checksum, magic = struct.unpack(">QI8s", text[-20:])
    return text[:-28] + struct.pack(">QQI8s", 2**64 - 1, length, checksum, magic)


def _with_slots(slot: str) -> Callable[[bytes], bytes]:
    """The same with another place for each entry."""

    def forged(text: bytes) -> bytes:
        start, length, _, magic = struct.unpack(">QQI8s", text[-28:])
        index = re.sub(rb"\[\d+,\d+,\d+\]", slot.encode(), text[start : start + length])
        trailer = struct.pack(">QQI8s", start, len(index), zlib.crc32(index), magic)
        return text[:start] + index + trailer

    return forged


def _other_version(text: bytes) -> bytes:
    return text.replace(state.reader_version().encode(), b"0" * 32)


@pytest.mark.parametrize(
    ("damage", "note"),
    [
        (_cut, DAMAGED),
        (_without_index, DAMAGED),
        (_entries_changed, DAMAGED),
        (lambda text: b"", DAMAGED),
        (lambda text: b"\x80\x04N.", DAMAGED),
        (lambda text: b"{}\n" * 90_000, DAMAGED),
        (_index_beyond_the_end, DAMAGED),
        (_with_slots("[0,4611686018427387904,0]"), DAMAGED),
        (_with_slots("[99999999999999999999,1,0]"), DAMAGED),
        (_with_slots("[-9,1,0]"), DAMAGED),
        (_with_slots("[0,-1,0]"), DAMAGED),
        (_other_version, OTHER_VERSION),
    ],
)
def test_a_state_that_is_damaged_forged_or_of_another_version_is_said_and_not_used(
    small: Path, tmp_path: Path, damage: Callable[[bytes], bytes], note: str
) -> None:
    kept = tmp_path / "kept"
    whole, _ = harvested(small, kept)
    damaged = damage(kept.read_bytes())
    assert damaged != kept.read_bytes()
    kept.write_bytes(damaged)

    assert harvested(small, kept) == (whole, note)
    assert harvested(small, kept) == (whole, "")


def test_an_entry_that_was_forged_is_not_used(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its checksum is right; it is not what an entry is."""
    kept = tmp_path / "kept"
    whole, _ = harvested(small, kept)
    entries = [b"", b"\n\n", b"{}\n\n{}\n", b"[]", b'{"listed":"1","files":"x"}\n\n\n', b"1\n{}\n"]
    entries.append(b"1\n" + b'{"id":' * 100_000 + b"\n")
    taken = cycle(entries)
    monkeypatch.setattr(HarvestState, "_entry", lambda self, slot: next(taken))
    for _ in range(4):
        with closing(HarvestState(kept)) as known:
            tree = open_tree(small, Selection(), repo="acme/shop")
            lines = b"".join(harvest([tree], Selection(), workers=1, state=known))
        assert (lines, known.note) == (whole, DAMAGED)


def test_what_may_come_out_otherwise_is_tried_again(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(language):
        def extract(source: str, path: str, **known):
            raise CpuTimeOver

        return extract

    with monkeypatch.context() as patched:
        patched.setattr(reading, "load_extractor", slow)
        tally = Tally()
        assert harvested(small, tmp_path / "kept", tally)[0] == b""
        assert tally.skipped == {TOO_SLOW: 3}

    assert harvested(small, tmp_path / "kept")[0] == harvested(small)[0] != b""


def test_a_checkout_needs_no_object_of_an_unchanged_file(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What names the content of a committed file is the name of its object."""
    files = [SourceFile("other.c", str(small / "other.c"), blob="a" * 40)]
    tree = Tree(Origin("acme/shop", "1" * 40), files)
    monkeypatch.setattr(reading.FileReader, "read", lambda self, file: OTHER.encode())
    whole, _ = harvested(tree, tmp_path / "kept")
    monkeypatch.setattr(reading.FileReader, "read", None)

    assert harvested(tree, tmp_path / "kept") == (whole, "")
    assert b"the shelf is empty" in whole
