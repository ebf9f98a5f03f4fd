"""`errdex show` and `errdex explain`: what may name a record, and how it is printed."""

from __future__ import annotations

import json
import os
import pty
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import pytest
from tests.cli.forked import ForkedCommand
from tests.cli.shop import load_shop
from tests.cli.terminal_output import read_terminal
from tests.knowledge_base import SHOP, record

ERRDEX = Path(sys.executable).with_name("errdex")
LONG = (
    "A basket is worn out when it was carried to the checkout more often than its handle allows, "
    "which the shop counts from the first day on, and nobody resets."
)
WORN = record(
    "Basket {basket_id} is worn out",
    id="abcd000000000001",
    errorCode="E0382",
    errorClass="WornError",
    backgroundTag="worn-out",
    documentation=LONG,
    solutions=[
        "Mend it: `shop basket mend --handle --with=willow --repeat=7 --until=checkout "
        "{{basket_id}}`. Then carry it less often than before, and count again from the first "
        "day on.",
        "```bash\nshop basket replace --all --with-a-new-one --and-keep-what-is-in-it "
        "--no-questions-at-all\n```",
    ],
    exampleFix="basket.carry()   \nbasket.rest()",
)  # fmt: skip
EVIL = record(
    "Torn \x9b31m {x}\u202e thing",
    id="abcd000000000002",
    slug="torn",
    errorCode="E0382",
    errorMessage="Torn {x}\u202e thing",
    documentation="see \u202egnp.exe and \u2066this",
    solutions=["press \u2066any\u2069 key"],
)
PLACED = record(
    "Kettle {kettle_id} is wet",
    id="dcba000000000001",
    filePath="shop/kettle.py",
    lineNumber=3,
    places=[
        {"filePath": "shop/rain.py", "lineNumber": 9, "function": "fall", "raisedWhen": "not dry"},
        *({"filePath": f"shop/f{n}.py"} for n in range(30)),
    ],
    placesLeftOut=5,
)
CAUSE = {
    "tag": "worn-out",
    "title": "Worn out",
    "text": LONG + " \u202egnp.exe",
    "tell": "By its handle.",
    "checks": ["Look at it. `shop basket look`"],
}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def environment(forked: ForkedCommand, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    records = [*SHOP, WORN, EVIL, PLACED, CAUSE]
    return load_shop(forked, tmp_path_factory.mktemp("home"), records)


@pytest.fixture(scope="module")
def errdex(forked: ForkedCommand, environment: dict[str, str]) -> Run:
    return lambda *words: forked.run(words, text=True, env=environment)


@pytest.mark.parametrize("command", ["show", "explain"])
@pytest.mark.parametrize(
    "name",
    [
        ["abcd000000000001"],
        ["ABCD000000000001"],
        ["https://errdex.example/errors/abcd000000000001/basket-is-worn-out"],
        ["/errors/abcd000000000001"],
        ["WornError"],
        ["wornerror"],
        ["worn", "out"],
        ["Basket 7 is worn out"],
    ],
    ids=" ".join,
)
def test_a_record_is_shown_by_whatever_names_it(errdex: Run, command: str, name) -> None:
    done = errdex(command, *name)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Basket {basket_id} is worn out" in done.stdout
    assert "id abcd000000000001" in done.stdout


@pytest.mark.parametrize(
    ("name", "number"), [(["abcd"], 2), (["E0382"], 2), (["basket"], 3)], ids=str
)
def test_several_records_are_listed_to_choose_from(errdex: Run, name, number: int) -> None:
    done = errdex("show", *name)
    assert done.returncode == 1
    assert len(re.findall(r"errdex show [0-9a-f]{16}", done.stdout)) == number
    assert f"{number} records may be meant" in done.stderr


@pytest.mark.parametrize(
    "name",
    [["zzzz"], [""], ["ffff"], ["0" * 16], ["https://errdex.example/"], ["/errors/x"], ["//["]],
    ids=" ".join,
)
def test_what_names_nothing_is_said(errdex: Run, name) -> None:
    done = errdex("show", *name)
    assert (done.returncode, done.stdout) == (1, "")
    assert "errdex: Nothing is named" in done.stderr
    assert "Traceback" not in done.stderr


def test_further_places_are_listed_below_the_source(errdex: Run) -> None:
    shown = errdex("show", "dcba000000000001").stdout
    assert "Other places\n  shop/rain.py:9 in fall when not dry\n  shop/f0.py\n" in shown
    assert "  shop/f18.py\n  … and 16 more\n" in shown
    assert (
        json.loads(errdex("show", "dcba000000000001", "--json").stdout)["record"]["places"]
        == PLACED["places"]
    )


def test_a_cause_is_shown_by_its_name_or_address(errdex: Run) -> None:
    for name in ("worn-out", "https://errdex.example/causes/worn-out"):
        done = errdex("show", name)
        assert done.returncode == 0
        assert done.stdout.startswith("cause · worn-out · 1 error\nWorn out\n")
        assert "What to check first\n  1. Look at it. `shop basket look`\n" in done.stdout
    assert "Cause: Worn out (errdex show worn-out)" in errdex("show", "WornError").stdout
    data = json.loads(errdex("show", "worn-out", "--json").stdout)
    assert data == {**CAUSE, "records": 1}


@pytest.mark.parametrize("name", ["abcd000000000001", "worn-out"])
def test_lines_are_at_most_100_columns_wide_but_for_code(errdex: Run, name: str) -> None:
    lines = errdex("show", name).stdout.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    assert [
        line for line in lines if len(line) > 100 and "`" not in line and "--" not in line
    ] == []
    assert max(map(len, lines)) > 90


def test_the_fix_comes_first_and_commands_stay_whole(errdex: Run) -> None:
    shown = errdex("show", "WornError").stdout
    assert shown.index("Solutions") < shown.index("What it means")
    assert (
        "`shop basket mend --handle --with=willow --repeat=7 --until=checkout ‹basket_id›`" in shown
    )
    assert "\n     shop basket replace --all --with-a-new-one" in shown
    assert "\n  basket.carry()\n" in shown


@pytest.mark.parametrize("columns", [60, 140])
def test_on_a_terminal_code_has_a_colour_and_lines_fit(environment, columns: int) -> None:
    shown = on_a_terminal(environment, columns, "show", "WornError")
    assert "\x1b[36mshop basket replace" in shown
    assert "`" not in shown
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    prose = [line for line in lines if "shop basket" not in line]
    assert max(map(len, prose)) <= min(columns, 100)


@pytest.mark.parametrize("words", [("show", "abcd000000000002"), ("show", "worn-out"),
                                   ("search", "torn"), ("show", "abcd")])  # fmt: skip
def test_no_record_steers_the_terminal(environment, words) -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(environment, 80, *words))
    assert all(c == "\n" or c.isprintable() for c in shown)


def test_a_shell_completes_commands(environment: dict[str, str]) -> None:
    asked = {"_ERRDEX_COMPLETE": "complete_bash", "COMP_WORDS": "errdex ex", "COMP_CWORD": "1"}
    done = subprocess.run(
        [ERRDEX], env=environment | asked, capture_output=True, text=True, timeout=600
    )
    assert done.stdout.split() == ["explain", "export"]


def on_a_terminal(environment: dict[str, str], columns: int, *words: str) -> str:
    """What the command prints on a terminal of that width."""
    ours, its = pty.openpty()
    ioctl(its, TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with subprocess.Popen(
        [ERRDEX, *words], stdin=its, stdout=its, stderr=its, env=environment | {"TERM": "xterm"}
    ):
        os.close(its)
        shown = read_terminal(ours)
    return shown.decode().replace("\r\n", "\n")
