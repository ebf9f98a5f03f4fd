"""`tests/expected_skips.txt` lists what reproductions need, with the number of those that do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.reproductions.running import Reproduction, load_reproductions
from tests.reproductions.services import START_COMMANDS, USERS
from tests.skips import read_expected

MISSING = "missing here: "
BUILT = "./"


def reasons(case: Reproduction) -> Iterator[str]:
    """Each reason for which a reproduction may be skipped."""
    commands = {*case.needs, case.run[0], *(command[0] for command in case.setup)}
    for command in commands:
        if command.startswith("python3."):
            yield f"Python {command.removeprefix('python')}"
        elif command != "python" and not command.startswith(BUILT):
            yield f"the command {command}"
    if commands & {"rustc", "cargo"}:
        yield "a Rust toolchain (rustup is there, and none is chosen)"
    if case.modules:
        yield "the Python modules * (run tests/reproductions/prepare.py)"
    if case.packages:
        yield "the npm package * (run tests/reproductions/prepare.py)"
    if case.service:
        yield "a server that starts (it ended or never answered)"
        for command in START_COMMANDS[case.service]:
            yield f"the server command {command}"
        if case.service in USERS:
            yield f"the user {USERS[case.service]}, since this server refuses to run as root"


def test_the_list_has_each_thing_with_the_number_of_reproductions_that_need_it() -> None:
    needed = Counter(MISSING + reason for case in load_reproductions() for reason in reasons(case))
    listed = {
        reason: most for reason, most in read_expected().items() if reason.startswith(MISSING)
    }
    assert listed == needed
