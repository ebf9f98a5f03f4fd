"""Secrets, people and machines in a text.

A secret is known by what it is called (`password=…`), by where it is (`https://user:…@`), by the
prefix that its issuer gives it, or by looking random. The prefixes are those that the issuers
document; the other ways do not depend on a list.
"""

from __future__ import annotations

from itertools import pairwise

from errdex import lazy_re as re
from errdex.matching.masking.blanks import Blank, Rule, find_by_rules, mask
from errdex.matching.masking.blanks import word_set as _words
from errdex.records.languages import LANGUAGES

_NAMES = (
    r"(?:pass(?:wor[dt]|wd|phrase)?|pwd|secret|api[_.-]?key|access[_.-]?key|auth[_.-]?key|"
    r"account[_.-]?key|private[_.-]?key|client[_.-]?secret|shared[_.-]?key|signing[_.-]?key|"
    r"encryption[_.-]?key|master[_.-]?key|connection[_.-]?string)"
)
_WEAK_NAMES = (
    r"(?:token|credentials?|session(?:[_.-]?id)?|sess|cookie|csrf|xsrf|jwt|bearer|otp|pin|signature|"
    r"sig|dsn)"
)
"""Names that sentences have before a colon as well."""
_PREFIXES = (
    r"(?:gh[opsur]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-|xox[a-z]-|xapp-|"
    r"[prs]k_(?:live|test)_|whsec_|AIza|ya29\.|GOCSPX-|npm_|pypi-|sk-|hf_|SG\.|do[opr]_v1_|"
    r"dckr_(?:pat|oat)_|shp(?:at|ca|pa|ss)_|sq0[a-z]{3}-|EAAA|dapi|key-|hv[bsr]\.|lin_api_|ntn_|"
    r"secret_|fig[dou]_|PMAK-|sntry[su]_|gl(?:sa|c)_|NRAK-|dp\.[a-z]{2,3}\.|pscale_\w{2,5}_|sbp_|"
    r"nfp_|fo1_|rubygems_|ATATT|ATCTT|sl\.|EZ[AT]K|pat[A-Za-z0-9]{14}\.|ops_|tskey-|bkua_|CCIPAT_|"
    r"pul-|gsk_|pplx-|r8_|xai-|AGE-SECRET-KEY-|(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA|ANVA)|"
    r"ABSK|rnd_|rk_|zpka_|cio_|glffct-|sgp_|v1\.0-|eyJ)"
)
_HOST = r"[A-Za-z](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9-]{1,63}){0,8}"
_QUOTES = "\"'`“”‘’"
_ENDINGS = frozenset(
    suffix.lstrip(".") for language in LANGUAGES for suffix in language.suffixes
) | _words("txt log md cfg conf ini toml yml yaml json xml html css lock so dll exe jar")
_TOP_LEVEL = _words(
    "com net org io dev local internal lan corp home intra cloud app example test edu gov mil "
    "int info biz de uk fr nl eu ch at it es se no dk fi pl cz ru ua cn jp kr in au nz ca us br"
)
_LOCAL = frozenset(("localhost", "127.0.0.1", "0.0.0.0", "::1", "::"))  # noqa: S104 (no socket)
_LEAST_RANDOM = 16
_TURNS, _DIGIT_TURNS = 0.33, 3
_TURNS_OF_LETTERS, _LEAST_OF_LETTERS = 0.42, 24
"""In a random word about half of all neighbours are of different kinds: capitals, small letters,
digits. In names it is one in four or fewer, and digits are together at an end."""


def _looks_random(word: str) -> bool:
    plain = re.sub(r"[^A-Za-z0-9]", "", word)
    if len(plain) < _LEAST_RANDOM:
        return False
    kinds = ["d" if each.isdigit() else "u" if each.isupper() else "l" for each in plain]
    turns = [{one, other} for one, other in pairwise(kinds) if one != other]
    if word.startswith("_Z"):  # a name that a C++ compiler made
        return False
    share = len(turns) / len(plain)
    of_digits = sum("d" in each for each in turns)
    return (of_digits >= _DIGIT_TURNS and share >= _TURNS) or (
        len(plain) >= _LEAST_OF_LETTERS and share >= _TURNS_OF_LETTERS
    )


def _is_hex_id(word: str) -> bool:
    letters = sum(each.isalpha() for each in word)
    return bool(letters) and letters < len(word)


