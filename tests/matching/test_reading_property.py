"""Whatever bytes are pasted: reading them ends, and each line knows where it came from."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from errdex.matching.events import find_events, units
from errdex.matching.reading import Paste, read_paste

FRAGMENTS = st.sampled_from(
    [
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"\x00",
        b"\x1b[31m",
        b"\x1b]8;;http://a\x07",
        b"[0m",
        b"\x08",
        b"^[[1m",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xe9",
        b"\xed\xa0\x80",
        "é😀\U0010fffd".encode(),
        b"2026-11-29 08:00:01,120 ERROR errdex.web: ",
        b"Nov 29 08:00:01 host app[7]: ",
        b"web-1  | ",
        b"[rank0]: ",
        b"(pid=12, ip=10.0.0.1) ",
        b"> ",
        b'{"level":"error","msg":"',
        b'","stack":"Traceback (most recent call last):\\n  File \\"a.py\\", line 1, in f\\n',
        b'"}',
        b'{"log":"{\\"msg\\":\\"x\\"}"}',
        b'time=1 level=error msg="a \\"b\\"" err=x ',
        b"\\n",
        b"\\u001b[0m",
        b"\\ud83d\\ude00",
        b"&lt;b&gt; &quot;",
        b"&#91;",
        b"Traceback (most recent call last):",
        b'  File "a.py", line 1, in f',
        b"ValueError: x",
        b"Caused by: a.B: c",
        b"\tat a.B.c(B.java:1)",
        b"panic: x",
        b"goroutine 1 [running]:",
        b"error: no such file",
        b"`$",
    ]
)
PASTES = st.lists(st.one_of(FRAGMENTS, FRAGMENTS, st.binary(max_size=6)), max_size=30).map(b"".join)


def _places(paste: Paste) -> list[tuple[int, int]]:
    return [
        place
        for index, text in enumerate(paste.texts)
        for place in (paste.locate(index), paste.locate(index, max(0, len(text) - 1)))
    ]


@settings(max_examples=400, deadline=None)
@given(PASTES)
def test_each_place_lies_on_the_line_of_its_number(data: bytes) -> None:
    paste = read_paste(data)
    breaks = "\n" if "\n" in paste.text else "\r"
    starts = [0, *accumulate(len(line) + 1 for line in paste.text.split(breaks))]
    for number, offset in _places(paste):
        assert 0 <= offset <= len(paste.text)
        assert bisect_right(starts, offset) == number
    assert list(paste.numbers) == sorted(paste.numbers)


@settings(max_examples=400, deadline=None)
@given(PASTES)
def test_each_unit_and_each_event_lies_in_the_paste(data: bytes) -> None:
    paste = read_paste(data)
    found = find_events(paste)
    made = units(paste, found)
    last = paste.text.count("\n" if "\n" in paste.text else "\r") + 1
    for unit, text in enumerate(made):
        for offset in (0, len(text) // 2, max(0, len(text) - 1)):
            number, place = made.locate(unit, offset)
            assert 0 <= place <= len(paste.text)
            assert 1 <= number <= last
    for event in found.events:
        assert 1 <= event.first_line <= event.message_line <= last
        assert event.message_line <= event.last_line or event.first_line <= event.last_line
        assert 0 <= event.message_offset <= len(paste.text)


@settings(max_examples=200, deadline=None)
@given(PASTES)
def test_bytes_and_their_text_are_read_alike(data: bytes) -> None:
    paste = read_paste(data)
    assert read_paste(paste.text).texts == paste.texts
