"""What other regular-expression engines have and RE2 has not, by name, with the way out."""

from __future__ import annotations

from typing import NoReturn

from errdex import lazy_re as re
from errdex.matching.patterns.refusal import PatternRefused

_LINEAR = "matching takes linear time without it"

_GROUPS: tuple[tuple[str, str, str], ...] = (
    (
        r"\(\?=",
        "look-ahead is not in RE2",
        "write the text that follows as a part of the pattern",
    ),
    (
        r"\(\?!",
        "negative look-ahead is not in RE2",
        "name what may stand there, such as [^'] or \\w+, and put the exception "
        "into counterSamples",
    ),
    (
        r"\(\?<=",
        "look-behind is not in RE2",
        "write the text before as a part of the pattern, and a group around the rest",
    ),
    (
        r"\(\?<!",
        "negative look-behind is not in RE2",
        "name what may stand before, such as (?:^|[^.])",
    ),
    (r"\(\?>", "atomic groups are not in RE2", f"write (?:…): {_LINEAR}"),
    (r"\(\?P=\w*\)?", "back-references are not in RE2", "write the group's own expression again"),
    (r"\(\?P>\w*\)?", "calling a group is not in RE2", "write the group's own expression again"),
    (r"\(\?&\w*\)?", "calling a group is not in RE2", "write the group's own expression again"),
    (r"\(\?(?:R|[+-]?\d+)\)", "recursion is not in RE2", "write as many levels as are needed"),
    (r"\(\?\([^)]*\)", "conditional groups are not in RE2", "write both cases: (?:…|…)"),
    (r"\(\?\|", "branch reset is not in RE2", "write (?:…|…) and a group in each branch"),
    (r"\(\?#[^)]*\)?", "comments are not in RE2", "leave the comment out"),
    (r"\(\?'\w*'?", "this form of a named group is not in RE2", "write (?P<name>…)"),
    (r"\(\?P?<[^>]*>?", "a name has letters, digits and _ only", "write (?P<name>…)"),
    (
        r"\(\?[a-zA-Z^-]*[:)]?",
        "RE2 knows the flags i, m, s and U only",
        "leave the others out: patterns are Unicode, and white space in them is flexible",
    ),
)

_ESCAPES: tuple[tuple[str, str, str], ...] = (
    (r"\\Z", "RE2 calls the end of the text \\z", "write \\z, or $ for the end of a line"),
    (r"\\[1-9]", "back-references are not in RE2", "write the group's own expression again"),
    (
        r"\\k[<{'][^>}']*[>}']?",
        "back-references are not in RE2",
        "write the group's own expression again",
    ),
    (r"\\g.?[^>}']*", "calling a group is not in RE2", "write the group's own expression again"),
    (
        r"\\(?:u[0-9A-Fa-f]{0,4}|U[0-9A-Fa-f]{0,8})",
        "RE2 writes characters by number as \\x{…}",
        "write \\x{…} with the same digits, or the character itself",
    ),
    (r"\\x\{?[0-9A-Fa-f]*\}?", "this is not a character's number", "write \\x7F or \\x{10FFFF}"),
    (r"\\G", "\\G is not in RE2", "write ^ for the start of a line"),
    (r"\\K", "\\K is not in RE2", "put a group around what matters"),
    (r"\\h", "\\h is not in RE2", "write \\s"),
    (r"\\H", "\\H is not in RE2", "write \\S"),
    (r"\\R", "\\R is not in RE2", "write \\s, which matches any run of white space"),
    (r"\\N", "\\N is not in RE2", "write [^\\n]"),
    (r"\\X", "\\X is not in RE2", "write a dot"),
    (r"\\e", "\\e is not in RE2", "leave it out: colour codes are removed before matching"),
    (r"\\c.?", "control characters have no such form in RE2", "write \\x and two digits"),
    (r"\\C", "\\C would match half a character", "write a dot"),
    (r"\\E", "there is no \\Q before it", "leave it out"),
    (
        r"\\[pP].?",
        "this names no Unicode group",
        "write \\pL or \\p{Greek}",
    ),
    (r"\\$", "a backslash ends the pattern", "write \\\\ for a backslash in the message"),
)


def refuse_group(source: str, start: int) -> NoReturn:
    """Raise PatternRefused for the `(?` at `start`."""
    _refuse(_GROUPS, source, start)
    raise PatternRefused(
        source[start : start + 3],
        "this group is not in RE2",
        "write (?:…), or \\( for a parenthesis in the message",
    )


def refuse_escape(source: str, start: int) -> NoReturn:
    """Raise PatternRefused for the backslash at `start`."""
    _refuse(_ESCAPES, source, start)
    char = source[start + 1 : start + 2]
    raise PatternRefused(
        f"\\{char}",
        "this escape is not in RE2",
        f"write {char} without the backslash, or \\\\ for a backslash in the message",
    )


def refuse_quantifier(source: str, start: int, end: int, *, follows_another: bool) -> NoReturn:
    """Raise PatternRefused for the quantifier between `start` and `end`."""
    written = source[start:end]
    literally = f"write \\{written[0]} for this character in the message"
    if not follows_another:
        raise PatternRefused(written, "there is nothing before it to repeat", literally)
    construct = source[start - 1 : end]
    if written == "+":
        raise PatternRefused(
            construct,
            "possessive quantifiers are not in RE2",
            "leave out the second +: matching takes linear time anyway",
        )
    raise PatternRefused(
        construct,
        "a quantifier cannot follow another",
        f"{literally}, or put a group around",
    )


def _refuse(table: tuple[tuple[str, str, str], ...], source: str, start: int) -> None:
    for form, reason, remedy in table:
        if found := re.compile(form).match(source, start):
            raise PatternRefused(found.group(), reason, remedy)
