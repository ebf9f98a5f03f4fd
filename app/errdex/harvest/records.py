"""From the sites of a file to records in the wire format.

A record's id is made of what a paste can tell apart: repository, language, class, code, status and
pattern. So it survives a moved function, and all places that say the same have one id, by which
`places` makes them one record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from errdex import lazy_re as re
from errdex.harvest.messages.error_types import error_type_of_site
from errdex.harvest.messages.template import MAX_LENGTH, render
from errdex.harvest.model import Part, RaiseSite
from errdex.records.identity import derive_id

LINES_AROUND = 18
"""Lines of an excerpt before and behind the raising line, as in the reference documents."""
MAX_EXCERPT_LINES = 60
MAX_LINE = 500
"""Characters of a line in an excerpt."""
SCHEMA_VERSION = 2
GITHUB = "https://github.com/{repo}/blob/{ref}/{path}#L{start}-L{end}"
TOO_LONG = "too long a message"

_MAX_NAME = 300
_MAX_TEXT = 4_000
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_NOT_A_TAG = re.compile(r"[^a-z0-9.+]+")
_TELLING_NOTHING = frozenset(
    """
    src lib python packages pkg internal main index init app core common util utils helpers base
    java kotlin scala org com net io js ts dist build cmd mod crates source sources
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
MAX_TAGS = 5

Wire = dict[str, object]
"""A record as it is written."""

