"""What is said of an error by its class and its stack alone."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from errdex.formats.first_steps import first_steps
from errdex.matching.model import Event, Frame, Role
from errdex.records.causes import Cause
from errdex.records.messages.filling import code_of

CAUSE = Cause("bad-value", "A bad value", "The value is bad.", checks=("Print it.",))
OWN = Frame("/home/ada/shop/run.py", 4, "main")
INSIDE = Frame("/home/ada/.venv/lib/python3.12/site-packages/sklearn/svm/base.py", 9, "fit")
GEM = Frame("/usr/lib/ruby/gems/3.1.0/gems/rack-2.2.3/lib/rack.rb", 3, "call")
JAVA = (Frame("Main.java", 5, "com.acme.Main.main"), Frame("Pump.java", 7, "org.pump.Pump.on"))


def event(*frames: Frame, role: Role = Role.ALONE) -> Event:
    return Event("python", "ValueError", "said", 1, 1, 1, frames=frames, role=role)


def steps(
    frames: Sequence[Frame], cause: Cause | None = None, repo: str | None = None
) -> list[str]:
    found = first_steps(event(*frames), cause, repo)
    return list(found.steps) if found else []


def test_a_package_that_raised_is_named_with_its_update() -> None:
    found = first_steps(event(OWN, INSIDE), CAUSE, None)
    assert found is not None
    assert (found.package, found.package_version) == ("scikit-learn", None)
    assert (found.cause_tag, found.cause_title, found.explanation) == (
        "bad-value",
        "A bad value",
        "The value is bad.",
    )
    own, update, check, back = found.steps
    assert "scikit-learn raised it" in own
    assert "shop/run.py line 4" in own
    assert code_of(update) == [("python -m pip install --upgrade scikit-learn", "sh")]
    assert check == "Print it."
    assert "upgrade" in back


def test_the_version_in_a_path_is_told() -> None:
    found = first_steps(event(GEM), None, None)
    assert found is not None
    assert found.package_version == "2.2.3"
    assert "rack 2.2.3" in found.steps[0]
    assert "bundle update rack" in found.steps[0]


def test_own_code_that_raised_is_named() -> None:
    assert steps([OWN], CAUSE) == [
        "Your own code raised it, in shop/run.py line 4: see there what it checks for.",
        "Print it.",
    ]


def test_a_stack_without_paths_names_no_code_as_own() -> None:
    (step,) = steps(JAVA)
    assert "first line of the stack that is of your own packages" in step


def test_of_a_known_error_only_another_package_is_spoken_of() -> None:
    assert len(steps([OWN, INSIDE], CAUSE, "python/cpython")) == 2
    assert steps([OWN, INSIDE], CAUSE, "scikit-learn/scikit-learn") == []
    assert steps([OWN], CAUSE, "python/cpython") == []
    assert steps([GEM], None, "rack/rack") == []


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert first_steps(event(), None, None) is None
    assert first_steps(event(OWN, INSIDE, role=Role.SYMPTOM), CAUSE, None) is None


HOSTILE = st.text(st.sampled_from("`'\"$(){};|&<>\\/. \n\r\x1b[]https:rmxa1-_@"), max_size=60)


@given(HOSTILE, HOSTILE)
def test_no_path_of_a_paste_becomes_a_command_or_a_link(own: str, inside: str) -> None:
    frames = (
        Frame(f"/home/{own}", 4, own),
        Frame(f"/x/node_modules/{inside}/index.js", 9, inside),
    )
    for step in steps(frames):
        assert "://" not in step
        for code, _ in code_of(step):
            words = code.split(" ")
            assert words[:2] == ["npm", "install"]
            assert len(words) == 3
            assert not set(words[2]) & set("`'\"$(){};|&<>\\\n")
