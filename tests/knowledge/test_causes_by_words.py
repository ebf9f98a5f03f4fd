"""Causes that the words of a search name."""

from __future__ import annotations

from errdex.knowledge.causes import search
from errdex.records.causes import Cause
from errdex.store import KnownCause

KNOWN = {
    tag: KnownCause("starter", Cause(tag, title, "What is behind it."))
    for tag, title in (
        ("timeout", "It took too long"),
        ("connection-timeout", "No answer in time while connecting"),
        ("pytorch-module", "The PyTorch module is not complete"),
        ("perl-missing-module", "A Perl module is not there"),
    )
}


def test_the_closest_comes_first() -> None:
    assert search("connection timeout", KNOWN, 3) == ["connection-timeout"]
    assert search("Perl module", KNOWN, 3) == ["perl-missing-module"]


def test_one_word_names_a_cause_only_as_its_whole_name() -> None:
    assert search("timeout", KNOWN, 3) == ["timeout"]
    assert search("module", KNOWN, 3) == []
