"""Marks of what a paste was copied from, before its lines: `> ` of e-mail and Markdown, the
indentation of a block of code, the line numbers of a viewer."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.reading.prefixes import strip_prefix

_QUOTED = re.compile(r"(?:>[ \t]?){1,8}")
_NOT_A_QUOTE = re.compile(
    r">{1,3} (?:Task :|Configure |Transform |\S+@\d\S* |Run "
    r"|\[(?:internal|(?:[\w-]{1,40} +)?\d+/\d+)\])|>>> |> (?:node|tsc|vite"
    r"|next|webpack|jest)\b"
)
_NUMBERED = re.compile(r"\s{0,8}(\d{1,6})(?=\s|[:|.]\s|$)[:|.]?")
_CODE = ("    ", "\t")
_INSIDE = re.compile(r"at |File \"|from |\.\.\. |in |\d+: |#\d|[|^~×╰├│●]|\+ Exc|\+-")
"""Begins lines that an error indents by itself."""
_BEGINS = re.compile(
    r"(?:Traceback|Exception|Unhandled|Uncaught|[\w.$]{0,100}(?:Error|Exception)\b|[Ee]rror|ERROR"
    r"|[Ff]atal|FATAL|panic|CMake|npm|make|note|warning|During|The above)\b|[^\n:]{1,200}:\d{1,6}:"
)
"""Begins an error, or what comes with one."""
_PROSE = re.compile(r"[A-Za-z][\w',-]*[ :.?!,]")
_MIN_RUN, _MIN_BLOCK = 3, 6
_DIFF_OR_TRACE = re.compile(r"\+{2,3} |\+ [\w./]+ ")
_NAME = re.compile(r"[A-Za-z][\w.-]{1,30}:(?: |$)|(?:[a-z][\w./-]*[-/][\w./-]+ ){1,2}")
_ERRORS = re.compile(r"(?i)(?:error|exception|warning|warn|info|debug|fatal|note|hint|panic)$")
_NAMED_AMONG, _LEAST_NAMED, _MOSTLY = 3, 4, 0.8
"""First lines of which one has the name, and how many lines must have it, by number and share."""
_MOST_BARRED = 1_000
_BAR = re.compile(r"[ \t]{0,4}\|(?: |$)")
_DRAWN = re.compile(r"[^\n|]*\||\s*[\^~]|\s*= |\s*\+-|\s*-{3,}\s*$|\s*$")
_PYTEST = ">   "
"""The mark of the line that raised, which pytest shows once in an excerpt."""


def find_quotes(lines: list[str]) -> dict[int, int]:
    """Index of each quoted line → length of its quote mark. A mark counts when several
    lines in a row have one, or all lines do."""
    marked: dict[int, int] = {}
    run: list[int] = []
    filled = sum(1 for line in lines if line)
    for index, line in enumerate(lines):
        if line.startswith(">") and not _NOT_A_QUOTE.match(line):
            run.append(index)
            continue
        if line or not run:
            _close(lines, run, marked, filled)
            run = []
    _close(lines, run, marked, filled)
    return marked


def find_name(text: str, lines: list[str]) -> dict[int, int]:
    """The same for the name of a program and a colon, or names of a machine and what runs there,
    where what another program wrote is passed on behind them (`remote:     at build`): most lines
    begin so, also one that is blank or indented."""
    for line in lines[:_NAMED_AMONG]:
        found = _NAME.match(line)
        if found is None or _ERRORS.search(found.group().rstrip(": ")):
            continue
        name = found.group().rstrip(" ")
        mark = f"\n{name}"
        passed_on = any(mark + rest in text for rest in ("\n", "\r", " \n", "   ", " \t"))
        count = text.count(mark) + text.startswith(name)
        if passed_on and count >= max(_LEAST_NAMED, _MOSTLY * len(lines)):
            width = len(mark)
            return {
                index: min(width, len(each))
                for index, each in enumerate(lines)
                if each.startswith(name)
            }
    return {}


def find_bars(text: str, lines: list[str]) -> dict[int, int]:
    """The same for the bar that a table puts before each line, where no program drew it."""
    if len(lines) > _MOST_BARRED or "+ Exception Group" in text:
        return {}
    barred = {index: found.end() for index, line in enumerate(lines) if (found := _BAR.match(line))}
    filled = sum(1 for line in lines if line.strip())
    drawn = any(_DRAWN.match(lines[index], end) for index, end in barred.items())
    return barred if len(barred) >= max(_LEAST_NAMED, _MOSTLY * filled) and not drawn else {}


def find_added(lines: list[str]) -> dict[int, int]:
    """The same for the mark of a diff, where all lines have it and none is the diff's own."""
    filled = [index for index, line in enumerate(lines) if line]
    whole = len(filled) >= _MIN_RUN and all(lines[index][0] == "+" for index in filled)
    traced = any(_DIFF_OR_TRACE.match(lines[index]) for index in filled)
    return dict.fromkeys(filled, 1) if whole and not traced else {}


