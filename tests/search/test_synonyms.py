"""The names that mean the same, as the file lists them and as a query has them."""

from __future__ import annotations

import pytest
import yaml

from errdex.search.synonyms import SYNONYMS, find_names, load_groups, read_groups, read_name


def test_every_line_of_the_file_has_several_different_names() -> None:
    for group in yaml.safe_load(SYNONYMS.read_text("utf-8")):
        parts = [read_name(str(name)).parts for name in group]
        assert len(parts) > 1, group
        assert all(parts), group
        assert len({" ".join(each) for each in parts}) == len(parts), group


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("segmentation fault in main", ["segmentation fault"]),
        ("exit code 137", ["exit code 137"]),
        ("exit code 1", []),
        ("k8s pod oom", ["k8s", "oom"]),
        ("port already in use", ["port already in use"]),
        ("", []),
    ],
)
def test_names_are_found_in_a_query(query: str, names: list[str]) -> None:
    parts = query.split()
    found = [" ".join(parts[each.start : each.end]) for each in find_names(parts, load_groups())]
    assert found == names


def test_the_longest_name_is_taken_and_groups_may_share_one() -> None:
    groups = read_groups([["a", "x"], ["a b", "y"], ["A", "ZeroError"]])
    assert [each.others for each in find_names(["a", "b"], groups)] == [(("y",),)]
    assert [each.others for each in find_names(["a"], groups)] == [(("x",), ("zeroerror",))]
