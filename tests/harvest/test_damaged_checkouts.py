"""Checkouts that are broken, or that ask for much memory or time: bounded, and said clearly."""

from __future__ import annotations

import os
import struct
import subprocess
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Sequence
from hashlib import sha1
from pathlib import Path

import pytest
from dulwich.object_format import SHA1
from dulwich.pack import write_pack_index_v2, write_pack_object
from tests.harvest.test_source_trees import RAISING, committed, git, paths, read, write

from errdex.harvest.sources import checkout as checkouts
from errdex.harvest.sources import git_objects
from errdex.harvest.sources.errors import HarvestError, ObjectDamaged
from errdex.harvest.sources.selection import MAX_BYTES, Selection
from errdex.harvest.sources.source_tree import open_tree

pytestmark = pytest.mark.tools("git")


def test_refs_that_are_not_read_are_named(tmp_path: Path) -> None:
    root = committed(tmp_path, {"a.py": RAISING})
    git(root, "config", "extensions.refStorage", "reftable")
    with pytest.raises(HarvestError, match=r"refs as reftable.*git refs migrate"):
        open_tree(root, Selection())


def test_settings_that_are_broken_are_named(tmp_path: Path) -> None:
    root = committed(tmp_path, {"a.py": RAISING})
    (root / ".git" / "config").write_text("[[[")
    with pytest.raises(HarvestError, match="config cannot be read"):
        open_tree(root, Selection())


@pytest.mark.parametrize("head", ["", "ref: refs/heads/none\n", "0" * 40, "ref: HEAD\n", "\0\xff"])
def test_a_head_that_leads_nowhere_leaves_a_folder(tmp_path: Path, head: str) -> None:
    root = committed(tmp_path, {"a.py": RAISING})
    (root / ".git" / "HEAD").write_text(head, encoding="latin-1")
    tree = open_tree(root, Selection())
    assert (paths(tree), tree.origin.ref) == (["a.py"], None)
    assert tree.notes == ["There is no commit here: the files are read as they are."]


def test_a_huge_file_is_counted_without_being_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"a.py": RAISING, "big.py": "#" * (MAX_BYTES + 1), "near.py": "#" * MAX_BYTES}
    root = committed(tmp_path, files)
    for packed in (False, True):
        if packed:
            # A second version, so that one is a difference from the other.
            write(root, {"big.py": "#" * (MAX_BYTES + 1) + RAISING})
            git(root, "commit", "-qam", "more")
            git(root, "gc", "-q", "--aggressive")
        for ref in ("HEAD", "HEAD~1") if packed else ("HEAD",):
            _, tally = read(open_tree(root, Selection(), ref=ref))
            assert tally.skipped["huge"] == 1
            assert tally.files + tally.skipped["generated"] == 2

    tree = open_tree(root, Selection())
    tree.files = [file for file in tree.files if file.path == "big.py"]
    monkeypatch.setattr(git_objects.Pack, "get_raw", None)
    assert read(tree)[1].skipped == {"huge": 1}


def nested(folder: Path, names: Sequence[str]) -> Path:
    """A commit of twelve trees, each holding the one before under all of these names."""
    root = committed(folder, {"a.py": RAISING})
    tree = git(root, "rev-parse", "HEAD^{tree}")
    for _ in range(12):
        entries = "".join(f"040000 tree {tree}\t{name}\n" for name in names)
        made = subprocess.run(
            ["git", "-C", root, "mktree"], input=entries, capture_output=True, text=True, check=True
        )
        tree = made.stdout.strip()
    git(root, "update-ref", "HEAD", git(root, "commit-tree", "-m", "bomb", tree))
    return root


def test_a_commit_of_endless_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve trees, each holding the one before ten times: 10^12 files in 4 kB."""
    root = nested(tmp_path, [f"d{n}" for n in range(10)])
    monkeypatch.setattr(checkouts, "MOST_ENTRIES", 20_000)
    with pytest.raises(HarvestError, match="more than 20,000 files"):
        open_tree(root, Selection())


def test_a_commit_of_endlessly_long_paths_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each tree holds the one before twice, under long names."""
    root = nested(tmp_path, [f"{n}{'d' * 250}" for n in range(2)])
    assert len(paths(open_tree(root, Selection()))) == 2**12
    monkeypatch.setattr(checkouts, "MOST_OF_PATHS", 1_000_000)
    with pytest.raises(HarvestError, match="more than 1,000,000 bytes"):
        open_tree(root, Selection())


