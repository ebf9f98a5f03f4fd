"""gettext catalogues (`.mo`, `.po`, `.pot`): the messages of git, gcc, bash, coreutils and all the
tools that are translated. What is taken is the original text; which translation it is read from
does not matter."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from errdex.harvest.catalogues.source import reads_like_an_error
from errdex.harvest.catalogues.tools.entries import CatalogueError, Tool, ToolMessage, listed
from errdex.harvest.catalogues.tools.programs import read_file

FOLDERS = (
    Path("/usr/share/locale"),
    Path("/usr/local/share/locale"),
    Path("/usr/share/locale-langpack"),
)
DOMAINS: Mapping[str, tuple[str, str | None]] = {
    "git": ("git/git", "shell"),
    "bash": ("gnu/bash", "shell"),
    "coreutils": ("gnu/coreutils", "shell"),
    "make": ("gnu/make", "shell"),
    "tar": ("gnu/tar", "shell"),
    "wget": ("gnu/wget", "shell"),
    "grep": ("gnu/grep", "shell"),
    "sed": ("gnu/sed", "shell"),
    "gawk": ("gnu/gawk", "shell"),
    "findutils": ("gnu/findutils", "shell"),
    "diffutils": ("gnu/diffutils", "shell"),
    "gcc": ("gcc-mirror/gcc", "c"),
    "cpplib": ("gcc-mirror/gcc", "c"),
    "ld": ("bminor/binutils-gdb", "c"),
    "gas": ("bminor/binutils-gdb", "c"),
    "bfd": ("bminor/binutils-gdb", "c"),
    "libc": ("bminor/glibc", None),
    "dpkg": ("guillemj/dpkg", "shell"),
    "apt": ("Debian/apt", "shell"),
    "gnupg2": ("gpg/gnupg", "shell"),
    "util-linux": ("util-linux/util-linux", "shell"),
    "shadow": ("shadow-maint/shadow", "shell"),
    "Linux-PAM": ("linux-pam/linux-pam", "shell"),
    "systemd": ("systemd/systemd", "shell"),
    "e2fsprogs": ("tytso/e2fsprogs", "shell"),
    "postgres": ("postgres/postgres", "sql"),
    "psql": ("postgres/postgres", "sql"),
    "libpq": ("postgres/postgres", "sql"),
    "glib20": ("GNOME/glib", None),
    "gettext-tools": ("gnu/gettext", "shell"),
    "rpm": ("rpm-software-management/rpm", "shell"),
}
"""Repository and language of a domain. Of a domain that is not listed the repository is named
after it."""
_NUMBERED = re.compile(r"-?\d[\d.]*$|^libapt-pkg.*$")
"""`postgres-15`, `libapt-pkg6.0`."""
_MAGIC = {b"\xde\x12\x04\x95": "<", b"\x95\x04\x12\xde": ">"}
_PO_ENTRY = re.compile(r'^msgid(?:_plural)? ((?:"(?:[^"\\]|\\.)*"\s*)+)', re.MULTILINE)
_PO_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PO_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_GCC = re.compile(r"%[-+#]*q[-+#]*[lw]*[A-Za-z]|%[A-Z]|%[<>']|%\{[^}]*\}(?P<unprinted>)?")
_BINUTILS = re.compile(r"(?P<unprinted>%[FX]|^%P: (?:error: |warning: )?)|%p[A-Z]|%[A-Z]")
_VERBS = {"gcc": _GCC, "cpplib": _GCC, "ld": _BINUTILS, "bfd": _BINUTILS}
"""The verbs of families that have their own: gcc's `%qD` is a declaration in quotes, ld's `%pB` a
file, its `%F` ends the program and prints nothing."""
_QUOTES = {"%<": "‘", "%>": "’", "%'": "’"}
MAX_MESSAGES = 100_000


def read_all(where: Path | None) -> Iterator[tuple[Tool, Iterator[ToolMessage]]]:
    """One tool for each catalogue in the folder of locales, or for the one file at `where`.
    What several tools say (“out of memory”) is the record of none."""
    files = [where] if where is not None and where.is_file() else _found(where)
    if not files:
        raise CatalogueError(
            "No catalogue of gettext was found. Name a .mo, .po or .pot file, or a folder of "
            "locales: --catalogue gettext=/usr/share/locale."
        )
    messages = {domain_of(file.stem): errors_of(file) for file in files}
    said = Counter(text for texts in messages.values() for text in set(texts))
    for domain, texts in messages.items():
        repo, language = DOMAINS.get(domain, (f"{domain}/{domain}", "shell"))
        tool = Tool(name=domain, repo=repo, version="", language=language)
        yield tool, (listed(text) for text in texts if said[text] == 1)


def domain_of(stem: str) -> str:
    """The name of the tool from a file's name: `postgres-15` is postgres."""
    if stem.startswith("libapt-pkg"):
        return "apt"
    return _NUMBERED.sub("", stem) if stem not in DOMAINS else stem


def _found(where: Path | None) -> list[Path]:
    """The largest translation of each domain: it was made from the newest list of messages."""
    largest: dict[str, Path] = {}
    for folder in [where] if where is not None else FOLDERS:
        for file in sorted(folder.glob("*/LC_MESSAGES/*.mo")):
            domain = domain_of(file.stem)
            if domain not in DOMAINS and where is None:
                continue
            best = largest.get(domain)
            if best is None or file.stat().st_size > best.stat().st_size:
                largest[domain] = file
    return list(largest.values())


def errors_of(file: Path) -> list[str]:
    """The errors among a file's messages. Raises CatalogueError when it is damaged."""
    content = read_file(file)
    texts = read_mo(content, file) if content[:4] in _MAGIC else read_po(content)
    verbs = _VERBS.get(domain_of(file.stem))
    errors = []
    for text in texts:
        message = (verbs.sub(_plain_verb, text) if verbs else text).strip()
        if "\n" not in message and reads_like_an_error(message):
            errors.append(message)
    return errors


def read_mo(content: bytes, file: Path) -> Iterator[str]:
    """The originals of a compiled catalogue; every offset is held against the file's size."""
    order = _MAGIC[content[:4]]
    try:
        _, count, start = struct.unpack_from(f"{order}3I", content, 4)
        if count > MAX_MESSAGES or start + 8 * count > len(content):
            raise CatalogueError(f"{file} is damaged: its table of messages does not fit.")
        for number in range(count):
            length, offset = struct.unpack_from(f"{order}2I", content, start + 8 * number)
            if offset + length > len(content):
                raise CatalogueError(f"{file} is damaged: a message lies outside of it.")
            text = content[offset : offset + length].decode("utf-8", "replace")
            # A context stands before \x04, a plural behind \x00.
            yield from text.rpartition("\x04")[2].split("\x00")
    except struct.error:
        raise CatalogueError(f"{file} is damaged: it ends too early.") from None


def read_po(content: bytes) -> Iterator[str]:
    """The originals of a catalogue in source form."""
    for found in _PO_ENTRY.finditer(content.decode("utf-8", "replace")):
        text = "".join(_PO_PIECE.findall(found[1]))
        yield re.sub(r"\\(.)", lambda each: _PO_ESCAPES.get(each[1], each[1]), text)


def _plain_verb(found: re.Match[str]) -> str:
    """What stands for a verb that printf has not."""
    verb = found[0]
    if verb in _QUOTES:
        return _QUOTES[verb]
    if verb.startswith("%{") or found["unprinted"]:
        return ""
    return "‘%s’" if "q" in verb else "%s"
