"""Linux: what the kernel says of programs and devices, and PAM of those who log in."""

from __future__ import annotations

from errdex.matching.events.draft import Parsed, Stream
from errdex.matching.events.forms import form, parse_forms

TRIGGERS = (
    "segfault at ", "general protection", "traps: ", "ut of memory: ", "Kernel panic", "BUG: ",
    "I/O error", "-fs error ", "-fs (", "XFS (", "authentication failure;", "blocked for more than",
    "Oops: ",
)  # fmt: skip

_PROGRAM = r"(?:kernel: )?(?:\[ {0,8}\d{1,9}\.\d{3,9}\] )?"

_FORMS = (
    form(
        "tool:kernel",
        _PROGRAM + r"(?:traps: )?[^\s\[]{1,40}\[\d{1,7}\]:? "
        r"(?P<message>(?:segfault at |general protection|trap ).*)$",
        severity="fatal",
    ),
    form(
        "tool:kernel",
        _PROGRAM + r"(?P<message>(?:Memory cgroup out of memory|Out of memory"
        r"|Kernel panic - not syncing|(?:watchdog: )?BUG|Oops): .*)$",
        severity="fatal",
    ),
    form("tool:kernel", _PROGRAM + r"(?:INFO: )?(?P<message>task \S{1,80} blocked for more .*)$"),
    form(
        "tool:kernel",
        _PROGRAM + r"(?:[\w-]{1,40}: ){0,2}(?P<message>(?:Buffer )?I/O error[, ].*"
        r"|(?:critical )?(?:medium|target) error, dev .*)$",
    ),
    form(
        "tool:kernel",
        _PROGRAM + r"(?P<message>(?:EXT[234]-fs|BTRFS|XFS|F2FS-fs) (?:error \(|\([^)\n]{1,60}\): "
        r"(?:[^\n]{0,120}(?:failed|orrupt))).*)$",
    ),
    form(
        "tool:pam",
        r"(?:[\w.-]{1,60}(?:\[\d{1,7}\])?: )?(?P<function>pam_\w{1,30})\([\w:.@/ -]{1,80}\): "
        r"(?P<message>authentication failure;.*)$",
    ),
)


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse line `at`."""
    return parse_forms(_FORMS, stream, at)
