"""What is fuzzed: functions of bytes that raise for a broken promise.

`python -m bench.fuzz` drives them with coverage; the tests here drive them with made-up
bytes and with every case that was ever found (tests/cases/hostile/).
"""

# ruff: noqa: E501 (a fragment stands on one line)

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import orjson

from errdex.matching.events import EventLimits, find_events, units
from errdex.matching.reading import ReadingLimits, read_paste
from errdex.records.files.reader import RawRecord, ReadProblem, read_records
from errdex.records.model import Record
from errdex.records.problems import RecordRefused
from errdex.records.validation import identify, parse_record
from errdex.search.query import MOST_CLAUSES, parse_query

_FRAGMENTS = tuple(
    line.encode()
    for line in (
        "Traceback (most recent call last):", '  File "/srv/app/x.py", line 12, in run',
        "    do(thing)", "    ^^^^^^^^^", "ValueError: bad value: 7", "KeyError: 'name'",
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause of the following exception:",
        "  + Exception Group Traceback (most recent call last):", "  | ExceptionGroup: two (2 sub)",
        "  +-+---------------- 1 ----------------", "    | TypeError: no", "    +------------",
        "Exception in thread \"main\" java.lang.IllegalStateException: no state",
        "\tat com.acme.App.run(App.java:42)", "\t... 12 more", "Caused by: java.io.IOException: gone",
        "\tSuppressed: java.lang.Exception: close", "TypeError: x is not a function",
        "    at run (/srv/app/x.js:3:9)", "    at async Promise.all (index 0)",
        "panic: runtime error: index out of range [3] with length 3", "goroutine 1 [running]:",
        "main.main()", "\t/srv/app/main.go:7 +0x1d", "exit status 2",
        "thread 'main' panicked at src/main.rs:4:5:", "called `Option::unwrap()` on a `None` value",
        "stack backtrace:", "   0: core::panicking::panic", "             at /rustc/x/lib.rs:1:1",
        "Unhandled exception. System.NullReferenceException: Object reference not set",
        "   at App.Program.Main(String[] args) in /srv/Program.cs:line 5",
        " ---> System.Exception: inner", "   --- End of inner exception stack trace ---",
        "app.rb:3:in `run': undefined method `x' for nil (NoMethodError)", "\tfrom app.rb:9:in `<main>'",
        "PHP Fatal error:  Uncaught Exception: no in /srv/x.php:3", "Stack trace:", "#0 {main}",
        "  thrown in /srv/x.php on line 3", "** (RuntimeError) no", "    (app 0.1.0) lib/a.ex:3: A.b/1",
        "main.c:3:5: error: 'x' undeclared", "    3 |     x;", "error[E0382]: borrow of moved value",
        " --> src/main.rs:4:5", "npm ERR! code ERESOLVE", "npm ERR!", "E   assert 1 == 2",
        "tests/test_x.py:3: AssertionError", "______ test_x ______", "2026-11-29 12:00:00 ERROR app: ",
        "[rank0]: ", "(Worker pid=12) ", "> ", "```", "E1129 12:00:00.000000 7 x.go:3] no",
        '{"level":"error","msg":"no\\nTraceback (most recent call last):"}', "\x1b[31merror\x1b[0m: red",
        "50%\r100%\rerror: done", "", "\\n\\tat x.Y.z(Y.java:1)",
    )
)  # fmt: skip


def check_paste(data: bytes) -> None:
    """Reading never raises, and every text leads back to a line of the paste."""
    paste = read_paste(data, limits=ReadingLimits(characters=200_000, lines=5_000))
    lines = len(re.split("\r\n|\n|\r", paste.text))
    for index in range(len(paste)):
        first, last = paste.locate(index).number, paste.last_number(index)
        assert 1 <= first <= last <= lines, (index, first, last, lines)
        end = paste.locate(index, len(paste.texts[index]))
        assert first <= end.number <= lines, (index, end)
        assert 0 <= end.offset <= len(paste.text)
    found = find_events(paste, limits=EventLimits())
    for event in found.events:
        assert 1 <= event.first_line <= event.message_line <= event.last_line <= lines, event
        assert 0 <= event.message_offset <= len(paste.text)
        assert event.cause is None or 0 <= event.cause < len(found.events)
    texts = units(paste, found)
    for unit, text in enumerate(texts):
        for offset in {0, len(text) // 2, len(text)}:
            assert 1 <= texts.locate(unit, offset).number <= lines


def check_traces(data: bytes) -> None:
    """The same for lines of stack traces in any order, some of them broken off."""
    lines = []
    for at in range(0, len(data), 2):
        line = _FRAGMENTS[data[at] % len(_FRAGMENTS)]
        how = data[at + 1] if at + 1 < len(data) else 0
        if how >= 0xF0:
            line = b" " * (how & 0x0F) + line
        elif how >= 0x80:
            line = line[: how & 0x3F]
        elif how >= 0x40 and lines:
            line = lines.pop() + line
        lines.append(line)
    check_paste(b"\n".join(lines))


def check_query(data: bytes) -> None:
    """Any text is a query, of a bounded number of clauses."""
    try:
        text = data.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
    query = parse_query(text)
    assert len(query.wanted) + len(query.required) + len(query.unwanted) <= MOST_CLAUSES
    assert all(note.strip() for note in query.notes)


def check_records(data: bytes) -> None:
    """Whatever an input holds is a record, equal when served again, or a problem that says
    where and what."""
    for item in read_records([Path("-")], stdin=BytesIO(data), record_bytes=50_000):
        if isinstance(item, ReadProblem):
            assert str(item).isprintable(), str(item)
            continue
        assert isinstance(item, RawRecord)
        record = _parsed(item)
        if record is None:
            continue
        wire = orjson.dumps(record.body())
        again = parse_record(orjson.loads(wire))
        assert orjson.dumps(again.body()) == wire
        assert identify(item.value)[0] == record.id


def _parsed(item: RawRecord) -> Record | None:
    try:
        return parse_record(item.value)
    except RecordRefused as refused:
        said = [str(each) for each in refused.problems]
    assert said
    assert all(each.isprintable() for each in said), said
    return None


TARGETS: dict[str, Callable[[bytes], None]] = {
    "paste": check_paste,
    "traces": check_traces,
    "query": check_query,
    "records": check_records,
}