def find_indentation(lines: list[str], composed: frozenset[str]) -> dict[int, int]:
    """The same for white space that all lines begin with, of which there are so many that it is
    no error's own, or the first of which begins no line of a stack. `composed`: names known to
    stand before ` | `."""
    length = _common_indent(lines)
    first = next((line for line in lines if line.strip()), "")
    own = len(lines) < _MIN_BLOCK and _INSIDE.match(first, length)
    if not length or (own and not _has_prefix(lines, length, composed)):
        return {}
    return {index: min(length, len(line)) for index, line in enumerate(lines)}


def find_blocks(lines: list[str], composed: frozenset[str]) -> dict[int, int]:
    """The same for indented blocks of code in a text of Markdown, where a line begins with a
    prefix behind that, or which stand below a line of prose."""
    marks: dict[int, int] = {}
    if not any(line.startswith(_CODE) for line in lines):
        return marks
    begin: int | None = None
    above = ""
    for index, line in enumerate([*lines, "."]):
        if line.startswith(_CODE):
            if begin is None and not "".join(lines[max(0, index - 1) : index]).strip():
                begin = index
        elif line.strip():
            if begin is not None:
                ends = index == len(lines) or not lines[index - 1].strip()
                block = lines[begin:index]
                length = _common_indent(block) if ends and _is_quoted(above, block, composed) else 0
                marks |= {at: min(length, len(lines[at])) for at in range(begin, index) if length}
            begin, above = None, line
    return marks


def _is_quoted(above: str, block: list[str], composed: frozenset[str]) -> bool:
    """Whether an indented block below the line `above` is of another text."""
    length = _common_indent(block)
    if _has_prefix(block, length, composed):
        return True
    explained = _PROSE.match(above) and not _BEGINS.match(above) and not strip_prefix(above).end
    return bool(explained) and not _INSIDE.match(block[0], length)


def _has_prefix(lines: list[str], start: int, composed: frozenset[str]) -> bool:
    return any(strip_prefix(line, composed, start).end for line in lines)


def _common_indent(lines: list[str]) -> int:
    common: str | None = None
    for line in lines:
        filled = line.lstrip(" \t")
        if not filled:
            continue
        indent = line[: len(line) - len(filled)]
        common = indent if common is None else common
        while not indent.startswith(common):
            common = common[:-1]
        if not common:
            break
    return len(common or "")


def find_numbers(lines: list[str]) -> dict[int, int]:
    """The same for numbers that count the lines, and the white space behind them."""
    ends: dict[int, int] = {}
    expected: int | None = None
    for index, line in enumerate(lines):
        found = _NUMBERED.match(line)
        if found is None:
            if line.strip():
                return {}
            continue
        number = int(found.group(1))
        if expected is not None and number != expected:
            return {}
        expected = number + 1
        ends[index] = found.end()
    if len(ends) < _MIN_RUN:
        return {}
    behind = _common_indent([lines[index][end:] for index, end in ends.items()])
    return {index: min(end + behind, len(lines[index])) for index, end in ends.items()}


def _close(lines: list[str], run: list[int], marked: dict[int, int], filled: int) -> None:
    alone = len(run) == filled and not all(lines[index].startswith(_PYTEST) for index in run)
    if len(run) >= _MIN_RUN or (run and alone):
        for index in run:
            found = _QUOTED.match(lines[index])
            if found:
                marked[index] = found.end()
