"""A harvest as a whole: records that ingestion takes, workers that die, and being cancelled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import orjson
import pytest
from tests.harvest.harvest_cases import cases_of

from errdex.harvest import reading, run
from errdex.harvest.languages.python import source as python_source
from errdex.harvest.model import Extraction
from errdex.harvest.reading import CRASHED, NOT_UNDERSTOOD, TOO_SLOW, Tally
from errdex.harvest.run import Progress, harvest
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import open_tree
from errdex.ingest.pattern_checks import find_problems
from errdex.records.validation import parse_record

pytestmark = pytest.mark.slow

ERRDEX = Path(sys.executable).with_name("errdex")
MANY = """
class QuotaError(Exception):
    "Raised when a quota is used up."
    def __init__(self, name):
        super().__init__(f"{name} has used up its quota")

def check(name):
    # Names are counted.
    if name in {}:
        raise QuotaError(name)
    raise ValueError("%s of \\x1b[1mnothing\\x1b[0m at {}" % name)
    raise ValueError("%s of nothing at {}" % name)
    assert name, "a name has to be given"
"""


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_file_that_takes_long_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """What raises before a raise is looked at again for each."""
    if workers == 1:
        monkeypatch.setattr(reading, "FILE_SECONDS", 0.3)
    raises = '    m = "value %s" % x\n    raise ValueError(m)\n'
    slow = "def check(x):\n" + raises * (800 if workers == 1 else 20_000)
    quick = {f"file_{n}.py": f'raise ValueError("shelf {n} is full")\n' for n in range(40)}
    tree = open_tree(written(tmp_path, {"a.py": slow, **quick}), Selection())
    tally = Tally()

    lines = list(harvest([tree], Selection(), workers=workers, tally=tally))

    assert tally.skipped == {TOO_SLOW: 1}
    assert (tally.files, len(lines)) == (40, 40)


def test_every_record_is_one_that_ingestion_takes(tmp_path: Path) -> None:
    sources = {f"case_{n}.py": case["source"] for n, (_, case) in enumerate(cases_of("python"))}
    sources["odd.py"] = "#\x0c\x01\u2028é\n" + MANY + "# \x7f" + "x" * 3000
    tree = open_tree(written(tmp_path, sources), Selection(generated=True), repo="acme/widget")

    lines = list(harvest([tree], Selection(generated=True), workers=1))

    records = [parse_record(orjson.loads(line)) for line in lines]
    assert len(records) > 60
    assert [problem for record in records for problem in find_problems(record)] == []
    assert len({record.id for record in records}) == len(records)


def test_a_record_survives_moved_lines_and_keeps_its_id(tmp_path: Path) -> None:
    one = open_tree(written(tmp_path, {"a.py": MANY}), Selection(), repo="acme/widget")
    before = [orjson.loads(line) for line in harvest([one], Selection(), workers=1)]
    written(tmp_path, {"a.py": "\n\n\n" + MANY})
    after = [orjson.loads(line) for line in harvest([one], Selection(), workers=1)]

    assert [record["id"] for record in before] == [record["id"] for record in after]
    assert [record["lineNumber"] + 3 for record in before] == [
        record["lineNumber"] for record in after
    ]


def test_a_record_tells_what_the_source_says_and_nothing_else(tmp_path: Path) -> None:
    tree = open_tree(written(tmp_path, {"a.py": MANY}), Selection(), repo="acme/widget")

    records = [orjson.loads(line) for line in harvest([tree], Selection(), workers=1)]

    raised = next(record for record in records if record.get("function") == "check")
    assert raised["documentation"] == "Raised when a quota is used up.\n\nNames are counted."
    assert raised["raisedWhen"] == "name in {}"
    assert raised["tags"] == ["widget"]
    assert "solutions" not in raised
    assert "githubUrl" not in raised
    assert all(value is not None for record in records for value in record.values())


def test_progress_reaches_the_number_of_files(tmp_path: Path) -> None:
    files = {f"m{n}.py": MANY for n in range(run.BATCH + 1)}
    said: list[Progress] = []
    tally = Tally()

    tree = open_tree(written(tmp_path, files), Selection(), repo="acme/widget")
    lines = list(harvest([tree], Selection(), workers=1, progress=said.append, tally=tally))

    assert [step.files for step in said] == [run.BATCH, run.BATCH + 1]
    assert said[-1] == Progress(tally.files, len(files), len(lines))


@pytest.mark.slow
def test_a_file_that_kills_its_reader_costs_that_file_alone(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    root = tmp_path / "tree"
    root.mkdir()
    files = {f"m{n:03}.py": MANY for n in range(3 * run.BATCH)}
    written(root, files | {"m040.py": "DIE"})
    program.write_text(
        f"""
import os, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from errdex.harvest import reading, run
from errdex.harvest.languages.python import source
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import open_tree

read = source.extract
def extract(source, path):
    if source == "DIE":
        os._exit(9)
    return read(source, path)
source.extract = extract

if __name__ == "__main__":
    tally = reading.Tally()
    tree = open_tree(Path({str(root)!r}), Selection(), repo="acme/widget")
    lines = list(run.harvest([tree], Selection(), workers=2, tally=tally))
    print(len(lines), tally.files, dict(tally.skipped))
