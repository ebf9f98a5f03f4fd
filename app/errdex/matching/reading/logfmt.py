"""Log records written as logfmt pairs, one record a line."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.reading.prefixes import level_name

_MAX_TEXTS = 20
_MAX_LEARNED, _MAX_TRIES, _MAX_KEYS = 8, 200, 40
_PAIR = re.compile(
    r"[ \t]*+([\w.@/-]{1,80}+)=(?:\"((?:[^\"\\]|\\.)*+)(?:\"|\Z)|([^\s\"]*+))", re.DOTALL
)
"""A quotation may be cut off at the line's end."""
_LOGFMT_SIGN = re.compile(
    r"[ \t]{0,8}[\w.@-]{1,40}+=(?:\"(?:[^\"\\\n]|\\.){0,400}+\"|[^\s\"]{0,200}+) [\w.@-]{1,40}+="
)
_LOGFMT_KEYS = {
    **dict.fromkeys(("level", "lvl", "severity"), "level"),
    **dict.fromkeys(("msg", "message"), "message"),
    **dict.fromkeys(
        ("err", "error", "exception", "stack", "stacktrace", "reason", "cause"), "error"
    ),
}
_TEXT_SIGNS = ("msg=", "err=", "error=", "message=", "exception=", "reason=")
"""Keys whose value says what happened, as a whole log and each of its lines are searched for them:
one by one, which is several times as fast as a regular expression for all."""
_NO_ERROR = frozenset({"", "nil", "null", "<nil>", "none", "None", "false", "0"})


def has_text_pair(text: str) -> bool:
    """Whether a text may hold logfmt: one of its keys is that of a message or an error."""
    return any(sign in text for sign in _TEXT_SIGNS)


def is_logfmt(text: str) -> bool:
    """Whether a line with such a key is of logfmt's form: it begins with pairs."""
    return _LOGFMT_SIGN.match(text) is not None


def parse_logfmt(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The level, and each text of a logfmt line with its offset in the line, still escaped.
    The message comes first, wherever it stands. There are none without a message or a level,
    since programs print other things as pairs."""
    level, has_message = "", False
    texts: list[tuple[int, str]] = []
    end = 0
    while found := _PAIR.match(text, end):
        end = found.end()
        kind = _LOGFMT_KEYS.get(found.group(1))
        if kind is None:
            continue
        group = 2 if found.group(2) is not None else 3
        value = found.group(group)
        if kind == "level":
            level = level_name(value)
        elif kind == "message":
            texts.insert(0, (found.start(group), value))
            has_message = True
        elif value not in _NO_ERROR:
            texts.append((found.start(group), value))
    return level, texts[:_MAX_TEXTS] if has_message or level else []


class FlatPairs:
    """Reads the logfmt lines that are most frequent: those with the keys of an earlier line, a
    message without escapes, and no error. Learns one regex for each list of keys."""

    def __init__(self) -> None:
        self._learned: list[re.Pattern[str]] = []
        self._known: set[str] = set()
        self._tries = 0

    def read(self, raw: str) -> tuple[str, int, str] | None:
        """The level, and the message with its column; None when `parse_logfmt` has to look."""
        for regex in self._learned:
            found = regex.match(raw)
            if found:
                level = found.group("level").strip('"')
                group = "bare" if found.group("quoted") is None else "quoted"
                return level_name(level), found.start(group), found.group(group)
        return None

    def learn(self, raw: str) -> None:
        """Learn the keys of a line."""
        if self._tries >= _MAX_TRIES or len(self._learned) >= _MAX_LEARNED:
            return
        self._tries += 1
        keys: list[str] = []
        end = 0
        while found := _PAIR.match(raw, end):
            keys.append(found.group(1))
            end = found.end()
        kinds = [_LOGFMT_KEYS.get(key) for key in keys]
        if raw[end:].strip() or len(keys) > _MAX_KEYS or "error" in kinds:
            return
        if kinds.count("message") != 1 or kinds.count("level") > 1:
            return
        fields = [_field(key, kind) for key, kind in zip(keys, kinds, strict=True)]
        level = "" if "level" in kinds else "(?P<level>)"
        source = level + r"[ \t]*+" + r"[ \t]++".join(fields) + r"[ \t]*+$"
        if source not in self._known:
            self._known.add(source)
            self._learned.append(re.compile(source, re.DOTALL))


def _field(key: str, kind: str | None) -> str:
    name = re.escape(key)
    if kind == "level":
        return rf'{name}=(?P<level>"[^"\\]{{0,40}}+"|[^\s"]{{0,40}}+)'
    if kind == "message":
        return rf'{name}=(?:"(?P<quoted>[^"\\]*+)"|(?P<bare>[^\s"\\]*+))'
    return rf'{name}=(?:"(?:[^"\\]|\\.)*+"|[^\s"]*+)'
