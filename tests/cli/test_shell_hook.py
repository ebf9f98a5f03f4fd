"""`errdex shell-hook`: a failed command is offered to be run again, and never is by itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.cli.forked import ForkedCommand
from tests.cli.shop import load_shop
from tests.cli.user_terminal import UserTerminal

pytestmark = [pytest.mark.slow]
SHELLS = {
    "bash": (["bash", "--norc", "-i"], 'eval "$(errdex shell-hook bash)"', "$?"),
    "zsh": (["zsh", "-f", "-i"], 'eval "$(errdex shell-hook zsh)"', "$?"),
    "fish": (["fish", "--no-config", "-i"], "errdex shell-hook fish | source", "$status"),
}
"""How it is started and reads the hook, and where it has the last exit code."""
OFFER = b"errdex-again runs the command once more"
FAILING = "echo run >>ran; echo ShopError: Basket 7 is empty; sh -c 'exit 9'"


@pytest.fixture(scope="module")
def env(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return load_shop(forked, tmp_path_factory.mktemp("home"), PATH=path, TERM="dumb")


@pytest.mark.parametrize(
    "shell", [pytest.param(each, marks=pytest.mark.tools(each, "setsid")) for each in SHELLS]
)
def test_a_failure_is_offered_to_be_run_again(env, tmp_path: Path, shell: str) -> None:
    command, hook, status = SHELLS[shell]
    ran = tmp_path / "ran"
    with UserTerminal(command, env, cwd=tmp_path, size=(50, 200)) as user:

        def enter(line: str, then: str = "") -> bytes:
            """What a line shows; `then` is waited for, since a program that runs takes all keys."""
            shown = len(user.shown)
            user.press(line.encode() + b"\n")
            if then:
                user.wait_for(then.encode())
            user.press(b"echo mark''%d\n" % shown)  # typed, it is not what is waited for
            user.wait_for(b"\nmark%d\r\n" % shown)
            return user.shown[shown:]

        assert OFFER not in enter(hook)
        assert OFFER not in enter("true")
        assert b"no command has failed yet" in enter("errdex-again")
        assert b"errdex: exit code 9. errdex-again" in enter(FAILING)
        assert ran.read_text() == "run\n"
        for quiet in ("", "sh -c 'exit 130'", "true", "errdex no-such-command"):
            assert OFFER not in enter(quiet), quiet
        assert ran.read_text() == "run\n"
        shown = enter("errdex-again", "errdex show ")
        assert ran.read_text() == "run\nrun\n"
        assert b"Add an article before checkout." in shown
        assert OFFER not in shown
        assert b"code=9" in enter(f"sh -c 'exit 9'\necho code={status}")


def test_a_hook_is_for_a_shell_that_is_known(forked: ForkedCommand, env: dict[str, str]) -> None:
    assert forked.run(("shell-hook", "csh"), env=env).returncode == 2
    for shell in SHELLS:
        done = forked.run(("shell-hook", shell), env=env)
        assert done.returncode == 0
        assert b"errdex run --" in done.stdout
