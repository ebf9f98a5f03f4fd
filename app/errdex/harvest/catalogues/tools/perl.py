"""perldiag: what Perl says of each of its messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import Tool, ToolMessage, listed
from errdex.harvest.catalogues.tools.programs import ask, existing, find_program, read_file

_ITEM = re.compile(r"^=item (.+(?:\n(?!\n).+)*)\n", re.MULTILINE)
_CLASSES = re.compile(r"^\(([A-Z])(?:\|[A-Z])*(?: [^)]*)?\)\s*")
_SEVERITIES = {"F": "fatal", "P": "fatal", "X": "fatal", "A": "fatal"}
_ESCAPES = {"lt": "<", "gt": ">", "verbar": "|", "sol": "/"}
_LONG = re.compile(r"[A-Z]<<+ (.*?) >>+", re.DOTALL)
_SHORT = re.compile(r"([A-Z])<([^<>]*)>")
_MARKER = "S<<-- HERE>"
"""An angle bracket within a code that is no code itself."""
_LINK = re.compile(r"^(?:[^|]*\|)?(.*?)(?:/\"?(.*?)\"?)?$", re.DOTALL)
_COMMAND = re.compile(r"^=\w+.*\n?", re.MULTILINE)


def read(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The messages in perldiag.pod of the Perl at `where`, or of the one on PATH."""
    program = find_program("perl", where)
    printed = ask(program, "-MConfig", "-e", 'print "$Config{version}\\n$Config{privlibexp}"')
    version, _, folder = printed.partition("\n")
    pod = existing(
        [Path(folder) / "pod" / "perldiag.pod", Path(folder) / "pods" / "perldiag.pod"],
        "Perl's perldiag.pod (Debian has it in the package perl)",
    )
    tool = Tool(name="perl", repo="Perl/perl5", version=version.strip(), language="perl")
    return tool, _entries(read_file(pod).decode("utf-8", "replace"))


def _entries(pod: str) -> Iterator[ToolMessage]:
    """Messages in a row share the explanation that follows them."""
    waiting: list[str] = []
    items = list(_ITEM.finditer(pod))
    for at, item in enumerate(items):
        end = items[at + 1].start() if at + 1 < len(items) else len(pod)
        waiting.append(" ".join(plain(item[1]).split()))
        about = plain(_COMMAND.sub("", pod[item.end() : end])).strip()
        if not about:
            continue
        classes = _CLASSES.match(about)
        for message in waiting:
            if classes is not None:
                yield listed(
                    message,
                    severity=_SEVERITIES.get(classes[1], "warning"),
                    documentation=about[classes.end() :],
                )
        waiting = []


def plain(pod: str) -> str:
    """Text without the codes of pod: `C<$x>` is `$x`, `L<perlfunc/pack>` is `perlfunc, pack`."""
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[1])
        return f"\x00{len(held) - 1}\x00"

    pod = _LONG.sub(hold, pod.replace(_MARKER, "\x01-- HERE"))
    while True:
        pod, changed = _SHORT.subn(_without_code, pod)
        if not changed:
            break
    pod = re.sub("\x00(\\d+)\x00", lambda found: held[int(found[1])], pod)
    return pod.replace("\x01", "<").replace("\x02", ">")


def _without_code(found: re.Match[str]) -> str:
    code, text = found[1], found[2]
    if code == "E":
        return _ESCAPES.get(text, text).replace("<", "\x01").replace(">", "\x02")
    if code == "L" and (link := _LINK.match(text)) is not None:
        return ", ".join(part for part in link.groups() if part)
    return "" if code in "XZ" else text
