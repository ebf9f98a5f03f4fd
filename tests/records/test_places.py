"""The places of a stored record, whatever an earlier version let in under their key."""

from __future__ import annotations

from errdex.records.places import PlaceFacts, at_place, count_places, list_places

ODD = ("a string", 7, None, {"filePath": "a.py"}, ["a.py", None, 7, {}, {"filePath": 3}])


def test_what_is_no_list_of_places_is_none() -> None:
    for value in ODD:
        body = {"filePath": "own.py", "places": value, "placesLeftOut": "many"}
        assert list_places(body) == []
        assert count_places(body) == 0
        assert at_place(body, 0) == {"filePath": "own.py"}


def test_what_is_no_place_is_passed_over_and_not_counted() -> None:
    body = {"filePath": "own.py", "raisedWhen": "x", "places": [7, {"filePath": "b.py"}]}
    body |= {"placesLeftOut": 3}
    assert list_places(body) == [PlaceFacts("b.py", None, None)]
    assert count_places(body) == 4
    assert at_place(body, 1) == {"filePath": "b.py"}