URL_FIELDS = ("repo", "ref", "path", "start", "end", "line")
_URL_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the files of a tree come from."""

    repo: str
    """owner/name."""
    ref: str | None = None
    """The commit, or the version of a package."""
    analyzed_at: str | None = None
    """When that commit was made: the same input gives the same records."""
    url_template: str | None = None
    """With some of URL_FIELDS in braces in it."""
    tags: tuple[str, ...] = ()
    part: str = ""
    """What tells these files from others that have the same repository and paths."""


def unknown_url_fields(template: str) -> list[str]:
    """What stands in braces in a template for links and is none of URL_FIELDS."""
    return [field for field in _URL_FIELD.findall(template) if field not in URL_FIELDS]


class RecordMaker:
    """Makes the records of one file."""

    def __init__(self, origin: Origin, path: str, language: str, source: str) -> None:
        self.origin = origin
        self.path = path
        self.language = language
        self.left_out: Counter[str] = Counter()
        self._lines = source.removesuffix("\n").split("\n")
        self._tags = _tags(origin, path)

    def records(self, sites: Sequence[RaiseSite]) -> Iterator[Wire]:
        """The records as wire objects, in the order of the sites."""
        for site in sites:
            record = self.record(site)
            if record is not None:
                yield record

    def record(self, site: RaiseSite) -> Wire | None:
        """The record of a site as a wire object; None, and counted, when it is too long."""
        record = completed(self.draft(site), site.parts)
        if record is None:
            self.left_out[TOO_LONG] += 1
        return record

    def draft(self, site: RaiseSite) -> Wire:
        """The record of a site without what depends on its message."""
        start, end = _excerpt(site, len(self._lines))
        return {
            "id": self.origin.part or None,  # `completed` makes the id of it
            "repo": self.origin.repo,
            "errorCode": site.error_code,
            "errorMessage": None,
            "messagePattern": None,
            "errorType": error_type_of_site(site),
            "errorClass": _name(site.error_class),
            "httpStatus": site.http_status,
            "severity": site.severity or "error",
            "filePath": self.path,
            "lineNumber": site.line,
            "sourceCode": "\n".join(map(_shown, self._lines[start - 1 : end])),
            "sourceCodeStart": start,
            "sourceCodeEnd": end,
            "githubUrl": _url(self.origin, self.path, site.line, start, end),
            "documentation": _documentation(site),
            "tags": self._tags,
            "analyzedSha": self.origin.ref,
            "analyzedAt": self.origin.analyzed_at,
            "schemaVersion": SCHEMA_VERSION,
            "language": self.language,
            "function": _name(site.function),
            "raisedWhen": _text(site.raised_when),
        }


def of_origin(body: Wire, origin: Origin) -> Wire:
    """A record or a draft of a file, as one of another commit with the same file. Raises KeyError
    where it does not say its place."""
    start, end = body["sourceCodeStart"], body["sourceCodeEnd"]
    place = (str(body["filePath"]), body["lineNumber"], start, end)
    new = {
        "githubUrl": _url(origin, *place),
        "analyzedSha": origin.ref,
        "analyzedAt": origin.analyzed_at,
    }
    return {key: new.get(key, value) for key, value in body.items()}


def completed(draft: Wire, parts: Sequence[Part]) -> Wire | None:
    """A draft with its message, and without the keys that have no value. None when the
    message is too long."""
    message = render(parts)
    if max(len(message.error_message), len(message.pattern)) > MAX_LENGTH:
        return None
    body = dict(draft, errorMessage=message.error_message, messagePattern=message.pattern)
    error_class = None if draft["errorClass"] is None else str(draft["errorClass"])
    others = (draft["language"], draft["errorCode"], draft["httpStatus"], draft["id"])
    said = "\n".join((message.pattern, *(str(each or "") for each in others)))
    body["id"] = derive_id(str(draft["repo"]), error_class, said)
    return {key: value for key, value in body.items() if value is not None}


def _url(origin: Origin, path: str, line: object, start: object, end: object) -> str | None:
    if origin.url_template is None:
        return None
    fields = {
        "repo": origin.repo,
        "ref": quote(origin.ref or "", safe=""),
        "path": quote(path),
        "start": str(start),
        "end": str(end),
        "line": str(line),
    }
    return _URL_FIELD.sub(lambda found: fields[found[1]], origin.url_template)


def _excerpt(site: RaiseSite, count: int) -> tuple[int, int]:
    start = site.excerpt_start or site.line - LINES_AROUND
    end = site.excerpt_end or max(site.line + LINES_AROUND, site.end_line)
    start = max(1, min(start, site.line))
    end = min(max(end, site.line), start + MAX_EXCERPT_LINES - 1, count)
    return start, max(end, site.line)


def _shown(line: str) -> str:
    if len(line) > MAX_LINE:
        line = line[: MAX_LINE - 2] + " …"
    if line.isascii() and line.isprintable():
        return line
    return _text(line) or ""


def _text(text: str | None) -> str | None:
    if text is None:
        return None
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)[:_MAX_TEXT]


def _name(name: str | None) -> str | None:
    """None for a name that does not fit on a line."""
    return name if name and name.isprintable() and len(name) <= _MAX_NAME else None


def _documentation(site: RaiseSite) -> str | None:
    said = [words for words in (site.documentation_source, site.comment) if words]
    return _text("\n\n".join(dict.fromkeys(said))) or None


def package_tag(origin: Origin) -> str | None:
    """The tag that all records of a package have, of whose repository there may be other packages.
    None for files of a repository itself."""
    tag = _tag(origin.tags[0]) if origin.tags else ""
    return tag if _is_tag(tag) else None


def _tag(word: str) -> str:
    return _NOT_A_TAG.sub("-", word.lower()).strip("-.")


def _is_tag(tag: str) -> bool:
    return 1 < len(tag) <= 60


def _tags(origin: Origin, path: str) -> list[str]:
    """Words for the package and the modules around: at most MAX_TAGS."""
    file = PurePosixPath(path)
    modules = [*file.parts[:-1], file.name.partition(".")[0]]
    words = [origin.repo.rpartition("/")[2], *origin.tags]
    words += [name for name in modules if name.strip("_").lower() not in _TELLING_NOTHING]
    tags = [_tag(word) for word in words]
    found = [tag for tag in dict.fromkeys(tags) if _is_tag(tag)]
    return found if len(found) <= MAX_TAGS else [*found[:2], *found[2 - MAX_TAGS :]]
