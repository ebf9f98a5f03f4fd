"""`errdex run`: a program notices nothing, and what is known of its failure is shown below it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.forked import ForkedCommand
from tests.cli.shop import load_shop
from tests.cli.user_terminal import UserTerminal

from errdex.cli.running.kept_output import KeptOutput

pytestmark = [pytest.mark.slow, pytest.mark.tools("setsid")]
ERRDEX = str(Path(sys.executable).with_name("errdex"))
RUN = [ERRDEX, "run", "--"]
KNOWN = "ShopError: Basket 7 is empty"
FIX = b"Add an article before checkout."


@pytest.fixture(scope="module")
def env(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return load_shop(forked, tmp_path_factory.mktemp("home"), PATH=path, TERM="xterm-256color")


def piped(env: dict[str, str], *command: str, **more) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*RUN, *command], env=env, capture_output=True, timeout=300, **more)


# Pipes


def test_both_streams_stay_apart_and_what_is_known_is_below(env) -> None:
    script = f"printf 'out\\0\\377'; echo '{KNOWN}' >&2; exit 7"
    done = piped(env, "sh", "-c", script)
    assert done.returncode == 7
    assert done.stdout == b"out\0\xff"
    first, _, rest = done.stderr.partition(b"\n")
    assert first == KNOWN.encode()
    assert b"errdex: 1 of 1 error known" in rest
    assert FIX in rest


def test_a_success_is_passed_on_and_nothing_else(env) -> None:
    done = piped(env, "sh", "-c", f"cat; echo '{KNOWN}' >&2", input=b"in\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"in\n", f"{KNOWN}\n".encode())


def test_options_behind_the_command_are_its_own(env) -> None:
    done = subprocess.run(
        [ERRDEX, "run", "printf", "%s|", "--limit", "--help", "--"],
        env=env, capture_output=True, timeout=300,
    )  # fmt: skip
    assert done.stdout == b"--limit|--help|--|"


def test_unknown_errors_and_quiet_failures_are_said_shortly_or_not_at_all(env) -> None:
    done = piped(env, "sh", "-c", "echo 'NapkinError: unheard of'; exit 2")
    assert (done.returncode, done.stdout) == (2, b"NapkinError: unheard of\n")
    assert done.stderr == b"errdex: 1 error found, no match yet.\n"
    done = piped(env, "false")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_what_cannot_be_run_has_the_shells_exit_codes(env, tmp_path: Path) -> None:
    done = piped(env, "no-such-program")
    assert (done.returncode, done.stdout) == (127, b"")
    assert done.stderr == b"errdex: no-such-program: No such file or directory.\n"
    (tmp_path / "plain").touch()
    done = piped(env, str(tmp_path / "plain"))
    assert done.returncode == 126
    assert b"Permission denied" in done.stderr


def test_a_missing_database_changes_nothing_about_the_command(env) -> None:
    done = piped(
        {**env, "ERRDEX_DATABASE_URL": "sqlite:////no/such.db"}, "sh", "-c", "echo a; exit 9"
    )
    assert (done.returncode, done.stdout) == (9, b"a\n")
    assert b"errdex: " in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_is_passed_on_and_both_end_by_it(env, number) -> None:
    process = subprocess.Popen(
        [*RUN, "sh", "-c", f"echo '{KNOWN}'; exec sleep 60"],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == f"{KNOWN}\n".encode()
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (-number, b"", b"")


def test_a_program_may_handle_a_signal(env) -> None:
    process = subprocess.Popen(
        [*RUN, "sh", "-c", "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.1; done"],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == b"ready\n"
    process.terminate()
    out, _ = process.communicate(timeout=120)
    assert (process.returncode, out) == (5, b"bye\n")


def test_a_crash_is_explained_and_has_the_shells_exit_code(env) -> None:
    done = piped(env, "sh", "-c", f"echo '{KNOWN}'; kill -SEGV $$")
    assert done.returncode == 128 + signal.SIGSEGV
    assert FIX in done.stderr


def test_a_reader_that_leaves_ends_the_program(env) -> None:
    command = " ".join([*RUN, "yes"])
    done = subprocess.run(["bash", "-c", f"{command} | head -n 1; echo ${{PIPESTATUS[0]}}"],
                          env=env, capture_output=True, timeout=300)  # fmt: skip
    assert done.stdout == b"y\n141\n"
    assert done.stderr == b""


def test_what_stays_in_the_background_is_not_waited_for(env) -> None:
    done = piped(env, "sh", "-c", f"echo '{KNOWN}'; sleep 600 & exit 3")
    assert done.returncode == 3
    assert FIX in done.stderr


def test_another_format_goes_to_standard_error(env) -> None:
    command = [ERRDEX, "run", "--format", "github", "--", "sh", "-c", f"echo '{KNOWN}'; exit 1"]
    done = subprocess.run(command, env=env, capture_output=True, timeout=300)
    assert done.stdout == f"{KNOWN}\n".encode()
    assert done.stderr.startswith(b"::error title=ShopError%3A Basket 7 is empty::")


def test_the_answer_can_be_written_to_a_file(env, tmp_path: Path) -> None:
    script = f"echo '{KNOWN}'; echo; echo 'NapkinError: unheard of'; exit $0"

    def run(code: int, *options: object) -> subprocess.CompletedProcess[bytes]:
        command = [ERRDEX, "run", *options, "--", "sh", "-c", script, str(code)]
        return subprocess.run(command, env=env, capture_output=True, timeout=300)

    file = tmp_path / "errors.sarif"
    done = run(0, "--format", "sarif", "--output", file)
    assert (done.returncode, file.exists()) == (0, False)
    done = run(9, "--format", "sarif", "--output", file)
    assert (done.returncode, done.stderr) == (9, b"")
    (report,) = json.loads(file.read_bytes())["runs"]
    assert len(report["results"]) == 2
    done = run(9, "-o", tmp_path / "errors.txt")
    assert done.stderr == b""
    assert FIX in (tmp_path / "errors.txt").read_bytes()


def test_a_file_that_cannot_be_written_is_said_before_the_command_runs(env, tmp_path: Path) -> None:
    for wrong in (tmp_path, tmp_path / "none" / "file"):
        command = [ERRDEX, "run", "-o", wrong, "--", "sh", "-c", "echo ran; exit 7"]
        done = subprocess.run(command, env=env, capture_output=True, timeout=300)
        assert (done.returncode, done.stdout) == (2, b"")
        assert len(done.stderr.splitlines()) == 1
    command = [ERRDEX, "run", "-o", "/dev/full", "--", "sh", "-c", f"echo '{KNOWN}'; exit 7"]
    done = subprocess.run(command, env=env, capture_output=True, timeout=300)
    assert (done.returncode, done.stdout) == (7, f"{KNOWN}\n".encode())
    assert b"/dev/full" in done.stderr


def test_output_is_kept_in_bounded_memory() -> None:
    kept = KeptOutput(head=10, tail=20)
    for number in range(1_000):
        kept.add(b"%03d\n" % number)
    data = kept.data()
    assert data.startswith(b"000\n001\n00\n")
    assert data.endswith(b"998\n999\n")
    assert len(data) < 40
    small = KeptOutput(head=10, tail=20)
    small.add(b"0123456789abc")
    assert small.data() == b"0123456789abc"


# Terminals

LOOK = """
import os, sys
print([os.isatty(n) for n in (0, 1, 2)], os.get_terminal_size(), os.ttyname(1) == os.ttyname(0))
print("\\x1b[31mred\\x1b[0m", flush=True)
"""


def test_a_program_has_a_terminal_with_its_size_and_colours(env) -> None:
    with UserTerminal([*RUN, sys.executable, "-c", LOOK], env, size=(31, 97)) as user:
        assert user.wait() == 0
    assert b"[True, True, True] os.terminal_size(columns=97, lines=31) True" in user.shown
    assert b"\x1b[31mred\x1b[0m" in user.shown


def test_what_is_known_is_below_in_colour(env) -> None:
    with UserTerminal([*RUN, "sh", "-c", f"echo '{KNOWN}'; exit 3"], env) as user:
        before = user.settings()
        assert user.wait() == 3
        assert user.settings() == before
    assert user.shown.startswith(f"{KNOWN}\r\n".encode())
    assert FIX in user.shown
    assert b"\x1b[1m" in user.shown.partition(b"\r\n")[2]


def test_a_change_of_size_reaches_the_program(env) -> None:
    script = "trap 'stty size; exit 4' WINCH; echo ready; while :; do sleep 0.1; done"
    with UserTerminal([*RUN, "bash", "-c", script], env) as user:
        user.wait_for(b"ready")
        user.resize(40, 111)
        user.process.send_signal(signal.SIGWINCH)  # which a real terminal's system sends
        assert user.wait() == 4
    assert b"40 111" in user.shown


def test_ctrl_c_ends_the_program_and_nothing_is_explained(env) -> None:
    with UserTerminal([*RUN, "sh", "-c", f"echo '{KNOWN}'; exec sleep 60"], env) as user:
        before = user.settings()
        user.wait_for(b"empty")
        user.press(b"\x03")
        assert user.wait() == -signal.SIGINT
        assert user.settings() == before
    assert FIX not in user.shown


def test_keys_reach_the_program_as_they_are(env) -> None:
    read = "print('ready', flush=True); print(sys.stdin.buffer.read1(9))"
    program = f"import sys, tty; tty.setraw(0); {read}"
    with UserTerminal([*RUN, sys.executable, "-c", program], env) as user:
        user.wait_for(b"ready")
        user.press(b"\x03\x1a\x04\r\xff")
        assert user.wait() == 0
    assert b"b'\\x03\\x1a\\x04\\r\\xff'" in user.shown


def test_the_end_of_input_and_a_large_paste_reach_the_program(env) -> None:
    with UserTerminal(
        [*RUN, "sh", "-c", "stty -echo -icanon; echo ready; head -c 100000 | wc -c"], env
    ) as user:
        user.wait_for(b"ready")
        for _ in range(100):
            user.press(b"x" * 1_000)
        assert user.wait() == 0
    assert b"100000" in user.shown
    with UserTerminal([*RUN, "sh", "-c", "echo ready; exec cat"], env) as user:
        user.wait_for(b"ready")
        user.press(b"hello\n\x04")
        assert user.wait() == 0
    assert b"hello\r\nhello\r\n" in user.shown


def test_standard_error_in_a_file_stays_apart(env, tmp_path: Path) -> None:
    with (tmp_path / "err").open("wb") as file:
        command = [*RUN, "sh", "-c", "echo out; echo err >&2; exit 1"]
        with UserTerminal(command, env, stderr=file.fileno()) as user:
            assert user.wait() == 1
    assert user.shown == b"out\r\n"
    assert (tmp_path / "err").read_bytes() == b"err\n"


def test_standard_input_from_a_pipe_stays_one(env) -> None:
    program = "import os, sys; print(os.isatty(0), os.isatty(1), sys.stdin.read())"
    line = f"echo from a pipe | {' '.join(RUN)} {sys.executable} -c '{program}'"
    with UserTerminal(["sh", "-c", line], env) as user:
        assert user.wait() == 0
    assert b"False True from a pipe" in user.shown


def test_ctrl_c_in_a_pipeline_reaches_every_program(env) -> None:
    line = f"sh -c 'sleep 60; echo late' | {' '.join(RUN)} sh -c 'echo ready; cat; echo late'"
    with UserTerminal(["bash", "-c", line], env) as user:
        user.wait_for(b"ready")
        user.press(b"\x03")
        assert user.wait() == -signal.SIGINT
    assert b"late" not in user.shown


def test_ctrl_z_stops_and_fg_goes_on(env) -> None:
    with UserTerminal(["bash", "--norc", "-i"], {**env, "PS1": "$ "}) as user:
        user.wait_for(b"$ ")
        user.press(" ".join([*RUN, "sh -c 'echo go; sleep 1; echo went; exit 6'"]).encode() + b"\n")
        user.wait_for(b"go\r\n")
        user.press(b"\x1a")
        user.wait_for(b"Stopped")
        user.press(b"fg\n")
        user.wait_for(b"went\r\n")
        user.wait_for(b"2004h$ ", 3)
        user.press(b"echo code=$?\n")
        user.wait_for(b"code=6\r\n")
        user.press(b"exit\n")
        user.wait()


# Real tools: the same output and exit code as without, in a terminal and in pipes

FILES = {
    "Makefile": "all:\n\t@printf '\\033[32mgreen\\033[0m\\n'\n\t@exit 3\n",
    "bad.c": "int main(void) { return x; }\n",
    "bad.py": "import no_such_module\n",
    "bad.js": "console.log('a'); null.f()\n",
    "bad.rs": "fn main() { let x: u8 = -1; }\n",
    "bad.pl": "die qq(no\\n);\n",
    "bad.go": "package main\nfunc main() { x }\n",
    "Bad.java": "class Bad { int f() { return x; } }\n",
}
TOOLS = {
    "make": ["make"],
    "gcc": ["gcc", "-c", "bad.c"],
    "python3": ["python3", "bad.py"],
    "node": ["node", "bad.js"],
    "rustc": ["rustc", "bad.rs"],
    "perl": ["perl", "bad.pl"],
    "go": ["go", "vet", "bad.go"],
    "java": ["java", "Bad.java"],
    "git": ["git", "-C", "missing", "status"],
    "bash": ["bash", "-c", "ls --color=always no-such-file; exit 44"],
    "npm": ["npm", "run", "no-such-script"],
    "tar": ["tar", "xf", "bad.c"],
}
_TIMES = re.compile(rb"\d\d\d\d-\d\d-\d\dT[\d_:.-]+Z?|\d+\.\d+s|\[\d+\]|:0x[0-9a-f]+")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.tools(name, "setsid")) for name in TOOLS]
)
def test_a_real_tool_notices_nothing(env, tmp_path: Path, name: str) -> None:
    for file, text in FILES.items():
        (tmp_path / file).write_text(text)
    given = {**os.environ, **env, "HOME": os.environ.get("HOME", env["HOME"])}
    command = [shutil.which(name) or name, *TOOLS[name][1:]]
    plain = subprocess.run(command, env=given, cwd=tmp_path, capture_output=True, timeout=300)
    under = piped(given, *command, cwd=tmp_path)
    assert plain.returncode != 0
    assert under.returncode == plain.returncode
    assert _TIMES.sub(b"", under.stdout) == _TIMES.sub(b"", plain.stdout)
    assert _TIMES.sub(b"", under.stderr).startswith(_TIMES.sub(b"", plain.stderr))
    with UserTerminal(command, given, cwd=tmp_path) as direct:
        code = direct.wait()
    with UserTerminal([*RUN, *command], given, cwd=tmp_path) as user:
        assert user.wait() == code == plain.returncode
    assert _TIMES.sub(b"", user.shown).startswith(_TIMES.sub(b"", direct.shown))
