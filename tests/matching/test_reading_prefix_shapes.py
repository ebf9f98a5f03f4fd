"""A reader that learns the prefixes of a paste finds what reading each line by itself finds."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import example, given, settings
from hypothesis import strategies as st

from errdex.matching.reading.prefix_shapes import PrefixReader
from errdex.matching.reading.prefixes import compose_names, strip_prefix

DIGITS = st.sampled_from(["07", "59", "12"])
TRANSPORTS = st.sampled_from(
    [
        "",
        "",
        "web-1  | ",
        "db-1   | ",
        "[rank0]: ",
        "[rank11]: ",
        "[pod/web-7d9f/app] ",
        "[9b1c2d3e-1111-4222-8333-abcdefabcdef] ",
        "(Engine pid=12) ",
        "2026-11-29T08:00:01.1234567Z ",
        "2026-11-29T08:00:01.123456789Z stderr F ",
        "#12 0.345 ",
        "<13>",
    ]
)
STAMPS = st.one_of(
    st.sampled_from(["", "Nov 29 08:00:01 host app[7]: ", "[Sun Nov 29 08:00:01.120 2026] "]),
    st.builds("2026-11-29 08:{}:{} ".format, DIGITS, DIGITS),
    st.builds("2026-11-29T08:{}:{}.120Z ".format, DIGITS, DIGITS),
    st.builds("[2026-11-29 08:{}:{},120] ".format, DIGITS, DIGITS),
    st.builds("I, [2026-11-29T08:{}:{}.120001 #17]  INFO -- : ".format, DIGITS, DIGITS),
    st.builds("2026-11-29T08:{}:{}.120+00:00 app[web.1]: ".format, DIGITS, DIGITS),
    st.builds(
        "2026-11-29T08:07:{}.120Z\t1a2b3c4d-1111-2222-3333-4444555566{}\tERROR\t".format,
        DIGITS,
        DIGITS,
    ),
    st.builds("F, [2026-11-29T08:07:12.120001 #{}] FATAL -- shop: ".format, DIGITS),
)
THREADS = st.sampled_from(["", "", "[main] ", "12 --- [worker-3] ", "(pool 1) ", "7 "])
LEVELS = st.sampled_from(
    [
        "",
        "INFO ",
        "INFO  ",
        "ERROR ",
        "ERROR: ",
        "[warn] ",
        "[error] ",
        "DEBUG - ",
        "| WARNING  | ",
        "Error: ",
        "info ",
        "FATAL:  ",
        "LOG:  ",
        "(INFO) ",
        "<ERROR>: ",
    ]
)
LOGGERS = st.sampled_from(
    [
        "",
        "",
        "errdex.web: ",
        "app: ",
        "a.b.C - ",
        "core.py:12] ",
        "x:3 ",
        "[a.b] ",
        "c.a.M             : ",
        "java.io.IOException: ",
        "log[a b]: ",
        "ValueError: ",
        "user@host:7: ",
        "a.b.c:12 - ",
    ]
)
TEXTS = st.sampled_from(
    [
        "",
        "up",
        "[1/4] step",
        "12 items",
        "ERROR:  x",
        "(no) reason",
        "- item",
        ": odd",
        "a | b",
        "Nov 29 08:00:01 x",
        "[rank0]: deep",
        "web-1  | twice",
        "x: y",
        "KeyError: 'a'",
        "\tat f",
    ]
)
LINES = st.lists(
    st.tuples(TRANSPORTS, STAMPS, THREADS, LEVELS, THREADS, LOGGERS, TEXTS).map("".join),
    min_size=1,
    max_size=40,
)


RUBY = "[rank0]: I, [2026-11-29T08:07:07.120001 #17]  INFO -- : "


@settings(max_examples=200, deadline=None)
@given(LINES, st.lists(st.integers(0, 39), max_size=80))
@example([*[""] * 5, RUBY, f"{RUBY}errdex.web: "], [])
@example([f"{RUBY}hello", f"{RUBY}errdex.web: hello"], [])
def test_learning_changes_nothing(lines: list[str], order: list[int]) -> None:
    text = "\n".join(lines)
    composed = compose_names(text)
    reader = PrefixReader(text, composed)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for index in [*range(len(lines)), *(number % len(lines) for number in order)]:
        line = lines[index]
        assert reader.read(line, starts[index]) == strip_prefix(line, composed), line
