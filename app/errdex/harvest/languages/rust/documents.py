"""What a Rust function's documentation says on its errors and panics."""

from __future__ import annotations

from errdex import lazy_re as re

_SECTION = re.compile(r"^#+ +(Errors?|Panics?) *$(.*?)(?=^#+ |\Z)", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"\n\s*\n|^ *[-*] +", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!]) +(?=[A-Z`\[])")
_FENCE = re.compile(r"^```.*?(?:^```|\Z)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[(`?[^\[\]\n]+`?)\](?:\([^()\n]*\)|\[[^\[\]\n]*\])?")
_TELLING = 3
"""Words from which on a sentence says something."""


def documented_errors(documentation: str, *, panics: bool) -> tuple[str, ...]:
    """The sentences and list items of the section `# Errors`, or `# Panics`."""
    entries: dict[str, None] = {}
    for title, text in _SECTION.findall(documentation):
        if title.startswith("Panic") != panics:
            continue
        for item in _ITEM.split(_FENCE.sub("", text)):
            said = " ".join(_LINK.sub(r"\1", item).split())
            entries |= dict.fromkeys(
                each for each in _SENTENCE.split(said) if len(each.split()) >= _TELLING
            )
    return tuple(entries)
