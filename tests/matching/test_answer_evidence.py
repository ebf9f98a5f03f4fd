"""What counts for and against a record, one kind of evidence at a time, and the order of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from errdex.matching.model import Event, Frame, Role
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pattern import compile_pattern
from errdex.matching.ranking import Answer, Kind, Matcher, MatchLimits, Outcome, RecordFacts
from errdex.matching.ranking.comparison import (
    common_tail,
    contains_word,
    installed_name,
    is_base,
    same_class,
)
from errdex.matching.ranking.earned import counts_as_match
from errdex.matching.ranking.evidence import Fit, Said, weigh_evidence
from errdex.matching.ranking.near_misses import near_miss
from errdex.matching.ranking.repeats import fold
from errdex.matching.ranking.roots import find_root_cause
from errdex.matching.ranking.searched_texts import fit_in

WHOLE = Fit(True, True, True, True, 1.0, 0.9)
PART = Fit(False, False, False, False, 0.3, 0.2)
MUCH, LITTLE = Said(40, 25.0), Said(6, 2.0)
RECORD = RecordFacts(
    "r",
    "acme/pkg",
    "the widget needs a parent",
    "the widget needs a parent",
    error_class="TypeError",
    error_code="E42",
    language="python",
    file_path="src/pkg/widgets.py",
    line_number=40,
    function="Widget.attach",
)


def event(**changes: object) -> Event:
    made = Event("python", None, "the widget needs a parent", 1, 1, 1)
    return replace(made, **changes)  # type: ignore[arg-type]


def points(kind: Kind, **changes: object) -> float:
    found = weigh_evidence(event(**changes), RECORD, MUCH, WHOLE)
    return sum(each.points for each in found if each.kind is kind)


def frames(*shown: tuple[str, int, str]) -> tuple[Frame, ...]:
    return tuple(Frame(*each) for each in shown)


@pytest.mark.parametrize(
    ("shown", "agrees"),
    [("TypeError", True), ("builtins.TypeError", True), ("ValueError", False)],
)
def test_a_class_speaks_for_or_against(shown: str, agrees: bool) -> None:
    assert (points(Kind.CLASS, error_class=shown) > 0) is agrees


def test_a_subclass_does_not_speak_against() -> None:
    record = replace(RECORD, error_class="OSError")
    found = weigh_evidence(event(error_class="FileNotFoundError"), record, MUCH, WHOLE)
    assert [each.points > 0 for each in found if each.kind is Kind.CLASS] == [True]


def test_the_class_of_one_driver_says_nothing_of_a_servers_message() -> None:
    record = replace(RECORD, language="sql", error_class="OperationalError")
    other = weigh_evidence(event(error_class="PSQLException"), record, MUCH, WHOLE)
    same = weigh_evidence(event(error_class="OperationalError"), record, MUCH, WHOLE)
    assert not [each for each in other if each.kind is Kind.CLASS]
    assert [each.points > 0 for each in same if each.kind is Kind.CLASS] == [True]


def test_a_code_speaks_for_or_against() -> None:
    assert points(Kind.CODE, code="E42") > 0 > points(Kind.CODE, code="E43")
    assert points(Kind.CODE) == 0


@pytest.mark.parametrize(
    ("repo", "package", "agrees"),
    [
        ("acme/shopkit-js", "shopkit", True),
        ("acme/shopkit.js", "shopkit", True),
        ("acme/python-shopkit", "shopkit", True),
        ("acme/shopkit", "shopkit-js", True),
        ("acme/shopkit-json", "shopkit", False),
        ("acme/go", "go", True),
    ],
)
def test_a_package_is_its_repository_without_the_language(repo, package, agrees) -> None:
    record = replace(RECORD, repo=repo)
    stack = (Frame("/srv/lib/a.js", 3, "check", package),)
    found = weigh_evidence(event(frames=stack), record, MUCH, WHOLE)
    assert any(each.kind is Kind.PACKAGE for each in found) is agrees


def test_the_raising_frame_counts_more_than_one_above_it() -> None:
    ours, other = ("/x/site-packages/pkg/widgets.py", 41, "attach"), ("/x/a.py", 3, "main")
    raised = points(Kind.FILE, frames=frames(other, ours))
    above = points(Kind.FILE, frames=frames(ours, other))
    absent = points(Kind.FILE, frames=frames(other))
    assert raised > above > 0 > absent


def test_the_frames_of_a_panic_itself_do_not_hide_the_one_that_raised() -> None:
    record = replace(RECORD, language="rust", file_path="src/mod.rs", function="Cart::take")
    ours = Frame("./src/mod.rs", 41, "shop::Cart<T>::take::{{closure}}", "shop")
    runtime = [
        Frame("/rustc/59807616/library/core/src/option.rs", 971, "core::option::expect", "core"),
        Frame("/rustc/59807616/library/std/src/panic/mod.rs", 2245, "std::panic::f", "std"),
        Frame(None, None, "rust_begin_unwind", None),
    ]
    stack = (Frame("./src/main.rs", 3, "shop::main", "shop"), ours, *runtime)
    found = weigh_evidence(event(language="rust", frames=stack), record, MUCH, WHOLE)
    words = [each.words for each in found if each.kind in (Kind.FILE, Kind.FUNCTION)]
    assert words == ["raised in src/mod.rs", "in take"]


def test_a_line_counts_the_more_the_nearer_it_is_and_says_when_it_differs() -> None:
    def at(line: int) -> float:
        return points(Kind.LINE, frames=frames(("/x/pkg/widgets.py", line, "attach")))

    assert at(40) > at(45) > at(80) > at(400) == 0
    found = weigh_evidence(
        event(frames=frames(("/x/pkg/widgets.py", 45, "f"))), RECORD, MUCH, WHOLE
    )
    assert any("line 45" in each.words and "40" in each.words for each in found)


def test_a_function_is_compared_by_its_own_name() -> None:
    assert points(Kind.FUNCTION, frames=frames(("/x/pkg/widgets.py", 1, "Widget.attach"))) > 0
    ours, other = ("/x/pkg/widgets.py", 1, "attach"), ("/x/pkg/widgets.py", 2, "detach")
    assert points(Kind.FUNCTION, frames=frames(ours, other)) == 0
    assert points(Kind.FUNCTION, frames=frames(other)) < 0


def test_the_line_that_calls_what_raises_is_where_it_was_raised() -> None:
    ours, helper = ("/x/pkg/widgets.py", 40, "attach"), ("/x/pkg/failing.py", 3, "fail")
    main = ("/x/a.py", 3, "main")
    called = points(Kind.LINE, frames=frames(main, ours, helper))
    assert called == points(Kind.LINE, frames=frames(main, ours)) > 0
    another_line = ("/x/pkg/widgets.py", 41, "attach")
    assert points(Kind.LINE, frames=frames(main, another_line, helper)) == 0
    assert points(Kind.LINE, frames=frames(ours, main, main, main)) == 0


def test_another_language_speaks_against() -> None:
    assert points(Kind.LANGUAGE, language="java") < 0 < points(Kind.LANGUAGE)
    assert points(Kind.LANGUAGE, language="tool:make") == 0


def counts(
    said: Said, fit: Fit, record: RecordFacts, *, patterns: int = 1_000, **changes: object
) -> bool:
    shown = event(**changes)
    evidence = weigh_evidence(shown, record, said, fit)
    return counts_as_match(shown, record, evidence, said, fit, patterns=patterns)


CURATED = replace(RECORD, explained=True)


def test_little_text_counts_only_with_something_else_that_agrees() -> None:
    mostly_hole = WHOLE._replace(fixed=0.1)
    assert not counts(LITTLE, mostly_hole, CURATED)
    assert counts(LITTLE, WHOLE, CURATED, error_class="TypeError")
    assert not counts(LITTLE, PART, CURATED, error_class="TypeError")


def test_what_contradicts_leaves_a_part_of_a_message_out() -> None:
    assert not counts(Said(20, 12.0), PART, CURATED, error_class="ValueError")
    assert counts(MUCH, WHOLE, CURATED, error_class="ValueError")


SOME, LED = Said(20, 12.0), Said(20, 12.0, led=True)
HERE = frames(("/x/pkg/widgets.py", 40, "attach"))
ELSEWHERE = frames(("/x/other/main.py", 3, "main"))
LOGGED = replace(RECORD, error_class=None)
LOADED = replace(RECORD, error_class="PluginError")


@pytest.mark.parametrize(
    ("said", "record", "shown", "known"),
    [
        (SOME, RECORD, {"error_class": "TypeError"}, True),
        (SOME, RECORD, {}, True),
        (MUCH, RECORD, {}, True),
        (SOME, RECORD, {"error_class": "ValueError"}, False),
        (SOME, RECORD, {"error_class": "ValueError", "frames": HERE}, True),
        (MUCH, LOADED, {"error_class": "Error"}, False),
        (SOME, LOGGED, {}, True),
        (LED, LOGGED, {}, True),
        (LED._replace(weight=11.0), LOGGED, {}, False),
        (SOME, LOGGED, {"error_class": "ValueError"}, False),
        (SOME, LOGGED, {"language": "java"}, False),
        (SOME, LOGGED, {"language": "tool:make"}, False),
        (Said(20, 7.0), LOGGED, {}, True),
        (Said(20, 4.5), LOGGED, {}, False),
        (SOME, RECORD, {"error_class": "TypeError", "frames": ELSEWHERE}, True),
        (SOME._replace(respelled=True), RECORD, {"error_class": "TypeError"}, False),
        (SOME, LOADED, {"error_class": "pkg.errors.PluginError"}, True),
        (SOME, LOADED, {"error_class": "other.errors.PluginError"}, False),
        (LITTLE, RECORD, {"error_class": "TypeError"}, False),
        (LITTLE, RECORD, {"error_class": "TypeError", "frames": HERE}, True),
        (LITTLE, LOADED, {"error_class": "PluginError"}, True),
        (Said(6, 2.0, words=1), LOGGED, {"language": "tool:pkg"}, False),
        (Said(6, 2.0, words=3), LOGGED, {"language": "tool:pkg"}, True),
    ],
)
def test_a_harvested_record_must_earn_more(
    said: Said, record: RecordFacts, shown: dict[str, object], known: bool
) -> None:
    assert counts(said, WHOLE, record, **shown) is known


def test_a_harvested_record_of_a_wrapping_language_is_known_by_the_last_clause() -> None:
    last = PART._replace(clause=True, last=True)
    wrapped = replace(LOGGED, language="go")
    shown = {"language": "tool:git", "error_class": None}
    assert counts(Said(20, 14.0), last, wrapped, **shown)
    assert not counts(Said(20, 14.0), last._replace(last=False), wrapped, **shown)
    assert not counts(Said(20, 14.0), last, wrapped, patterns=100_000, **shown)
    assert not counts(Said(20, 14.0, led=True), last, wrapped, **shown)
    assert not counts(Said(20, 14.0), last, LOGGED, **shown)


def test_a_message_without_a_class_must_weigh_more_among_more_patterns() -> None:
    said = Said(20, 8.0)
    assert counts(said, WHOLE, LOGGED, patterns=8_000)
    assert not counts(said, WHOLE, LOGGED, patterns=100_000)
    assert counts(Said(20, 9.0), WHOLE, LOGGED, patterns=100_000)


@pytest.mark.parametrize(
    ("run", "repository", "common"),
    [
        ("/usr/lib/python3/site-packages/pkg/ops/a.py", "src/pkg/ops/a.py", 3),
        (r"C:\Lib\site-packages\pkg\ops\a.py", "python/pkg/ops/a.py", 3),
        ("/srv/a.py", "src/pkg/b.py", 0),
        ("file:///srv/app/a.js", "app/a.js", 2),
    ],
)
def test_paths_of_a_run_and_of_a_repository_meet_at_their_end(
    run: str, repository: str, common: int
) -> None:
    assert common_tail(run, repository) == common


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/venv/lib/python3.11/site-packages/tides/read.py", "tides"),
        ("C:\\venv\\Lib\\site-packages\\Tides\\read.py", "tides"),
        ("/app/node_modules/.pnpm/tides@1.2.0/node_modules/@port/tides/lib/read.js", "tides"),
        ("/app/node_modules/port/node_modules/tides/read.js", "tides"),
        (
            "/home/u/.cargo/registry/src/index.crates.io-6f17d22b/tides-rs-0.3.1/src/lib.rs",
            "tides-rs",
        ),
        ("/home/u/go/pkg/mod/github.com/port/tides@v1.2.3/read.go", "tides"),
        ("/src/vendor/github.com/port/tides/read.go", "tides"),
        ("/usr/lib/ruby/gems/3.2.0/gems/tides-7.0.4/lib/read.rb", "tides"),
        ("/srv/vendor/port/tides/src/Read.php", "tides"),
        ("/home/u/.pub-cache/hosted/pub.dev/tides-0.2.0/lib/read.dart", "tides"),
        ("package:tides/read.dart", "tides"),
        ("/srv/app/tides/read.py", None),
    ],
)
def test_an_installed_file_names_its_package(path: str, name: str | None) -> None:
    assert installed_name(path) == name


def test_classes_and_words() -> None:
    assert same_class("java.sql.SQLException", "SQLException")
    assert not same_class("KeyError", "DuplicateKeyError")
    assert is_base("Exception", "pkg.Custom")
    assert not is_base("KeyError", "ValueError")
    assert contains_word("(sqlite3.OperationalError) no", "OperationalError")
    assert not contains_word("DuplicateKeyError", "KeyError")


def test_events_that_differ_in_numbers_are_one() -> None:
    again = [event(message=f"job {n} at 0x7f{n}a0", message_line=n) for n in range(1, 60)]
    (only,) = fold(again)
    assert (only.repeats, len(only.repeat_lines)) == (58, 20)
    assert len(fold([event(), event(error_class="TypeError")])) == 2


def test_causes_are_counted_anew_when_events_fold() -> None:
    chain = [
        event(message="low", role=Role.ROOT_CAUSE),
        event(message="high", cause=0, role=Role.WRAPPER),
    ]
    folded = fold([*chain, event(message="low"), *[replace(each) for each in chain[:1]], chain[1]])
    assert [each.event.cause for each in folded if each.event.message == "high"] == [0]


def test_a_ring_of_causes_ends() -> None:
    ring = [event(message="a", cause=1), event(message="b", cause=0)]
    assert find_root_cause(ring) in (0, 1)
    assert len(fold(ring)) == 2


def test_of_several_writers_the_first_error_is_the_root() -> None:
    events = [event(message="a", writer="rank3"), event(message="b", writer="rank0")]
    assert find_root_cause(events) == 0


def test_a_line_that_a_record_explains_is_the_root_before_one_that_was_harvested() -> None:
    events = [event(message="a", language=""), event(message="b", language="")]
    assert find_root_cause(events, known={0, 1}, explained={1}) == 1
    assert find_root_cause(events, known={1}) == 1
    assert find_root_cause(events, known={0, 1}) == 0


def test_only_symptoms_have_no_root() -> None:
    assert find_root_cause([event(role=Role.SYMPTOM)]) is None
    assert find_root_cause([]) is None


def test_a_near_miss_says_what_differs() -> None:
    near = near_miss(event(message="the widget needs a grandparent"), RECORD)
    assert near is not None
    assert (near.missing, near.other) == (("parent",), ("grandparent",))
    assert "parent" in near.why
    assert near_miss(event(message="a quite different sentence"), RECORD) is None


def answer(paste: str, limits: MatchLimits | None = None, **patterns: str) -> Answer:
    facts = {key: RecordFacts(key, "a/b", source, source) for key, source in patterns.items()}
    matcher = Matcher(PatternSet.compile((key, each.pattern) for key, each in facts.items()))
    return matcher.match(paste, lambda ids: {key: facts[key] for key in ids}, limits)


def test_an_empty_paste_has_an_empty_answer() -> None:
    assert answer("", a="the widget needs a parent").events == []


def test_two_records_with_one_pattern_are_ambiguous() -> None:
    found = answer(
        "ERROR the widget needs a parent", a="widget needs a parent", b="widget needs a parent"
    )
    (only,) = found.events
    assert only.outcome is Outcome.AMBIGUOUS
    assert [match.group for match in only.matches] == [1, 1]


def test_the_place_of_a_match_is_that_in_the_paste_as_it_was_given() -> None:
    paste = "fine\r\n\x1b[31m2026-11-29T12:00:00Z ERROR the widget 7 needs a parent\x1b[0m\r\n"
    found = answer(paste, a=r"the widget (\d+) needs a parent")
    (match,) = found.events[0].matches
    assert paste[match.place.start : match.place.end] == "the widget 7 needs a parent"
    (capture,) = match.captures
    assert (paste[capture.place.start : capture.place.end], capture.place.line) == ("7", 2)


def test_a_bound_that_was_hit_is_told() -> None:
    paste = "".join(f"ERROR failure of kind {chr(97 + n % 26) * (n % 9 + 1)}\n" for n in range(200))
    found = answer(paste, MatchLimits(events=5), a="failure of kind")
    assert not found.complete
    assert "more than 5 errors" in found.limits_hit[0]


def test_time_that_ran_out_is_told() -> None:
    ticks = iter(range(10_000))
    matcher = Matcher(PatternSet.compile([("a", "the widget")]), clock=lambda: float(next(ticks)))
    found = matcher.match("ERROR the widget\n" * 3, lambda ids: {}, MatchLimits(seconds=2))
    assert not found.complete
    assert any("ran out" in reason or "too long" in reason for reason in found.limits_hit)


def test_a_bound_that_several_passes_hit_is_told_once() -> None:
    ticks: list[float] = []

    def clock() -> float:  # goes on only while patterns are looked for
        if ticks:
            ticks.append(ticks[-1] + 1)
        return ticks[-1] if ticks else 0.0

    class SlowPatterns(PatternSet):
        def find(self, *args: Any, **more: Any) -> Any:
            ticks.append(ticks[-1] if ticks else 0.0)
            return super().find(*args, **more)

    patterns = SlowPatterns.compile([("a", "the widget (.+) needs a parent")])
    paste = "ERROR the widget 1 needs a parent\nthe widget 2\nneeds a parent\n" * 3
    found = Matcher(patterns, clock=clock).match(paste, lambda ids: {}, MatchLimits(seconds=2))
    assert len(found.limits_hit) == 1
    assert "ran out after 0 %" in found.limits_hit[0]


@pytest.mark.parametrize("paste", ["", "\n", " \r\n\t", "\x1b[0m\n", b"\n", "\ufeff"])
def test_a_paste_in_which_nothing_is_written_has_no_lines(paste: str | bytes) -> None:
    answer = Matcher(PatternSet.compile([])).match(paste, lambda ids: {})
    assert (answer.lines, answer.lines_matched) == (0, 0)


def test_a_line_of_text_is_counted_with_the_blank_ones_around_it() -> None:
    answer = Matcher(PatternSet.compile([])).match("\n\nx\n", lambda ids: {})
    assert answer.lines == 3


@pytest.mark.parametrize(
    "wrapper",
    [
        "SQLSTATE[42S21]: Column already exists: 1060 {}",
        "SQLSTATE[HY000] [1060] {}",
        'django.db.utils.OperationalError: (1060, "{}")',
    ],
)
def test_a_database_driver_may_put_its_own_words_before_a_message(wrapper: str) -> None:
    message = "Duplicate column name 'status'"
    text = wrapper.format(message)
    pattern = compile_pattern("Duplicate (?:column|key) name '([^']+)'")
    place = pattern.search(text)
    assert place is not None
    assert fit_in(text, 0, place, 20).begins
    torn = pattern.search(f"it is not a {message}")
    assert torn is not None
    assert not fit_in(f"it is not a {message}", 0, torn, 20).begins
