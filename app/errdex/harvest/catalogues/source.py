"""Catalogues of messages as raise sites: `errors.json`, `messages.properties`, `locales/en.json`.

What a file of all messages lists is an error only where its key or its words say so.
"""

from __future__ import annotations

from collections import Counter

from errdex import lazy_re as re
from errdex.harvest.catalogues.entries import Entry, read_json, read_properties
from errdex.harvest.catalogues.files import scope_of
from errdex.harvest.messages.placeholders import with_holes
from errdex.harvest.messages.template import is_telling, normalized
from errdex.harvest.model import NO_FIXED_TEXT, Extraction, Part, RaiseSite

NOT_A_CATALOGUE = "no catalogue of messages"
NOT_AN_ERROR = "a message that is no error"
LINES_AROUND = 5
"""Of an excerpt: the neighbours of a message tell little of it."""
MAX_KEY = 300

_ERROR_KEY = frozenset(
    """
    err errs error errors exception exceptions fail failure failures fatal invalid abort unable
    denied forbidden unauthorized illegal unsupported
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_ERROR_WORDS = re.compile(
    r"^(?:\W|\{\w*\})*(?:(?:an? )?(?:(?:unexpected|internal|unknown|fatal) )*(?:error|exception)\b"
    r"|cannot|can ?not|can['\u2019]?t|could ?n[o'\u2019]t|unable to|failed|failure|fatal|invalid"
    r"|illegal|unexpected|unknown|unsupported|malformed|missing|access denied|no such|not enough"
    r"|timed out)\b"
    r"|\b(?:can(?:no|['\u2019])t be (?!undone)|could ?n[o'\u2019]t"
    r"|must (?:not )?(?:be|have|contain|match)"
    r"|(?:is|are|was|were) (?:not |n[o'\u2019]t )?(?:required|missing|expired|invalid|valid|allowed"
    r"|supported|permitted|too \w+)|not found|do(?:es)? ?n[o'\u2019]t (?:exist|match)"
    r"|already exists?|has failed|failed to|unable to|timed out|not authorized)\b"
    r"|(?<!\bas )\bfailed(?:[.!:,]|$)",
    re.IGNORECASE,
)
_KEY_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_QUESTION = re.compile(r"\?(?:\s|$)")


def extract(source: str, path: str) -> Extraction:
    """The messages of a catalogue. Raises SourceUnreadable."""
    scope, left_out = scope_of(path), Counter[str]()
    is_java = path.lower().endswith(".properties")
    entries = read_properties(source) if is_java else read_json(source)
    if entries is None or scope is None:
        return Extraction([], Counter({NOT_A_CATALOGUE: 1}))
    sites = []
    for entry in sorted(entries, key=lambda entry: entry.line):
        parts = tuple(with_holes(entry.text, java=is_java))
        if not is_telling(normalized(parts), None):
            left_out[NO_FIXED_TEXT] += 1
        elif scope == "messages" and not _is_error(entry):
            left_out[NOT_AN_ERROR] += 1
        else:
            sites.append(_site(entry, parts))
    return Extraction(sites, left_out)


def _site(entry: Entry, parts: tuple[Part, ...]) -> RaiseSite:
    return RaiseSite(
        parts=parts,
        line=entry.line,
        end_line=entry.line,
        kind="table",
        error_code=entry.code or _code(entry.key),
        http_status=entry.status,
        excerpt_start=max(1, entry.line - LINES_AROUND),
        excerpt_end=entry.line + LINES_AROUND,
    )


def _code(key: str) -> str | None:
    """The key, by which the program asks for the message, when it is a name."""
    return key if 0 < len(key) <= MAX_KEY and key.isprintable() and " " not in key else None


def _is_error(entry: Entry) -> bool:
    if _QUESTION.search(entry.text) or ".debug." in entry.key:
        return False
    return _is_key_of_error(entry.key) or reads_like_an_error(entry.text)


def reads_like_an_error(text: str) -> bool:
    """Whether a message says by its own words that something is wrong."""
    return _ERROR_WORDS.search(text) is not None


def _is_key_of_error(key: str) -> bool:
    """Whether a part of a key begins or ends with a word for errors: `uploadError`."""
    for part in key.split(".") if _code(key) else ():
        words = [word.lower() for word in _KEY_WORD.findall(part)]
        if words and _ERROR_KEY & {words[0], words[-1]}:
            return True
    return False
