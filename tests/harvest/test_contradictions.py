"""Which conditions cannot hold together, as their texts tell."""

from __future__ import annotations

from tests.loops import for_each

from errdex.harvest.messages.contradictions import are_contradictory, possible
from errdex.harvest.messages.wording import Wording
from errdex.harvest.model import Fixed
from errdex.harvest.trees.guards import Guards

TOGETHER = [
    ("x", "x"),
    ("x", "y"),
    ("x", "!y"),
    ("x", "(x)"),
    ("!!x", "x"),
    ("k === 1", "k !== 2"),
    ("k === 1", "j === 2"),
    ("k !== 1", "k !== 2"),
    ("k == a", "k == b"),
    ("a || b", "!a"),
    ("a && b", "!a"),
    ("not x == y", "x != y"),
    ("it.next() == 1", "it.next() != 1"),
    ("isNext(x)", "!isNext(x)"),
    ("!a.b", "c.a.b"),
    ("!a + b", "a + b"),
]
APART = [
    ("x", "!x"),
    ("(x)", "!(x)"),
    ("!x", "!!x"),
    ("y", "x", "not x"),
    ("k === 1", "k !== 1"),
    ("k === 1", "!(k === 1)"),
    ("k == 1", "k == 2"),
    ('k == "a"', 'k == "b"'),
    ("x is None", "x is not None"),
    ("isset($x)", "!isset($x)"),
    ("x.isEmpty()", "!x.isEmpty()"),
    ("$this->closed", "!$this->closed"),
]


@for_each(lambda: [(" | ".join(each), each) for each in TOGETHER])
def test_conditions_that_may_hold_together(conditions: tuple[str, ...]) -> None:
    assert not are_contradictory(conditions)


@for_each(lambda: [(" | ".join(each), each) for each in APART])
def test_conditions_that_cannot_hold_together(conditions: tuple[str, ...]) -> None:
    assert are_contradictory(conditions)
    assert are_contradictory(conditions[::-1])


def test_ways_that_cannot_be_are_left_out_unless_none_can() -> None:
    way, other = (Wording((Fixed(text),), (text,)) for text in ("a", "!a"))
    assert possible([way, other], ["a"]) == [way]
    assert possible([way, other], ["b"]) == [way, other]
    assert possible([other], ["a"]) == [other]
    assert possible([other, other], ["a"]) == [other, other]


def test_a_condition_is_turned_round_by_its_words() -> None:
    guards = Guards()
    turned = {
        "a": "!a",
        "!a": "a",
        "a == b": "a != b",
        "a !== null": "a === null",
        "a || b": "!(a || b)",
        "!(a || b)": "(a || b)",
        "(a || b)": "!(a || b)",
        "$a->b(1)": "!$a->b(1)",
        "a + 1 > b": "!(a + 1 > b)",
    }
    assert {text: guards.turned(text) for text in turned} == turned


def test_of_many_conditions_the_nearest_are_kept() -> None:
    from errdex.harvest.trees.guards import Condition

    long = [Condition(f"condition_{n}({'x' * 80})") for n in range(6)]
    said = Guards().joined(long)
    assert said == " && ".join(each.text for each in long[-3:])
    assert Guards().joined([Condition("x" * 900)]) == "x" * 900
    assert Guards().joined([Condition("x" * 1100)]) is None
