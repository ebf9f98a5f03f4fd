"""Realistic patterns, and a log in which some of them occur.

Everything comes from one seed. Patterns are built like the messages of real programs:
a sentence with names from the program's own vocabulary and one to three holes. Most of
the log is healthy and uses the same nouns and verbs, so that a literal filter that looks
at single words would find many false candidates.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_NOUNS = """
account adapter address agent alias allocation api archive argument array artifact asset backend
backup batch block bound branch bucket buffer build bundle cache certificate channel checkpoint
checksum chunk client cluster codec column command commit component config connection constraint
consumer container context cookie counter credential cursor database dataset deadline decoder
dependency descriptor device dimension directory disk document domain driver dtype edge encoder
endpoint engine entry environment epoch event executor expression field file filter fixture flag
folder format fragment frame function future gateway gradient graph group handle handler header
heap host identifier image index input instance interface interval iterator job kernel key label
layer layout lease length library license limit link listener loader lock manifest mapping mask
matrix member memory message metadata method metric migration mode model module monitor mount
mutex namespace network node object offset operand operator option output owner package packet
page parameter parser partition password path payload peer permission pipeline plugin policy pool
port prefix process producer profile project property protocol provider proxy queue quota range
rank record reference region registry release replica repository request resource response result
role route row runtime scheduler schema scope script secret section segment semaphore sequence
serializer server service session shape shard signal signature snapshot socket source stage state
statement storage stream string subscription symbol table tag target task template tenant tensor
thread threshold timeout timestamp token topic transaction transformer trigger tunnel tuple type
user value variable vector version vertex view volume watcher weight window worker workflow
workspace writer
"""
_VERBS = """
acquire allocate append apply assign attach authenticate bind broadcast build cast clone close
commit compile compute connect convert copy create decode decrypt delete deploy deserialize detach
download drop encode encrypt evict execute expand export fetch flush format generate import infer
initialize insert install instantiate invoke join load locate lock map merge mount move open parse
persist publish query quantize read rebuild reclaim reduce refresh register release reload remove
rename render replace replicate reserve reset resize resolve restart restore resume retrieve
rotate save schedule seek select send serialize shard sign spawn split start stop submit subscribe
sync terminate transform truncate unlock unpack update upgrade upload validate verify write
"""
_ADJECTIVES = """
active ambiguous anonymous available cached circular compatible concurrent corrupt current
dangling default deprecated distributed duplicate dynamic empty encrypted exclusive expired
explicit external final foreign frozen global hidden idle immutable implicit incomplete
inconsistent internal invalid isolated legacy local locked malformed missing mutable nested null
obsolete optional orphaned pending primary private quantized quoted read-only recursive redundant
remote reserved secondary shared sparse stale static temporary truncated unbounded unique unknown
unsigned unsupported virtual volatile
"""
_CLASSES = """
ValueError TypeError KeyError RuntimeError OSError ConnectionError TimeoutError
NotImplementedError PermissionError LookupError ArithmeticError ImportError AttributeError
AssertionError
"""
NOUNS, VERBS, ADJECTIVES, CLASSES = map(str.split, (_NOUNS, _VERBS, _ADJECTIVES, _CLASSES))
HOLES = ("(.+?)", "(.+?)", "(.+?)", r"(\d+)", "'(.+?)'", r"([\w./-]+)")

_SENTENCES = (
    "Failed to {verb} {noun} {hole}: {reason}",
    "failed to {verb} {adjective} {noun} for {noun2} {hole}",
    "Could not {verb} {noun} {hole} from {noun2} {hole}",
    "Unable to {verb} {noun}: {adjective} {noun2} {hole}",
    "{noun} {hole} is not {adjective}",
    "{Adjective} {noun} {hole} in {ident}",
    "{ident} must be {adjective}, got {hole}",
    "{ident} requires {ident2} to be set, but got {ident2}={hole}",
    "--{flag} is not supported with --{flag2}; got {hole}",
    "--{flag} requires a {adjective} {noun} \\({ident} in {{1, {hole}}}\\); {reason}",
    "Expected {noun} of {noun2} {hole} but found {hole}",
    "Cannot {verb} {noun} while {noun2} {hole} is {adjective}",
    "{noun} {noun2} mismatch: expected {hole}, got {hole}",
    "{ident}\\(\\): {adjective} {noun} {hole}",
    "{class_name}: {noun} {hole} {reason}",
    "No {adjective} {noun} found for {noun2} {hole}",
    "{hole} is not a valid {noun} for {ident}",
    "Timed out after {hole}s waiting to {verb} {adjective} {noun}",
    "The {noun} {ident} has already been {verb}ed by {noun2} {hole}",
    "\\[{code}\\] {Adjective} {noun}: {reason}",
    "error: {noun} `{ident}` {reason}",
    "Please {verb} the {noun} before you {verb2} {ident}",
)
_REASONS = (
    "{noun} is {adjective}",
    "the {noun} was {verb}ed",
    "{adjective} {noun}",
    "no such {noun}",
    "{noun} {ident} is missing",
    "permission denied",
    "see {ident} for details",
    "use {ident} instead",
)
_HEALTHY = (
    "{Verb}ing {noun} {name}",
    "{verb} {noun} finished in {number} ms",
    "{noun} {name} {verb}ed: {number} {noun2}s, {number} bytes",
    "GET /api/{noun}s/{number}?{noun2}={name} 200 {number}ms",
    "worker {number} picked up {noun} job {name}",
    "cache hit for {noun}:{name} ({adjective})",
    "{ident}={number} {ident2}={name} status=ok",
    "Using {adjective} {noun} from /etc/{noun2}/{name}.yaml",
    "Connected to {noun} {name} as user '{name}'",
    "step {number}/{number}: {verb} {noun} -> {name}",
    "{noun} pool: {number} idle, {number} active, 0 errors",
    "Starting {adjective} {noun} on port {number}",
    "    at {ident}({name}.py:{number})",
    '{{"level":"info","msg":"{verb} {noun} ok","{noun2}":"{name}","took":{number}}}',
    "Skipping {noun} {name}, already {verb}ed",
    "progress: {number}% of {noun}s",
)


class Generator:
    """Words, patterns and lines out of one seed."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)

    def patterns(self, count: int) -> list[str]:
        """So many different patterns."""
        found: dict[str, None] = {}
        while len(found) < count:
            found[self._fill(self._random.choice(_SENTENCES), pattern=True)] = None
        return list(found)

    def log(self, patterns: list[str], lines: int, errors: float = 0.05) -> Iterator[str]:
        """Lines, a share of which are messages of `patterns`. As in a real log a few
        messages repeat (300 kinds make up most of them) and some occur once."""
        usual = self._random.sample(patterns, min(300, len(patterns)))
        for second in range(lines):
            prefix = f"2026-11-29 {second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
            if self._random.random() < errors:
                source = self._random.choice(usual if self._random.random() < 0.9 else patterns)
                yield f"{prefix} ERROR {self._ident()}: {self._occurrence(source)}"
            else:
                yield f"{prefix} INFO {self._ident()}: {self._fill(self._random.choice(_HEALTHY))}"

    def _occurrence(self, source: str) -> str:
        holes = "|".join(re.escape(hole) for hole in sorted(set(HOLES), key=len, reverse=True))
        text = re.sub(holes, lambda found: self._hole(found.group()), source)
        return re.sub(r"\\(.)", r"\1", text)

    def _hole(self, hole: str) -> str:
        if r"\d" in hole:
            return str(self._random.randrange(10_000))
        return f"'{self._name()}'" if hole.startswith("'") else self._name()

    def _fill(self, sentence: str, *, pattern: bool = False) -> str:
        choose = self._random.choice
        sentence = sentence.replace("{reason}", choose(_REASONS))
        words = {
            "noun": choose(NOUNS),
            "noun2": choose(NOUNS),
            "verb": choose(VERBS),
            "verb2": choose(VERBS),
            "adjective": choose(ADJECTIVES),
            "ident": self._ident(),
            "ident2": self._ident(),
            "flag": self._ident().replace("_", "-"),
            "flag2": self._ident().replace("_", "-"),
            "class_name": choose(CLASSES),
            "code": f"E{self._random.randrange(1000, 9999)}",
            "hole": choose(HOLES) if pattern else "",
            "name": self._name(),
            "number": str(self._random.randrange(10_000)),
        }
        words["Adjective"] = words["adjective"].capitalize()
        words["Verb"] = words["verb"].capitalize()
        if pattern:
            words = {
                key: word if key == "hole" else re.sub(r"[.]", r"\\.", word)
                for key, word in words.items()
            }
        return sentence.format(**words)

    def _ident(self) -> str:
        choose = self._random.choice
        kind = self._random.random()
        if kind < 0.6:
            return f"{choose(NOUNS)}_{choose(NOUNS)}"
        if kind < 0.8:
            return f"{choose(VERBS)}_{choose(ADJECTIVES).replace('-', '_')}_{choose(NOUNS)}"
        return f"{choose(NOUNS).capitalize()}{choose(NOUNS).capitalize()}"

    def _name(self) -> str:
        return f"{self._random.choice(NOUNS)}-{self._random.randrange(100)}"