def _is_host(name: str) -> bool:
    """Whether a dotted name is a machine's, not a file's, a module's or a version."""
    first, last = name.split(".", 1)[0], name.rsplit(".", 1)[-1]
    reversed_name = first in ("com", "org", "net", "io", "dev")  # a package of Java
    return not reversed_name and last in _TOP_LEVEL and last not in _ENDINGS


def _is_foreign(host: str) -> bool:
    host = host.strip("[]").lower()
    return host not in _LOCAL and host.rsplit(".", 1)[-1] not in _ENDINGS


def _is_lower_host(host: str) -> bool:
    return host.islower() and _is_foreign(host)


def _is_outer(address: str) -> bool:
    return address not in _LOCAL and all(int(part) < 256 for part in address.split("."))


def _is_mail(address: str) -> bool:
    return address.rsplit(".", 1)[-1] not in _ENDINGS


def _is_no_word(value: str) -> bool:
    """Whether a value is none of a sentence, as in `token: unexpected end`."""
    return not re.fullmatch(r"[A-Za-z]{1,30}[:.`]?", value)


def _is_ipv6(address: str) -> bool:
    local = re.fullmatch(r"(::1?)(?::\d{2,5})?", address)
    if local:
        return False
    whole = "::" in address or address.count(":") == 7
    return address not in _LOCAL and whole and any(each.isdigit() for each in address)


def _flags(pattern: str, ignore_case: bool = True) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE if ignore_case else 0)


def _named_value(names: str, separator: str) -> str:
    """The expression for `NAME=value`, the name also as the last part of a longer one."""
    return (
        rf"(?:^|[^A-Za-z])(?:[\w.-]{{0,40}}[_.-])?{names}['\"]?{separator}"
        r"(?P<v>\"[^\"\n]{1,500}\"|'[^'\n]{1,500}'|[^\s'\",;&)}\]]{2,500})"
    )


