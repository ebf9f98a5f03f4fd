"""Refuses patterns that would match nearly anything.

Two measures: how much of a match is certain (`Pattern.literal_weight`), and how many
of the ordinary lines below, none of which reports an error, the pattern matches.
"""

from __future__ import annotations

from errdex.matching.patterns.pattern import Pattern, compile_pattern
from errdex.matching.patterns.refusal import PatternRefused
from errdex.matching.patterns.text_bytes import encode

LEAST = 1.5
"""Weight of a pattern that has no error class beside it: that of `(.+?) failed`."""
SPECIFIC = 12.0
"""From this weight on a pattern is not tried on the ordinary lines."""
MAX_ORDINARY = 2
"""Ordinary lines that a pattern may match."""
MAX_ORDINARY_SHARE = 0.2
"""The share that it may match when an error class has to be right as well."""

ORDINARY_LINES = """\
Server started on port 8080
INFO: Application startup complete.
Listening at: http://0.0.0.0:8000 (1)
Using default configuration from /etc/app/config.yaml
Loaded 42 plugins in 1.37s
Connected to database 'orders' as user 'app'
GET /api/items/17 200 12ms
POST /login HTTP/1.1" 302 -
127.0.0.1 - - "GET /static/app.js HTTP/1.1" 304
DEBUG cache hit for key user:1234
epoch 3/10: loss=0.2314, accuracy=0.913
Downloading model.bin: 45%|####      | 1.2G/2.7G
Step 4/12 : RUN make install
 ---> Using cache
Successfully built 3f5e8c1d2a7b
Successfully installed requests-2.32.0
Collecting numpy>=1.26
added 214 packages, and audited 215 packages in 9s
Compiling serde v1.0.203
Finished release [optimized] target(s) in 12.31s
===== 128 passed, 0 failed in 4.02s =====
Build finished: 0 errors, 2 warnings
error handler registered for 'payments'
Error rate: 0.00%
errors: 0
No errors found in 31 files
Retrying after error budget was restored
Exception handler installed
warning count: 0
exit code 0
All checks passed!
[main] Worker 3 ready
Scheduler: next run at 2024-05-02 03:00:00
Job cleanup finished, 17 rows removed
user 'alice' logged in from 10.0.0.7
Request completed in 35 ms
Response status: 200 OK
Reading file input.csv
Writing output to /tmp/result.json
Processed 10000 records (100.0%)
name: worker-1, state: running, restarts: 0
Config(value=3, name='default', path=None)
{"level":"info","msg":"ready","port":8080}
time="2024-05-02T03:00:00Z" level=info msg="ready"
commit 9afea77 merged into main
Switched to branch 'feature'
Container web-1  Started
pod/web-5d9c created
On branch main, nothing to commit
import os, sys
def main(argv):
    return value
x = 3
true
done
OK
...
2024-05-02
----------------
"""
"""What programs print when all is well, one line each."""

_MORE_WORDS = "write more of the words that the message always has"
_LINES = tuple(encode(line) for line in ORDINARY_LINES.splitlines())
_TOGETHER = encode(ORDINARY_LINES)


def check_generality(pattern: Pattern | str, error_class: str | None = None) -> None:
    """Raise PatternRefused for a pattern (or its source) that would match nearly anything.

    With an `error_class`, which an event must then have too, patterns that say little
    (`'(.+?)'` of a KeyError) are let through; they are `weak`.
    """
    if isinstance(pattern, str):
        pattern = compile_pattern(pattern)
    construct = pattern.source if len(pattern.source) <= 60 else pattern.source[:57] + "..."
    if pattern.literal_length == 0:
        raise PatternRefused(
            construct,
            "nothing in it has to be there, so that it would match nearly any line",
            _MORE_WORDS,
        )
    if error_class is None and (pattern.literal_weight < LEAST or _is_lone_word(pattern)):
        raise PatternRefused(
            construct,
            "what has to be there may stand in any log",
            f"{_MORE_WORDS}, or give the record its errorClass",
        )
    matched = _ordinary_matches(pattern)
    allowed = int(len(_LINES) * MAX_ORDINARY_SHARE) if error_class else MAX_ORDINARY
    if len(matched) > allowed:
        raise PatternRefused(
            construct,
            f"it matches ordinary lines such as {matched[0]!r}",
            _MORE_WORDS if error_class else f"{_MORE_WORDS}, or give the record its errorClass",
        )


def _is_lone_word(pattern: Pattern) -> bool:
    """A single common word and nothing else, such as `failed`."""
    return pattern.weak and not pattern.group_names and pattern.source.strip().isalpha()


def _ordinary_matches(pattern: Pattern) -> list[str]:
    if pattern.literal_weight >= SPECIFIC:
        return []
    if pattern.search_bytes(_TOGETHER, 0, len(_TOGETHER)) is None and not pattern.absolute:
        return []
    return [
        line.decode() for line in _LINES if pattern.search_bytes(line, 0, len(line)) is not None
    ]
