"""Records of several writers in one log, as shippers send them: each writer's lines are brought
together, so that a traceback that was sent line by line, among lines of others, is one error.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

MESSAGE_KEYS = ("log", "message", "MESSAGE")
"""Keys under which shippers send a line: Fluent Bit and Docker; Vector, Logstash and rsyslog;
journald."""
_STREAM_KEYS = (
    "container_id", "container_name", "stream", "kubernetes", "host", "hostname", "_HOSTNAME",
    "_PID", "_SYSTEMD_UNIT", "SYSLOG_IDENTIFIER", "syslogtag", "programname", "procid", "appname",
    "app-name", "service", "file", "path", "source", "source_type", "tag",
)  # fmt: skip
_NAMED = (
    "pod_id",
    "pod_uid",
    "pod",
    "pod_name",
    "namespace_name",
    "pod_namespace",
    "container_name",
)
"""What names a container in Kubernetes' metadata."""
MOST_RECORDS = 100_000
"""Records of one log; what is kept of each takes more than the shortest does itself."""
_LONGEST = 200
"""Characters of a name that tell writers apart."""


def stream_of(record: Mapping[str, object]) -> str:
    """The writer of a record, by the fields that name containers, processes, files and hosts; ""
    when it names none."""
    return "\x1f".join(_names(record))


def stream_by(record: Mapping[str, object], keys: Sequence[str]) -> str:
    """The writer of a record by fields of one's own, such as `kubernetes.pod_name`."""
    names = []
    for key in keys:
        value: object = record
        for step in key.split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
        names.append(str(value)[:_LONGEST] if isinstance(value, str | int) else "")
    return "\x1f".join(names)


def _names(record: Mapping[str, object]) -> Iterator[str]:
    for key in _STREAM_KEYS:
        value = record.get(key)
        if isinstance(value, Mapping):
            for inner in _NAMED:
                if isinstance(name := value.get(inner), str):
                    yield f"{inner}={name[:_LONGEST]}"
        elif isinstance(value, str | int):
            yield f"{key}={str(value)[:_LONGEST]}"


@dataclass(frozen=True, slots=True)
class Writers:
    """How the writers of a log's records are distinguished."""

    keys: tuple[str, ...] = ()
    """By these fields; without any, by those that log shippers have."""
    one: bool = False
    """There is only one."""

    @property
    def given(self) -> bool:
        """Whether the sender of the records has said it."""
        return self.one or bool(self.keys)

    def of(self, record: Mapping[str, object]) -> str:
        """The writer of a record."""
        if self.one:
            return ""
        return stream_by(record, self.keys) if self.keys else stream_of(record)


class JoinedLog:
    """The texts of records, brought together by their streams."""

    def __init__(self) -> None:
        self._streams: dict[str, list[tuple[int, str]]] = {}
        self._added = 0
        self._starts: list[int] = []
        self._owners: list[int] = []

    def add(self, stream: str, text: str) -> None:
        """Add the text of a record, of one line or several."""
        self._streams.setdefault(stream, []).append((self._added, text))
        self._added += 1

    def paste(self) -> str:
        """All of them, stream by stream, in the order in which streams began."""
        texts = []
        line = 1
        self._starts, self._owners = [], []
        for records in self._streams.values():
            for number, whole in records:
                text = whole.rstrip("\r\n")
                self._starts.append(line)
                self._owners.append(number)
                texts.append(text)
                line += text.count("\n") + 1
        return "\n".join(texts)

    def owner(self, line: int) -> int:
        """The number of the record, in the order they were added, that has a line of the paste;
        both begin as the paste counts: lines at 1, records at 0."""
        return self._owners[bisect_right(self._starts, line) - 1]
