"""What the system's allocator keeps of memory that is not needed any more.

A new dataset version is made ready beside the one that is served, and a large paste takes
a hundred times its size: memory that the allocator (glibc's, where it is that) then keeps for
the next time, in parts for each thread that had some. A server would hold the sum of what
its threads ever needed, each for itself.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

_ARENAS_OPTION = -8
"""M_ARENA_MAX of mallopt(3)."""
_ARENAS = 2
_MMAP_OPTION = -3
"""M_MMAP_THRESHOLD."""
_MMAP_BYTES = 1 << 20


def share_arenas() -> None:
    """Let all threads of this process take memory from two arenas, and blocks of a megabyte and
    more, such as bodies and the windows of unpackers, from the system, which gets them back when
    they are freed. By default glibc takes larger and larger ones from its arenas, once some were
    freed. To be called before there are threads; MALLOC_ARENA_MAX and MALLOC_MMAP_THRESHOLD_, if
    they are set, are left as they are."""
    if not (libc := _glibc()):
        return
    if "MALLOC_ARENA_MAX" not in os.environ:
        libc.mallopt(_ARENAS_OPTION, _ARENAS)
    if "MALLOC_MMAP_THRESHOLD_" not in os.environ:
        libc.mallopt(_MMAP_OPTION, _MMAP_BYTES)


def give_back() -> None:
    """Give memory that is free back to the system: some milliseconds, in which other threads
    go on."""
    if libc := _glibc():
        libc.malloc_trim(0)


@cache
def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.malloc_trim.argtypes = [ctypes.c_size_t]
        libc.mallopt.argtypes = [ctypes.c_int, ctypes.c_int]
    except (OSError, AttributeError):  # another C library
        return None
    return libc