@pytest.mark.parametrize("each", [20, 50_000])
def test_an_index_of_endlessly_long_paths_is_not_read(tmp_path: Path, each: int) -> None:
    """In version 4 each path says how it goes on from the one before it: all of them may be
    long, and one as long as the file."""
    root = committed(tmp_path, {"a.py": RAISING})
    entry = struct.pack(">10L", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 10) + bytes(20) + b"\x0f\xff\0"
    entries = 2_000_000 // each
    index = b"DIRC" + struct.pack(">LL", 4, entries) + (entry + b"a" * each + b"\0") * entries
    index += sha1(index, usedforsecurity=False).digest()
    (root / ".git" / "index").write_bytes(index)

    tracemalloc.start()
    tree = open_tree(root, Selection())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (paths(tree), tree.notes) == (["a.py"], [])
    assert most < 10_000_000


def test_names_that_lead_elsewhere_are_no_files(tmp_path: Path) -> None:
    root = committed(tmp_path, {"a.py": RAISING})
    blob = git(root, "rev-parse", "HEAD:a.py")
    raw = b"".join(
        b"100644 " + name + b"\0" + bytes.fromhex(blob)
        for name in (b"../../up.py", b"..", b".", b"", b"ok.py", b"/etc/passwd.py")
    )
    tree = write_loose(root, b"tree", raw)
    git(root, "update-ref", "HEAD", git(root, "commit-tree", "-m", "x", tree))
    assert paths(open_tree(root, Selection())) == ["ok.py"]


def write_loose(root: Path, kind: bytes, content: bytes, name: str | None = None) -> str:
    data = kind + b" %d\0" % len(content) + content
    name = name or sha1(data).hexdigest()  # noqa: S324 - git's
    path = root / ".git" / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(data))
    return name


def test_a_tag_that_names_itself_ends(tmp_path: Path) -> None:
    root = committed(tmp_path, {"a.py": RAISING})
    name = "ab" * 20
    content = f"object {name}\ntype tag\ntag x\ntagger a <a> 1 +0000\n\nx\n"
    write_loose(root, b"tag", content.encode(), name)
    (root / ".git" / "refs" / "tags" / "x").write_text(name)
    with pytest.raises(HarvestError, match="no commit"):
        open_tree(root, Selection(), ref="x")


@pytest.mark.parametrize("size", ["told", "hidden"])
def test_a_loose_object_that_unpacks_to_much_is_refused(tmp_path: Path, size: str) -> None:
    root = committed(tmp_path, {"a.py": RAISING})
    [file] = open_tree(root, Selection()).files
    path = root / ".git" / "objects" / str(file.blob)[:2] / str(file.blob)[2:]
    path.unlink()
    told = 200_000_000 if size == "told" else 30
    path.write_bytes(zlib.compress(b"blob %d\0" % told + bytes(200_000_000)))
    _, tally = read(open_tree(root, Selection()))
    assert tally.skipped == {"huge" if size == "told" else "unreadable": 1}


def forged_pack(root: Path, entries: list[tuple[int, object]]) -> None:
    """A pack of these objects, the first being a file of HEAD, and its index."""
    folder = root / ".git" / "objects" / "pack"
    folder.mkdir(exist_ok=True)
    path = folder / "pack-forged.pack"
    offsets: list[tuple[bytes, int, int]] = []
    with path.open("wb") as file:
        body = bytearray(b"PACK" + (2).to_bytes(4, "big") + len(entries).to_bytes(4, "big"))
        for number, (kind, content) in enumerate(entries):
            name = bytes([0xEE]) * 19 + bytes([number])
            offsets.append((name, len(body), 0))
            pieces: list[bytes] = []
            write_pack_object(pieces.append, kind, content, object_format=SHA1)
            body += b"".join(pieces)
        file.write(body + sha1(body).digest())  # noqa: S324 - git's
    with path.with_suffix(".idx").open("wb") as index:
        write_pack_index_v2(index, offsets, sha1(body).digest())  # noqa: S324 - git's


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