"""
    )

    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=600)

    whole = 3 * run.BATCH - 1
    assert done.stdout.split(maxsplit=2) == [
        "3",
        str(whole),
        f"{dict(Counter({CRASHED: 1}))}\n",
    ], done.stderr


def test_no_worker_hears_of_ctrl_c_from_its_first_moment_on(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    written(root, {f"m{n:03}.py": MANY for n in range(2 * run.BATCH)})
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import signal, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from errdex.harvest import reading, run
from errdex.harvest.languages.python import source
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import open_tree

at_first = signal.pthread_sigmask(signal.SIG_BLOCK, ())
read = source.extract
def extract(source, path):
    assert signal.SIGINT in at_first
    return read(source, path)
source.extract = extract

if __name__ == "__main__":
    tally = reading.Tally()
    tree = open_tree(Path({str(root)!r}), Selection(), repo="acme/widget")
    list(run.harvest([tree], Selection(), workers=2, tally=tally))
    print(tally.files, len(at_first), len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
"""
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=600)
    assert done.stdout == f"{2 * run.BATCH} 0 0\n", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("kept", ["the file of the run before", None])
def test_ctrl_c_leaves_a_whole_file_or_none(tmp_path: Path, kept: str | None) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    written(root, {f"m{n:04}.py": MANY * 40 for n in range(400)})
    output = tmp_path / "out.jsonl"
    if kept is not None:
        output.write_text(kept)

    command = [ERRDEX, "harvest", root, "-o", output]
    # A group of its own: Ctrl-C on a terminal goes to the whole group. Tests that run in the
    # background of a shell are started with the signal ignored, which would be inherited.
    child = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    part = tmp_path / ".out.jsonl.part"
    while not part.exists():
        assert child.poll() is None, "it ended before"
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=600)

    assert child.returncode == 130, said
    assert said == "errdex: Cancelled.\n"
    assert (output.read_text() if output.exists() else None) == kept
    assert not part.exists()


def test_an_error_gets_its_words_from_the_class_in_another_file(tmp_path: Path) -> None:
    files = {
        "errors.py": """
class LimitError(Exception):
    def __init__(self, limit):
        super().__init__(f"no more than {limit} are allowed")

class Nothing(Exception):
    pass

class SmallLimit(LimitError):
    pass
""",
        "use.py": """
from errors import LimitError, Nothing

def check(size, reason):
    if size > 3:
        raise LimitError(3)
    raise Nothing(reason)
    raise ValueError(reason)
""",
    }
    tally = Tally()
    tree = open_tree(written(tmp_path, files), Selection(), repo="acme/widget")

    lines = list(harvest([tree], Selection(), workers=1, tally=tally))

    records = [parse_record(orjson.loads(line)) for line in lines]
    assert [(record.file_path, record.line_number) for record in records] == [("use.py", 6)]
    assert records[0].error_message == "no more than {limit} are allowed"
    assert records[0].raised_when == "size > 3"
    assert [(each.file_path, each.line_number) for each in records[0].places] == [("errors.py", 4)]
    assert tally.records == 1
    assert tally.left_out["no fixed text"] + tally.left_out["no message"] == 3


@pytest.mark.parametrize(
    ("errors", "use", "said"),
    [
        (
            "errors.rb: class NotFound < StandardError\n"
            '  def initialize(what)\n    super("#{what} was not found")\n  end\nend\n',
            "use.rb: raise NotFound.new('user') unless a\nraise Denied.new('guest') if b\n",
            ["{what} was not found", "user was not found", "guest"],
        ),
        (
            "errors.js: class NotFoundError extends Error {\n"
            "  constructor(what, id) { super(`${what} ${id} was not found`); }\n}\n",
            "use.js: if (!a) throw new NotFoundError('user', id);\nthrow new TypeError('array');\n",
            ["{what} {id} was not found", "user {id} was not found", "array"],
        ),
        (
            "errors.py: class NotFound(Exception):\n    def __init__(self, what):\n"
            "        super().__init__(f'{what} was not found')\n",
            "use.py: def f(a):\n    if a:\n        raise NotFound('user')\n"
            "    raise NotFound('a user of that name')\n",
            ["{what} was not found", "a user of that name", "user was not found"],
        ),
    ],
)
def test_a_word_is_put_into_the_message_that_the_class_makes_elsewhere(
    tmp_path: Path, errors: str, use: str, said: list[str]
) -> None:
    files = dict(each.split(": ", 1) for each in (errors, use))
    tree = open_tree(written(tmp_path, files), Selection(), repo="acme/widget")
    lines = list(harvest([tree], Selection(), workers=1))
    records = [parse_record(orjson.loads(line)) for line in lines]
    assert [record.error_message for record in records] == said
    assert len({record.id for record in records}) == len(records)


def test_what_an_extractor_did_not_foresee_costs_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def extract(source: str, path: str) -> Extraction:
        if path == "b.py":
            raise KeyError(path)
        return python_source.extract(source, path)

    monkeypatch.setattr(reading, "load_extractor", lambda language: extract)
    tally = Tally()
    tree = open_tree(written(tmp_path, dict.fromkeys(["a.py", "b.py"], MANY)), Selection())
    lines = list(harvest([tree], Selection(), workers=1, tally=tally))

    assert len(lines) == 3
    assert tally.skipped == {NOT_UNDERSTOOD: 1}