RULES = (
    Rule(
        "key",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}(?:KEY|CERTIFICATE)(?: BLOCK)?-----"
            r"(?s:.{0,8000}?)(?:-----END [A-Z0-9 ]{0,50}-----|\Z)"
        ),
        needs="-----BEGIN ",
    ),
    Rule(
        "token",
        re.compile(
            r"https://(?:hooks\.slack\.com|discord(?:app)?\.com/api/webhooks|"
            r"[\w.-]{1,80}\.webhook\.office\.com)/(?P<v>[\w/@.-]{8,300})"
        ),
        needs="https://",
    ),
    Rule(
        "credentials",
        re.compile(r"[a-z][a-z0-9+.-]{1,30}://(?P<v>[^\s/@'\"<>]{1,200})@", re.IGNORECASE),
        needs="://",
    ),
    Rule(
        "token",
        _flags(
            r"\bauthorization['\"]?\s{0,3}[:=]\s{0,3}['\"]?"
            r"(?P<v>(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,3})?[^\s'\",;]{3,2000})"
        ),
    ),
    Rule("token", _flags(r"\b(?:bearer|basic)\s{1,3}(?P<v>[\w.~+/=-]{8,2000})"), _is_no_word),
    Rule("cookie", _flags(r"\b(?:set-)?cookie['\"]?\s{0,3}[:=]\s{0,3}(?P<v>[^\n\r]{3,2000})")),
    Rule("secret", _flags(_named_value(_NAMES, r"\s{0,3}(?:=|:|=>)\s{0,3}"))),
    Rule("secret", _flags(_named_value(_WEAK_NAMES, r"(?:\s{0,3}=>?\s{0,3}|:)"))),
    Rule("secret", _flags(_named_value(_WEAK_NAMES, r":\s{1,3}")), _is_no_word),
    Rule(
        "secret",
        _flags(_named_value(f"(?:{_NAMES}|{_WEAK_NAMES})", r"\s{1,3}(?:is|was)\s{1,3}")),
        _is_no_word,
    ),
    Rule(
        "secret",
        _flags(
            rf"\s--?(?:[a-z-]{{0,30}}-)?(?:{_NAMES}|{_WEAK_NAMES})\s{{1,3}}"
            r"(?P<v>[^\s'\"-][^\s'\"]{1,500})"
        ),
        _is_no_word,
    ),
    Rule("token", re.compile(rf"(?<![A-Za-z0-9]){_PREFIXES}[A-Za-z0-9_=+/.-]{{12,2000}}")),
    Rule("token", re.compile(r"(?<!\d)\d{8,12}:AA[\w-]{30,40}"), needs=":AA"),
    Rule(
        "token",
        re.compile(r"(?<![\w-])[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,80}(?![\w-])"),
        _looks_random,
    ),
    Rule("token", re.compile(r"\b[0-9a-f]{32}-us\d{1,2}\b"), needs="-us"),
    Rule("token", re.compile(r"\b\w{14}\.atlasv1\.[\w-]{20,200}"), needs=".atlasv1."),
    Rule("token", re.compile(r"[?&][\w.~-]{1,60}=(?P<v>[^\s&#'\"<>]{1,1000})"), needs="="),
    Rule(
        "email",
        re.compile(
            r"[A-Za-z0-9][\w.+-]{0,80}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}"
            r"\.[A-Za-z]{2,20}\b"
        ),
        _is_mail,
        needs="@",
    ),
    Rule(
        "login",
        re.compile(
            r"(?<![\w@/.-])[a-z_][\w.-]{0,40}@(?!v?\d)[A-Za-z][\w-]{1,60}(?=[:~\s]|$)(?!:\d)"
        ),
        needs="@",
    ),
    Rule("id", re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b")),
    Rule("address", re.compile(r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b")),
    Rule("address", re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\w)"), _is_outer),
    Rule(
        "address",
        re.compile(r"(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{1,4}(?:%\w{1,15})?(?![\w:])"),
        _is_ipv6,
    ),
    Rule(
        "host",
        re.compile(
            rf"\b[a-z][a-z0-9+.-]{{1,30}}://(?:[^\s/@]{{1,200}}@)?(?P<v>{_HOST})", re.IGNORECASE
        ),
        _is_foreign,
        needs="://",
    ),
    Rule("host", re.compile(rf"(?<![\w./@-])(?P<v>{_HOST}):\d{{2,5}}\b(?!:)"), _is_lower_host),
    Rule("host", re.compile(rf"(?<![\w/@.-]){_HOST}\.[A-Za-z]{{2,10}}(?![\w(/-]|\.\w)"), _is_host),
    Rule(
        "host",
        _flags(
            rf"\b(?:host(?:name)?|server|node|machine)\b[ =:]{{1,3}}"
            rf"[{_QUOTES}](?P<v>{_HOST})[{_QUOTES}]"
        ),
        _is_foreign,
    ),
    Rule(
        "user",
        re.compile(
            r"(?:/home/|/Users/|/export/home/|/var/lib/jenkins/|\\Users\\|\\\\Users\\\\)"
            r"(?P<v>[^/\\\s:'\"<>|]{1,64})"
        ),
    ),
    Rule("user", re.compile(r"(?<!\S)~(?P<v>[A-Za-z_][\w-]{0,40})(?=/)"), needs="~"),
    Rule(
        "user",
        _flags(
            rf"\b(?:user(?:name)?|login|account|owner|role|principal)\b[ =:]{{1,3}}[{_QUOTES}]"
            rf"(?P<v>[^{_QUOTES}\n]{{1,100}})[{_QUOTES}]"
        ),
    ),
    Rule("user", _flags(r"\b(?:user(?:name)?|login|uid|owner)=(?P<v>[\w.@\\-]{1,80})"), needs="="),
    Rule("id", re.compile(r"-(?P<v>[0-9a-f]{6,10}-[a-z0-9]{5})\b"), needs="-"),
    Rule("id", re.compile(r"(?<![\w])(?:sha256:)?[0-9a-fA-F]{12,128}(?!\w)"), _is_hex_id),
    Rule("id", re.compile(r"(?<![\w.])\d{9,40}(?![\w.])")),
    Rule("token", re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{0,4}[0-9a-f]{24,128}(?!\w)"), _is_hex_id),
    Rule("token", re.compile(r"[A-Za-z0-9+/_-]{16,2000}={0,2}"), _looks_random),
    Rule("token", re.compile(r"[A-Za-z0-9+_-]{16,2000}={0,2}"), _looks_random),
)
"""In the order in which they count."""


def find_private(text: str) -> list[Blank]:
    """What in a text says whose it is, in the order of the text."""
    return find_by_rules(text, RULES)


def mask_private(text: str) -> str:
    """The text with a named blank in place of each private value."""
    return mask(text, find_private(text))
