"""What shells and the everyday commands say: `command not found`, `No such file`, `Killed`."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Parsed, Stream
from errdex.matching.events.forms import form, parse_forms
from errdex.matching.events.languages.python.frames import CLASS_LIKE
from errdex.matching.model import Role

TRIGGERS = (
    "not found", "ermission denied", "No such file", "Segmentation fault", "\nKilled", "Bus error",
    "Aborted", "xit code ", "exit status ", "non-zero code", "syntax error near",
    "unbound variable", "No space left", "cannot ", "invalid option", "bad interpreter",
    "Argument list too long", "Terminated", "not recognized", "rror: the following arguments",
    ": error: ", "Illegal instruction", "bash: ", "\nsh: ", "zsh:", ".sh: ",
)  # fmt: skip

_SHELL = r"(?:-?(?:/(?:usr/)?bin/)?(?:ba|z|k|da|a|fi)?sh|[\w./@+-]{1,200}\.sh|[\w./-]{1,100})"

_FORMS = (
    form(
        "shell",
        rf"{_SHELL}: (?:line )?(?:\d{{1,6}}: )?(?P<message>[^\s:][^\n:]{{0,200}}: "
        rf"(?:command )?not found)\s*$",
    ),
    form("shell", r"zsh:(?:\d+:)? (?P<message>command not found: \S+)\s*$"),
    form("shell", r"(?:fish: )(?P<message>Unknown command.*)$"),
    form(
        "shell",
        rf"{_SHELL}: (?:line )?(?P<line>\d{{1,6}}): (?P<message>.*(?:syntax error"
        rf"|unbound variable|bad substitution|unexpected).*)$",
    ),
    form(
        "shell",
        r"(?P<message>'[^'\n]{1,200}' is not recognized as an internal or external command,?.*)$",
        more=re.compile(r"operable program or batch file\."),
    ),
    form("shell", rf"{_SHELL}: (?P<message>.{{1,300}}: bad interpreter: .*)$"),
    form(
        "shell",
        r"[\w.+/-]{1,100}: (?:line \d{1,6}: )?(?P<message>[^\n]{0,300}(?:Permission denied"
        r"|No such file or directory|No space left on device|Argument list too long"
        r"|Is a directory|Not a directory|File exists|Read-only file system"
        r"|Operation not permitted|Text file busy|Too many open files)(?:\s*\(\d+\))?)\s*$",
    ),
    form("shell", r"(?:[\w.+/-]{1,100}: )(?P<message>cannot [a-z]+ [^\n]{1,400})$"),
    form(
        "shell",
        r"(?:[\w.+/-]{1,100}: )(?P<message>(?:invalid|unrecognized|unknown|illegal) option .*)$",
    ),
    form(
        "shell",
        r"(?:[^\n]{0,200}: |[^\n]{0,200}?\s{2}(?=\S))?(?:\d{1,9} )?"
        r"(?P<message>(?:Segmentation fault"
        r"|Bus error|Illegal instruction|Aborted|Killed)(?:\s+\(core dumped\))?)"
        r"(?:(?:\s{2}|(?<=\))\s|: \d).*)?\s*$",
        severity="fatal",
    ),
    form(
        "",
        r"(?:.{0,200}[\]:>|] ?)??(?P<message>(?:[A-Za-z_`'\"][^\n\[\]:>|]{0,150}[^\w])?"
        r"(?:Process (?:completed|finished|exited)"
        r"|script returned|Command (?:failed|exited)|exited|returned|terminated|failed"
        r"|finished)[^\n]{0,80}(?:exit code|exit status|code|status):? "
        r"-?(?![345]\d\d\b)\d+.*)$",
        role=Role.SYMPTOM,
    ),
    form(
        "",
        r"(?:ERROR: |Error: |error: )?(?P<message>(?:exit status|exit code) ?:? ?[1-9]\d*)\s*$",
        role=Role.SYMPTOM,
    ),
    form(
        "",
        r"(?:ERROR: )?(?P<message>The command '.*' returned a non-zero code: \d+)",
        role=Role.SYMPTOM,
    ),
    form(
        "shell",
        r"(?:-?(?:/(?:usr/)?bin/)?(?:ba|z|k|da)?sh: (?:line )?\d{1,6}: |zsh:\d{1,6}: |-?bash: )"
        r"(?P<message>(?!warning: )\S.*)$",
    ),
    form(
        "shell",
        r"[\w./+-]{1,200}\.(?:sh|bash|zsh): (?:line )?(?P<line>\d{1,6}): "
        r"(?P<message>(?!warning: )\S.*)$",
    ),
)

_TRACE = re.compile(r"\++ \S")
_NO_TERMINAL = re.compile(r"-?bash: (?:cannot set terminal process group|no job control)")
"""Said by a shell that nobody types into, where all is well."""
_ZERO = re.compile(r"(?:code|status):? 0\b")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse line `at`; the shell's own trace (`+ command`) says nothing of errors."""
    head = stream.head(at)
    if _TRACE.match(head):
        return Parsed([], at + 1, [at])
    if _NO_TERMINAL.match(head):
        return Parsed([], at + 1)
    if _ZERO.search(head) or CLASS_LIKE.match(head.lstrip()):
        return None
    return parse_forms(_FORMS, stream, at)
