"""The places that listed messages have for what a program puts in, whatever their kind: `{0}`,
`{name}`, `{{name}}`, `%s`, `%{name}`, `%<name>s`.
"""

from __future__ import annotations

from collections.abc import Iterator

from errdex import lazy_re as re
from errdex.harvest.model import Fixed, Part, SourceHole

_HOLE = re.compile(
    r"\{\{\s*(?P<moustache>[\w.\[\]-]+)[^{}]*\}\}|\$\{(?P<dollar>[\w.\[\]-]+)\}"
    r"|%\{(?P<percent>[\w.-]+)\}|%\((?P<key>\w+)\)[sdrif]|%<(?P<field>\w+)>[sdfp]"
    r"|\{(?P<brace>\w[\w.\[\]-]*|)(?:,[^{}]*(?:\{[^{}]*\}[^{}]*)*)?\}"
    r"|%(?:\d+\$)?[-+#0,]*\d*(?:\.\d+)?(?:h|hh|l|ll|z)?(?P<verb>[sdiouxXfgeEcqv@])(?![a-zA-Z])"
    r"|\$(?P<chrome>[A-Za-z0-9_]+)\$|(?P<percents>%%)"
)
_JAVA_HOLE = re.compile(rf"(?P<quote>'')|'(?P<quoted>[{{}}]+)'|{_HOLE.pattern}")
"""In a format of Java `''` prints `'`, and `'{'` prints `{`."""
_COLON_HOLE = re.compile(rf"(?<!\S)['\"(]?:(?P<colon>[a-z]\w*)|{_HOLE.pattern}")
"""Laravel's `:name`."""
_NAMED = ("moustache", "dollar", "percent", "key", "field", "brace", "chrome", "colon")


def with_holes(text: str, *, java: bool = False, colons: bool = False) -> Iterator[Part]:
    """A message as it is listed, with its places as holes. `java`: quotes as Java's MessageFormat
    has them; `colons`: `:name` is a place, too."""
    holes = _JAVA_HOLE if java else _COLON_HOLE if colons else _HOLE
    position = 0
    for found in holes.finditer(text):
        said = found.groupdict()
        start = found.start("colon") - 1 if said.get("colon") else found.start()
        yield Fixed(text[position:start])
        position = found.end()
        if said["percents"]:
            yield Fixed("%")
        elif said.get("quote") or said.get("quoted"):
            yield Fixed(said["quoted"] or "'")
        else:
            name = next((said[group] for group in _NAMED if said.get(group)), "")
            yield SourceHole(name, digits=said["verb"] in {"d", "i", "u"})
    yield Fixed(text[position:])