@pytest.mark.parametrize("kind", ["result", "base", "chain", "self"])
def test_a_difference_that_asks_for_much_is_refused(tmp_path: Path, kind: str) -> None:
    root = committed(tmp_path, {"a.py": RAISING})
    names = [bytes([0xEE]) * 19 + bytes([number]) for number in range(200)]
    copy_all = bytes([0xF0, 0xFF, 0xFF, 0xFF])
    largest = git_objects.LARGEST
    entries: dict[str, list[tuple[int, object]]] = {
        "result": [
            (7, (names[1], varint(1 << 24) + varint(1 << 40) + copy_all * 70_000)),
            (3, bytes(1 << 24)),
        ],
        "base": [
            (7, (names[1], varint(largest + 1) + varint(5) + b"\x91\0\5")),
            (3, bytes(largest + 1)),
        ],
        "chain": [
            *((7, (names[n + 1], varint(9_000_000) * 2 + copy_all)) for n in range(60)),
            (3, bytes(9_000_000)),
        ],
        "self": [(7, (names[0], varint(5) + varint(5) + b"\x91\0\5"))],
    }
    forged_pack(root, entries[kind])
    content = b"100644 a.py\0" + names[0]
    git(
        root,
        "update-ref",
        "HEAD",
        git(root, "commit-tree", "-m", "x", write_loose(root, b"tree", content)),
    )

    _, tally = read(open_tree(root, Selection()))

    assert tally.files == 0
    assert tally.skipped == Counter({"huge": 1})


def test_any_damage_of_a_pack_is_said_and_ends_nothing_else(tmp_path: Path) -> None:
    """Each byte of a small pack and its index is changed in turn, and each file cut short."""
    root = committed(tmp_path, {"a.py": RAISING, "b.py": RAISING * 2})
    write(root, {"b.py": RAISING * 3})
    git(root, "commit", "-qam", "more")
    git(root, "gc", "-q")
    seen: Counter[str] = Counter()
    for path in sorted((root / ".git" / "objects" / "pack").glob("pack-*.[ip]*[kx]")):
        whole = path.read_bytes()
        path.chmod(0o644)
        step = max(1, len(whole) // 150)
        damages = [
            whole[:at] + bytes([whole[at] ^ 0xA5]) + whole[at + 1 :]
            for at in range(0, len(whole), step)
        ]
        damages += [whole[:at] for at in range(0, len(whole), step * 4)]
        for damaged in damages:
            path.write_bytes(damaged)
            try:
                _, tally = read(open_tree(root, Selection()))
            except HarvestError:
                seen["refused"] += 1
            else:
                assert tally.files + tally.skipped.total() in (0, 2)
                seen[f"{tally.files} read"] += 1
        path.write_bytes(whole)
    assert seen["refused"] > 10
    assert seen["1 read"] > 10
    assert read(open_tree(root, Selection()))[1].files == 2


def test_a_pipe_in_a_repository_is_no_file_of_it(tmp_path: Path) -> None:
    """Opening one would wait for ever."""
    pack = "objects/pack/pack-1.idx"
    for name in ("HEAD", "config", "packed-refs", "index", "refs/heads/main", pack):
        root = committed(tmp_path / name.replace("/", "-"), {"a.py": RAISING})
        (root / ".git" / pack).with_suffix(".pack").write_bytes(b"PACK")
        path = root / ".git" / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        assert paths(open_tree(root, Selection())) == ["a.py"]


def test_what_is_no_object_name_is_damage(tmp_path: Path) -> None:
    root = committed(tmp_path, {"a.py": RAISING})
    objects = checkouts.open_objects(root / ".git")
    for name in ("", "../../../../etc/passwd", "ab" * 32, "zz" * 20, "\u2603"):
        with pytest.raises(ObjectDamaged):
            objects.read(name)
    objects.close()
