"""`errdex pipe`: lines of a log pipeline in, the same lines with what is known out."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.knowledge_base import SHOP, load

from errdex.cli import record_pipe
from errdex.cli.record_pipe import MOST_LINE, RecordPipe, read_pieces, with_field
from errdex.config import Settings, open_store
from errdex.formats.answer import PasteAnswer
from errdex.library import Knowledge, open_knowledge
from errdex.records.problems import Trouble

TRACEBACK = """\
Traceback (most recent call last):
  File "shop/run.py", line 3, in <module>
    checkout(4711)
shop.ShopError: Basket 4711 is empty
""".splitlines()
Lines = list[bytes]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("known")
    url = f"sqlite:///{folder / 'errdex.db'}"
    load(folder, *open_store(Settings(database_url=url)), SHOP)
    return url


@pytest.fixture(scope="module")
def knowledge(database: str) -> Iterator[Knowledge]:
    with open_knowledge(database) as opened:
        yield opened


@pytest.fixture
def pipe_of(knowledge: Knowledge) -> Callable[..., tuple[RecordPipe, Lines]]:
    """A filter with what it has written so far."""

    def make(match: Callable[[bytes], PasteAnswer] | None = None, **options: Any):
        written: Lines = []
        complaints: list[str] = []
        pipe = RecordPipe(match or knowledge.match, written.extend, complaints.append, **options)
        pipe.complaints = complaints
        return pipe, written

    return make


def lines(*records: object) -> bytes:
    return b"".join(
        (each if isinstance(each, bytes) else json.dumps(each).encode()) + b"\n" for each in records
    )


def ran(pipe: RecordPipe, data: bytes) -> None:
    pipe.run(read_pieces(io.BytesIO(data)), Event())


def test_lines_pass_unchanged_but_for_what_is_known(pipe_of) -> None:
    pipe, written = pipe_of()
    strange = b'{"log": "all  is well",\t"n": 1.00, "n": 12345678901234567890}  '
    error = b'{"z": 1, "log": "ShopError: Basket 4711 is empty", "a": 1e2}'
    ran(pipe, lines(strange, error, b"", b"plain \xff text", b"[1]", b"{broken"))
    assert written[0] == strange + b"\n"
    assert written[2:] == [b"\n", b"plain \xff text\n", b"[1]\n", b"{broken\n"]
    assert written[1].startswith(error[:-1] + b',"errdex":{')
    known = json.loads(written[1])["errdex"]
    assert known["title"] == "Basket {basket_id} is empty"
    assert known["fix"] == "Add an article before checkout."
    assert known["values"] == {"basket_id": "4711"}
    assert known["outcome"] == "known"
    assert known["fingerprint"]


def test_a_traceback_of_one_writer_among_others_is_one_error(pipe_of) -> None:
    pipe, written = pipe_of()
    records = []
    for number, line in enumerate(TRACEBACK):
        records.append({"log": line, "container_id": "a", "n": number})
        records.append({"log": "INFO all is well", "container_id": "b", "n": number})
    ran(pipe, lines(*records))
    out = [json.loads(line) for line in written]
    assert [each["n"] for each in out if each["container_id"] == "a"] == [0, 1, 2, 3]
    known = [each for each in out if "errdex" in each]
    assert [(each["log"], each["errdex"]["errorClass"]) for each in known] == [
        (TRACEBACK[-1], "shop.ShopError")
    ]


def test_fields_of_ones_own_tell_writers_apart(pipe_of) -> None:
    records = []
    for line in TRACEBACK:
        records.append({"message": line, "meta": {"task": 1}})
        records.append({"message": "INFO all is well", "meta": {"task": 2}})
    for keys, classes in ((("meta.task",), ["shop.ShopError"]), ((), None)):
        pipe, written = pipe_of(keys=keys, only_known=True)
        ran(pipe, lines(*records))
        found = [json.loads(line)["errdex"]["errorClass"] for line in written]
        assert (found == classes) is (classes is not None)


def test_only_what_is_known_is_written_if_that_is_wanted(pipe_of) -> None:
    pipe, written = pipe_of(only_known=True)
    ran(pipe, lines({"log": "fine"}, {"log": "NeverSeenError: what is this"}, "x",
                    b"ShopError: Basket 7 is empty", b"y" * (MOST_LINE + 10)))  # fmt: skip
    (line,) = written
    record = json.loads(line)
    assert record["message"] == "ShopError: Basket 7 is empty"
    assert record["errdex"]["values"] == {"basket_id": "7"}


def test_an_unknown_error_has_a_fingerprint_to_group_by(pipe_of) -> None:
    pipe, written = pipe_of()
    ran(pipe, lines({"log": "NeverSeenError: flux 12"}, {"log": "NeverSeenError: flux 13"}))
    first, second = (json.loads(line)["errdex"] for line in written)
    assert first["outcome"] == "unknown"
    assert first["fingerprint"] == second["fingerprint"]
    assert first["repeats"] == 1


def test_a_repetition_is_marked_and_only_counted_where_only_what_is_known_is_written(
    pipe_of,
) -> None:
    data = lines(*({"log": f"ShopError: Basket {number} is empty"} for number in range(3)))
    pipe, written = pipe_of()
    ran(pipe, data)
    first, *others = (json.loads(line)["errdex"] for line in written)
    assert (first["repeats"], first["values"]) == (2, {"basket_id": "0"})
    assert [each["id"] for each in others] == [first["id"]] * 2
    assert all("values" not in each and "fix" not in each for each in others)
    pipe, written = pipe_of(only_known=True)
    ran(pipe, data)
    assert [json.loads(line)["errdex"]["repeats"] for line in written] == [2]


def test_a_writer_is_answered_when_it_pauses(pipe_of) -> None:
    pipe, written = pipe_of(pause=2.0)
    first, *rest = (json.dumps({"log": line}).encode() for line in TRACEBACK)
    pipe.feed(first, True, 0.0)
    pipe.answer_due(1.9)
    assert written == []
    for line in rest:
        pipe.feed(line, True, 1.9)
    pipe.answer_due(3.8)
    assert written == []
    pipe.answer_due(3.9)
    assert len(written) == 4
    assert b'"errdex"' in written[-1]


def test_a_writer_that_never_pauses_is_answered_without_the_error_at_its_end(pipe_of) -> None:
    pipe, written = pipe_of(pause=2.0)
    now = 0.0
    pipe.feed(b'{"log": "fine"}', True, now)
    while now < 10.0:
        now += 1.0
        pipe.feed(b'{"log": "ShopError: Basket 7 is empty"}' if now == 5.0 else b'{"log": "fine"}',
                  True, now)  # fmt: skip
    assert sum(b'"errdex"' in line for line in written) == 1
    begun = len(written)
    for line in TRACEBACK:
        pipe.feed(json.dumps({"log": line}).encode(), True, 19.0)
    pipe.answer_due(21.9)
    assert sum(b'"errdex"' in line for line in written[begun:]) == 1


def test_what_is_held_is_bounded(pipe_of, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_pipe, "MOST_STREAMS", 5)
    monkeypatch.setattr(record_pipe, "MOST_BYTES", 2_000)
    monkeypatch.setattr(record_pipe, "MOST_LINES", 50)
    pipe, written = pipe_of()
    for number in range(200):
        record = {"log": "x" * (number % 7) * 50, "container_id": str(number % 9)}
        pipe.feed(json.dumps(record).encode(), True, 0.0)
        assert len(pipe._held) <= 5
        assert pipe._bytes == sum(each.size for each in pipe._held.values()) <= 2_000
        assert sum(len(each.lines) for each in pipe._held.values()) + len(written) == number + 1
    endless = b'{"log": "  File \\"a.py\\", line 1, in f", "container_id": "e"}'
    pipe.feed(b'{"log": "Traceback (most recent call last):", "container_id": "e"}', True, 0.0)
    for _ in range(500):
        pipe.feed(endless, True, 0.0)
        assert len(pipe._held["e"].lines if "e" in pipe._held else ()) <= 50


def test_a_line_that_is_too_long_passes_as_it_is(pipe_of) -> None:
    pipe, written = pipe_of()
    long = b'{"log": "' + b"x" * (2 * MOST_LINE) + b'"}\n'
    ran(pipe, long + lines({"log": "ShopError: Basket 7 is empty"}) + b"x" * MOST_LINE)
    joined = b"".join(written)
    assert long in joined
    assert b'"errdex"' in joined
    assert len(joined) > 3 * MOST_LINE


def test_in_trouble_lines_pass_and_it_is_said_once(pipe_of) -> None:
    def fail(_: bytes) -> PasteAnswer:
        raise Trouble("The database cannot be read.")

    pipe, written = pipe_of(fail)
    data = lines(*({"log": "ShopError: Basket 7 is empty", "host": each} for each in "abc"))
    ran(pipe, data)
    assert b"".join(written) == data
    assert pipe.complaints == ["The database cannot be read."]


def test_a_record_that_has_the_field_keeps_it() -> None:
    line = b'{"log": "x", "errdex": {"id": 1}}'
    assert with_field(line, {"id": 2}) == line
    assert with_field(b"{}", {"id": 2}) == b'{"errdex":{"id":2}}'


@pytest.mark.slow
def test_the_command_is_a_filter(database: str) -> None:
    data = lines({"log": "fine"}, *({"log": line} for line in TRACEBACK))
    done = subprocess.run(
        [sys.executable, "-c", "from errdex.cli import main; main()", "pipe", "--only-known",
         "--database", database],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2] / "app")},
        input=data, capture_output=True, timeout=600,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["errdex"]["errorClass"] == "shop.ShopError"


@pytest.mark.slow
def test_asked_to_stop_it_answers_what_came_in(database: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "from errdex.cli import main; main()", "pipe", "--pause", "60",
         "--database", database],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2] / "app")},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    process.stdin.write(b"x" * (MOST_LINE + 1) + b"\n" + lines({"log": TRACEBACK[-1]}))
    process.stdin.flush()
    assert process.stdout.read(MOST_LINE + 2).startswith(b"xxx")  # so it reads by now
    time.sleep(1)
    process.terminate()
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    assert b'"errdex"' in out
