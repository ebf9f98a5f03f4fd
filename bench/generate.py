"""Made-up records that look like real ones: the same for the same seed.

    python -m bench.generate 100000 > records.jsonl

Each has the keys of a harvested and explained record: a message of 60 to 200 characters
with holes in its language's own syntax, an explanation, two or three solutions, an
example fix and some 1.5 kB of source around the line that raises. Words are drawn from
the vocabulary of bench.generate_log; a fifth of the repositories hold most of the records.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson
from bench.generate_log import ADJECTIVES, NOUNS, VERBS

from errdex.records.validation import parse_record


@dataclass(frozen=True)
class Style:
    """How one language writes its messages and raises its errors."""

    language: str
    endings: str
    classes: Sequence[str]
    hole: Callable[[str], str]
    raises: str


STYLES = (
    Style(
        "python",
        ".py",
        ("ValueError", "TypeError", "RuntimeError", "KeyError", "OSError", "NotImplementedError",
         "sqlalchemy.exc.OperationalError", "torch.cuda.OutOfMemoryError", "ConfigError"),
        lambda name: f"{{{name}!r}}",
        'raise {cls}(f"{message}")',
    ),
    Style(
        "javascript",
        ".js",
        ("Error", "TypeError", "RangeError", "ERR_INVALID_ARG_TYPE", "ValidationError"),
        lambda name: f"${{{name}}}",
        "throw new {cls}(`{message}`);",
    ),
    Style(
        "go",
        ".go",
        ("errors.errorString", "os.PathError", "net.OpError"),
        lambda name: "%v",
        'return fmt.Errorf("{message}", {args})',
    ),
    Style(
        "java",
        ".java",
        ("java.lang.IllegalStateException", "java.lang.IllegalArgumentException",
         "java.sql.SQLException", "java.io.IOException"),
        lambda name: "%s",
        'throw new {cls}(String.format("{message}", {args}));',
    ),
    Style(
        "rust",
        ".rs",
        ("anyhow::Error", "std::io::Error"),
        lambda name: f"{{{name}}}",
        'bail!("{message}");',
    ),
    Style(
        "csharp",
        ".cs",
        ("System.InvalidOperationException", "System.ArgumentNullException"),
        lambda name: f"{{{name}}}",
        'throw new {cls}($"{message}");',
    ),
)  # fmt: skip
_STYLE_WEIGHTS = (9, 5, 4, 4, 2, 1)

_MESSAGES = (
    "{Adjective} {noun} {hole} in {ident}: {reason}, and {reason2}",
    "Failed to {verb} the {noun} {hole} of {noun2} {hole}: {reason}",
    "{ident} must be {adjective} when {ident2} is given, got {hole}; {reason}",
    "--{flag} is not supported together with --{flag2} on a {adjective} {noun}: {reason}",
    "Cannot {verb} {noun} while {noun2} {hole} is {adjective}; {verb2} it first ({ident}={hole})",
    "expected {adjective} {noun} of {noun2} {hole} but found {hole}, since {reason}",
    "{ident}(): no {adjective} {noun} for {noun2} {hole} after {hole} attempts to {verb}",
    "The {noun} {hole} has already been {verb}ed by another {noun2}; {reason} or {reason2}",
    "timed out after {hole}s waiting for the {adjective} {noun} to {verb} {noun2} {hole}",
)
_REASONS = (
    "the {noun} is {adjective}",
    "{ident} is missing from the {noun}",
    "no {noun} can {verb} a {adjective} {noun2}",
    "use {ident} instead",
    "the {noun} was {verb}ed before",
)
_TYPES = ("validation", "runtime", "configuration", "network", "io", "import", "memory", "syntax")
_SEVERITIES = ("error",) * 16 + ("warning", "warning", "fatal", "critical")
_NAMES = [f"{one}_{other}" for one in NOUNS for other in NOUNS]
_HANDLING = ("validation", "retry", "fallback", "try-catch")

T = TypeVar("T")


class RecordGenerator:
    """Records out of one seed, always the same: fewer are the first of more."""

    def __init__(self, seed: int = 1, repositories: int = 400) -> None:
        self._random = random.Random(seed)
        pick = self._pick
        self._repos = [f"{pick(NOUNS)}-{pick(NOUNS)}/{pick(NOUNS)}" for _ in range(repositories)]

    def records(self, count: int) -> Iterator[dict[str, Any]]:
        """So many records, all keys of a complete one present, ids and patterns included."""
        for number in range(count):
            yield parse_record(self._record(number)).body()

    def _record(self, number: int) -> dict[str, Any]:
        (style,) = self._random.choices(STYLES, _STYLE_WEIGHTS)
        pick = self._pick
        message = self._message(style)
        repo = self._repos[min(int(self._random.paretovariate(0.8)), len(self._repos)) - 1]
        # The number keeps any two records apart, as the length of a real corpus would.
        path = f"src/{pick(NOUNS)}/{pick(NOUNS)}_{number % 5000}{style.endings}"
        error_class = pick(style.classes)
        source, start, line = self._source(style, error_class, message)
        sha = hashlib.sha1(repo.encode(), usedforsecurity=False).hexdigest()
        end = start + source.count("\n")
        return {
            "repo": repo,
            "errorCode": f"E{number % 9000 + 1000}" if number % 7 == 0 else None,
            "errorMessage": f"{message} [{number:x}]",
            "errorType": pick(_TYPES),
            "errorClass": error_class,
            "httpStatus": pick((400, 404, 409, 500)) if number % 11 == 0 else None,
            "severity": pick(_SEVERITIES),
            "filePath": path,
            "lineNumber": line,
            "sourceCode": source,
            "sourceCodeStart": start,
            "sourceCodeEnd": end,
            "githubUrl": f"https://github.com/{repo}/blob/{sha}/{path}#L{start}-L{end}",
            "documentation": self._prose(3),
            "triggerScenarios": self._prose(1),
            "commonSituations": self._prose(2),
            "solutions": [self._prose(1) for _ in range(self._random.randint(2, 3))],
            "exampleFix": "# before\n" + self._code(2) + "# after\n" + self._code(2),
            "handlingStrategy": pick(_HANDLING),
            "validationCode": self._code(3) if number % 2 else None,
            "typeGuard": None,
            "tryCatchPattern": self._code(4) if number % 3 == 0 else None,
            "preventionTips": [self._prose(1), self._prose(1)],
            "tags": sorted({pick(NOUNS), pick(NOUNS), pick(ADJECTIVES), style.language}),
            "backgroundTag": f"{pick(ADJECTIVES)}-{NOUNS[number % 60]}",
            "analyzedSha": sha,
            "analyzedAt": "2026-08-28T05:10:05.995Z",
            "schemaVersion": 2,
            "language": style.language,
        }

    def _message(self, style: Style) -> str:
        while True:
            text = self._fill(self._pick(_MESSAGES), style)
            if 60 <= len(text) <= 200:
                return text

    def _fill(self, sentence: str, style: Style) -> str:
        while "{reason" in sentence:
            for name in ("{reason}", "{reason2}"):
                sentence = sentence.replace(name, self._pick(_REASONS), 1)
        pick = self._pick
        before, *others = sentence.split("{hole}")
        sentence = before + "".join(style.hole(self._name()).replace("{", "{{").replace("}", "}}")
                                    + part for part in others)  # fmt: skip
        adjective = pick(ADJECTIVES)
        return sentence.format(
            noun=pick(NOUNS),
            noun2=pick(NOUNS),
            verb=pick(VERBS),
            verb2=pick(VERBS),
            adjective=adjective,
            Adjective=adjective.capitalize(),
            ident=self._name(),
            ident2=self._name(),
            flag=self._name().replace("_", "-"),
            flag2=self._name().replace("_", "-"),
        )

    def _name(self) -> str:
        return self._pick(_NAMES)

    def _pick(self, some: Sequence[T]) -> T:
        """One by chance, in a third of the time of `random.choice`: a record takes hundreds."""
        return some[int(self._random.random() * len(some))]

    def _prose(self, sentences: int) -> str:
        return " ".join(
            self._fill("The {noun} {ident} has to be {adjective} before it can {verb} a {noun2}.",
                       STYLES[0]) if self._random.random() < 0.5
            else self._fill("{Adjective} {noun2}s {verb} the {noun}, unless {reason}.", STYLES[0])
            for _ in range(sentences)
        )  # fmt: skip

    def _code(self, lines: int) -> str:
        return "".join(f"{self._name()} = {self._name()}({self._name()})\n" for _ in range(lines))

    def _source(self, style: Style, error_class: str, message: str) -> tuple[str, int, int]:
        start = self._random.randint(1, 5000)
        above = ["        " + self._code(1).rstrip() for _ in range(14)]
        below = ["        " + self._code(1).rstrip() for _ in range(8)]
        raising = style.raises.format(cls=error_class, message=message, args=self._name())
        return "\n".join([*above, f"            {raising}", *below]), start, start + len(above)


def write_records(path: Path, count: int, seed: int = 1) -> None:
    """Write so many records to a .jsonl file."""
    with path.open("wb") as output:
        for record in RecordGenerator(seed).records(count):
            output.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))


if __name__ == "__main__":
    for each in RecordGenerator().records(int(sys.argv[1])):
        sys.stdout.buffer.write(orjson.dumps(each, option=orjson.OPT_APPEND_NEWLINE))
