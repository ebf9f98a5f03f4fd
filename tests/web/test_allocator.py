"""Memory that is not needed any more goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

from errdex.web.http.limits import allocator

linux = pytest.mark.skipif(sys.platform != "linux", reason="what glibc does")

_ANONYMOUS = """
import sys, threading
from errdex.web.http.limits.allocator import give_back, share_arenas

def megabytes():
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Anonymous")) / 1024

def take(kept, size, count):
    taken = [bytes(size) for _ in range(count)]
    kept.append(taken[-1])  # behind all others, which the allocator keeps therefore
"""
_FREED = """
kept = []
take(kept, 2000, 20_000)
before = megabytes()
give_back()
print(before - megabytes())
"""
_ARENAS = """
import re
if "share" in sys.argv:
    share_arenas()
kept, ready, end = [], threading.Barrier(9), threading.Event()

def run():
    ready.wait()
    take(kept, 2000, 1_000)
    ready.wait()
    end.wait()

threads = [threading.Thread(target=run) for _ in range(8)]
for each in threads:
    each.start()
ready.wait()
ready.wait()
with open("/proc/self/maps") as file:  # an arena has 64 MB of addresses at such a multiple
    starts = [int(line.split("-")[0], 16) for line in file if " rw-p 00000000 00:00" in line]
end.set()
print(sum(1 for start in starts if start % (64 << 20) == 0))
"""


def run(program: str, *arguments: str) -> float:
    command = [sys.executable, "-c", _ANONYMOUS + program, *arguments]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@linux
def test_what_was_freed_below_something_kept_is_given_back() -> None:
    assert run(_FREED) > 30


@linux
def test_threads_share_their_memory() -> None:
    assert run(_ARENAS, "share") < run(_ARENAS) - 3


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocator.sys, "platform", "darwin")
    allocator._glibc.cache_clear()
    try:
        allocator.share_arenas()
        allocator.give_back()
        assert allocator._glibc() is None
    finally:
        allocator._glibc.cache_clear()
