"""An answer in which every text tries to break out of its format, and one of ordinary texts."""

from __future__ import annotations

from dataclasses import replace

from tests.formats.test_table import FULL, KNOWN, UNKNOWN

from errdex.formats.answer import ErrorEvent, PasteAnswer, StackFrame

SITE = "https://errdex.example"
EVIL = "https://evil.example"
HOSTILE = (
    "a\n::set-output name=x::y",
    "a\r\n::add-mask::y\n##[add-path]/tmp/x",
    "::error::x%0A::stop-commands::y%0D%25",
    "x,file=/etc/passwd,title=a::b:c",
    "@everyone @octocat #1 owner/name#2 <!channel> <@U012AB3CD> <!subteam^S1>",
    f"[click]({EVIL}) ![x]({EVIL}/x.png) <{EVIL}> <{EVIL}|click> {EVIL}/path, www.evil.example.",
    "<script>alert(1)</script> <img src=x onerror=y> </failure></testcase>",
    "]]> &lt; &#0; <!DOCTYPE x [<!ENTITY a 'b'>]> &a;",
    "\x00\x1b[31m\x07\x9b\u202e\u2066\ufffe\U000f0000",
    "\ud800 lone \udfff",
    "{0} {1:x} %s %(a)s ${HOME} `id` $(id)",
    "../../etc/passwd",
    "| a | b |\n|---|---|\n# heading\n- item\n```\nfence\n~~~",
    "x" * 20_000,
    "",
    "\n\n\n",
)


def _event(event: ErrorEvent, text: str) -> ErrorEvent:
    record = replace(
        KNOWN.matches[0].record,
        repo=text,
        error_message=text,
        documentation=text,
        solutions=[text, text],
    )
    return replace(
        event,
        error_class=text,
        message=text,
        test=text,
        notes=[text],
        frames=[StackFrame(text, 7, text, None), StackFrame(f"src/{text}", 7, text, text)],
        matches=[replace(match, record=record) for match in event.matches],
        near_misses=[replace(miss, record=record) for miss in event.near_misses],
    )


def hostile_answer(text: str) -> PasteAnswer:
    """A known and an unknown error, all of whose texts are this one."""
    return replace(FULL, events=[_event(KNOWN, text), _event(UNKNOWN, text)])
