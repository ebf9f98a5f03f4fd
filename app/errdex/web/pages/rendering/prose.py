"""A record's texts as HTML: paragraphs, lists, fenced code, and code within a sentence.

Texts are plain text that anyone may have written. Everything is escaped, whatever it
looks like; the few forms below are recognised, and nothing is lost: the words of
the HTML are the words of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from markupsafe import Markup, escape

from errdex import lazy_re as re
from errdex.records.messages.filling import is_command
from errdex.records.model import safe_url

MAX_PROSE = 20_000
"""Characters in which forms are looked for; a longer text is shown as plain paragraphs."""

SIGNS = "\U0010f000-\U0010fffd"
"""Private characters that are replaced by elements afterwards: none may get into an address."""

_BLANK = re.compile(r"\n[ \t]*\n")
_OPENING = re.compile(r"```[^`]*")
_CLOSING = re.compile(r"```[ \t]*")
_BULLET = re.compile(r"^\s{0,3}(?:[-*•]|(\d{1,3})[.)])\s+(?=\S)")
_INLINE = re.compile(
    r"(?<!`)(?P<ticks>`{1,2})(?P<ticked>[^`\n]{1,300})(?P=ticks)(?!`)"
    rf"|(?P<url>https?://[^\s<>\"'`\\{SIGNS}]{{3,300}}+(?![{SIGNS}]))"
    r"|(?P<bare>"
    r"(?<![\w-])--[A-Za-z][A-Za-z0-9_-]{0,80}"  # --a-flag
    r"|(?<![\w.])[A-Za-z_][\w.]{0,80}\(\)"  # a.call()
    r"|(?<![\w./-])[A-Za-z]{0,40}_\w{1,80}(?!\w)"  # snake_case, __dunder__, SOME_CONSTANT
    r"|(?<![\w.])[A-Z][A-Za-z]{2,60}(?:Error|Exception|Warning)\b"  # the class of an error
    r")"
)
_HYPHENATED = re.compile(r"(?<!\S)[^\s-]{0,30}-(?=[\w-])\S{1,60}(?!\S)")
_WHOLE = Markup('<span class="w">{}</span>')
_LONG_WORD = re.compile(r"(\S{24,})")
_LINE = 40
"""Characters that a line has room for almost anywhere."""
_NAME_PARTS = re.compile(r"(?<=[./:_])(?=[^./:_])|(?<=[a-z0-9])(?=[A-Z][a-z])")
_FENCED = Markup('<pre class="fenced" tabindex="0">{}</pre>')
_COMMAND_BLOCK = Markup(
    '<figure class="code commands" data-copy="the commands">'
    '<pre class="fenced" tabindex="0"><code>{}</code></pre></figure>'
)
_COMMAND = Markup('<span class="command" data-copy="the command"><code>{}</code></span>')
_INLINE_COMMAND = Markup(
    '<span class="command in-line" data-copy="the command"><code>{}</code></span>'
)
_ENDING = re.compile(r"[.,;:]+(?=\s|$)")
_URL_TAIL = ".,;:!?)]}’”"


def to_html(text: str) -> Markup:
    """The text as block elements."""
    if len(text) > MAX_PROSE:
        blocks = (_paragraph(escape(part)) for part in _BLANK.split(text) if part.strip())
        return Markup("\n").join(blocks)
    return Markup("\n").join(_blocks(text))


def to_inline(text: str) -> Markup:
    """The text as inline HTML, for a sentence or a list's entry."""
    if len(text) > MAX_PROSE:
        return escape(text)
    return _joined(_runs(text))


def to_item(text: str) -> Markup:
    """The text for a list's entry: inline when it is one paragraph, else a block."""
    plain = "\n" not in text.strip()
    return to_inline(text) if plain else to_html(text)


def to_step(text: str) -> Markup:
    """The text of a solution: as an entry, with each whole command as a block of its own."""
    if len(text) > MAX_PROSE:
        return to_item(text)
    if "\n" not in text.strip():
        return _joined(_runs(text, commands=True))
    return Markup("\n").join(_blocks(text, commands=True))


def whole_words(text: str) -> Markup:
    """The text as HTML, in which words with hyphens, such as flags, and long words are not
    broken as long as they fit a line; longer ones are broken between their parts."""
    parts: list[Markup] = []
    place = 0
    for word in _HYPHENATED.finditer(text):
        parts += _words(text[place : word.start()])
        parts.append(_WHOLE.format(word[0]))
        place = word.end()
    return Markup("").join([*parts, *_words(text[place:])])


