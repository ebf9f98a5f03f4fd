"""The words with which a message says that something failed, whatever printed it."""

from __future__ import annotations

from errdex import lazy_re as re

_FAILS = re.compile(
    r"\b(?i:problems?|exceptions?|fault(?:s|ed|ing)?|nxdomain|servfail|fail(?:s|ed|ure|ures|ing)?|errors?|fatal|panic(?:ked)?|denied|refused|forbidden|reject(?:s|ed)"
    r"|unauthori[sz]ed|unauthenticated|invalid|illegal|unknown|unrecogni[sz]ed|unexpected|unsupported"
    r"|undefined|undeclared|unresolved|unreachable|unavailable|unreadable|insufficient|missing|corrupt(?:ed)?"
    r"|malformed|abort(?:ed|ing)?|crash(?:ed|es)?|segfault|time[ds]?[ -]?out|expired|exceed(?:s"
    r"|ed)|overflow"
    r"|mismatch(?:ed)?|conflict(?:s|ing)?|incompatible|deadlock|broken|cannot|can ?not|unable"
    r"|disallowed"
    r"|violat(?:es|ed|ion)|must (?:be|have|not|contain|match)|no such|no space|out of (?:memory"
    r"|range|bounds|space|disk)"
    r"|too (?:many|large|long|big|few|small|short|old)|already (?:exists?|in use|defined"
    r"|declared|running)"
    r"|not (?:be |been |a |an |in |on )?(?:found|allowed|permitted|supported|defined"
    r"|recogni[sz]ed|valid|available"
    r"|installed|exist|set|enough|implemented|authori[sz]ed|connected|accessible|writable|readable|match|resolved"
    r"|loaded|created|opened|known|satisfied|declared|callable|iterable|member|signed|trusted|reachable))\b"
    r"|\b(?:could|can|ca|does|do|did|is|was|are|were|has|have|wo|would)(?: not|n['\u2019]t)\b"
    r"|\b[A-Z][A-Z0-9]{1,20}_(?:[A-Z0-9]+_)*(?:FAIL|ERR|INVALID|DENIED|MISSING|TIMEOUT|NOT)[A-Z0-9_]*\b"
    r"|^[a-z]{3,20}(?:_[a-z]{2,20}){1,4}: "
)
"""Words with which a message says that something failed."""


def says_failure(message: str) -> bool:
    """Whether the words of a message say that something is missing, refused or wrong."""
    return _FAILS.search(message) is not None
