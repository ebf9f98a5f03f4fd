"""The term dictionary finds what was put into it, and nothing else."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from whoosh.filedb.filestore import FileStorage

from errdex.search.whoosh.dictionary import (
    ENTRY,
    DictionaryReader,
    DictionaryWriter,
    open_dictionary,
)

keys = st.binary(min_size=1, max_size=4) | st.binary(min_size=60, max_size=70)


def write(folder: str, listed: list[bytes]) -> DictionaryReader:
    storage = FileStorage(folder)
    writer = DictionaryWriter(storage.create_file("terms"))
    for number, key in enumerate(listed):
        writer.add(key, number.to_bytes(4, "big"))
    writer.close()
    return DictionaryReader(open_dictionary(storage, "terms"))


@settings(deadline=None)
@given(st.sets(keys, max_size=60), st.lists(keys, max_size=20))
def test_what_is_in_it_is_found(there: set[bytes], asked: list[bytes]) -> None:
    listed = sorted(there)
    with TemporaryDirectory() as folder:
        reader = write(folder, listed)
        for number, key in enumerate(listed):
            assert reader.find(key, 4) == number.to_bytes(4, "big")
        for key in asked:
            assert (reader.find(key, 4) is not None) == (key in there)
        reader.close()


@settings(deadline=None)
@given(st.sets(keys.filter(lambda key: b"\xff" not in key), max_size=60), st.binary(max_size=2))
def test_spans(there: set[bytes], start: bytes) -> None:
    listed = sorted(there)
    with TemporaryDirectory() as folder:
        reader = write(folder, listed)
        data = reader.read_span(start)
        assert data is not None
        found = []
        while data:
            key_length, value_length = ENTRY.unpack_from(data)
            found.append(data[ENTRY.size : ENTRY.size + key_length])
            data = data[ENTRY.size + key_length + value_length :]
        assert found == [key for key in listed if key.startswith(start)]
        assert reader.read_span(start, most=0) in (None, b"")
        reader.close()


def test_many_keys_in_one_table_wrap_around(tmp_path: Path) -> None:
    listed = sorted(number.to_bytes(3, "big") for number in range(20_000))
    reader = write(str(tmp_path), listed)
    assert all(reader.find(key, 4) == n.to_bytes(4, "big") for n, key in enumerate(listed))
    assert reader.find(b"zzzz", 4) is None
    reader.close()