def _words(text: str) -> Iterator[Markup]:
    for number, piece in enumerate(_LONG_WORD.split(text)):
        if number % 2 == 0:
            yield escape(piece)
        elif len(piece) <= _LINE:
            yield _WHOLE.format(_in_parts(piece))
        else:  # kept whole, it would leave a line half empty and break nevertheless
            yield _in_parts(piece)


@lru_cache(maxsize=4096)
def breakable(text: str) -> Markup:
    """A name as HTML, which a narrow column breaks behind its dots and slashes and before its
    capitals, rather than wherever the line is full."""
    return _in_parts(text)


def _in_parts(name: str) -> Markup:
    return Markup("<wbr>").join(escape(part) for part in _NAME_PARTS.split(name))


def first_sentence(text: str, most: int) -> str:
    """The start of a text, cut at the end of a sentence or of a word."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    end = max(text.rfind(mark, most // 3, most) for mark in (". ", "! ", "? "))
    if end > 0:
        return text[: end + 1]
    end = text.rfind(" ", most // 2, most)
    return text[: end if end > 0 else most - 1].rstrip(",;: ") + "…"


def _blocks(text: str, *, commands: bool = False) -> Iterator[Markup]:
    """Fenced code, and what stands around it. Each line is looked at once: a text of nothing but
    openings is not searched for the end of each."""
    lines = text.split("\n")
    closings = [n for n, line in enumerate(lines) if _CLOSING.fullmatch(line)]
    closings.reverse()
    place = 0
    for number, line in enumerate(lines):
        if number < place or not _OPENING.fullmatch(line):
            continue
        while closings and closings[-1] <= number:
            closings.pop()
        if not closings:
            break
        end = closings.pop()
        yield from _loose("\n".join(lines[place:number]), commands)
        code = "\n".join(lines[number + 1 : end]).rstrip("\n")
        yield (_COMMAND_BLOCK if commands else _FENCED).format(code)
        place = end + 1
    yield from _loose("\n".join(lines[place:]), commands)


def _loose(text: str, commands: bool) -> Iterator[Markup]:
    """Paragraphs and lists, separated by blank lines."""
    for part in _BLANK.split(text):
        lines = part.strip("\n").split("\n")
        first = next((n for n, line in enumerate(lines) if _BULLET.match(line)), len(lines))
        if before := "\n".join(lines[:first]).strip():
            yield _paragraph(_joined(_runs(before, commands=commands)))
        if first < len(lines):
            yield _list(lines[first:], commands)


def _list(lines: list[str], commands: bool) -> Markup:
    """Lines of which the first has a bullet or a number; those without go on with the item."""
    items: list[str] = []
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet:
            items.append(line[bullet.end() :])
        else:
            items[-1] += "\n" + line.strip()
    numbered = _BULLET.match(lines[0])
    number = numbered[1] if numbered else None
    shell = Markup("<ul>{}</ul>") if number is None else Markup("<ol>{}</ol>")
    if number not in (None, "1"):
        shell = Markup('<ol start="{}">{{}}</ol>').format(number)
    runs = (_joined(_runs(item, commands=commands)) for item in items)
    return shell.format(_joined(Markup("<li>{}</li>").format(each) for each in runs))


def _paragraph(content: Markup) -> Markup:
    return Markup("<p>{}</p>").format(content)


def _runs(text: str, *, commands: bool = False) -> Iterator[Markup]:
    """`commands`: whether each code span that is a whole command is shown as a block. The
    punctuation behind a block is for screen readers only; within parentheses it stays inline."""
    place = 0
    for found in _INLINE.finditer(text):
        yield escape(text[place : found.start()])
        place = found.end()
        if found["ticked"] and commands and is_command(found["ticked"]):
            inline = text.rfind("(", 0, found.start()) > text.rfind(")", 0, found.start())
            yield (_INLINE_COMMAND if inline else _COMMAND).format(whole_words(found["ticked"]))
            if not inline and (ending := _ENDING.match(text, place)):
                yield Markup('<span class="quiet">{}</span>').format(ending[0])
                place = ending.end()
        elif found["ticked"]:
            yield Markup("<code>{}</code>").format(found["ticked"])
        elif found["bare"]:
            yield Markup('<code class="w">{}</code>').format(found["bare"])
        else:
            url = found["url"].rstrip(_URL_TAIL)
            tail = found["url"][len(url) :]
            yield _link(url) + escape(tail)
    yield escape(text[place:])


def _link(url: str) -> Markup:
    if safe_url(url) is None:
        return escape(url)
    return Markup('<a href="{0}" rel="nofollow noopener">{0}</a>').format(url)


def _joined(parts: Iterator[Markup]) -> Markup:
    return Markup("").join(parts)
