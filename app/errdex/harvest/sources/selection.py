"""Which files of a tree are read: source of the project itself, and no other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from errdex import lazy_re as re

MAX_BYTES = 2_000_000
"""Of one file."""

TESTS, EXAMPLES, VENDORED, GENERATED = "tests", "examples", "vendored", "generated"
HUGE, NOT_UTF_8, OUTSIDE = "huge", "not UTF-8", "link out of the tree"
UNREADABLE, ODD_NAME, UNPARSED = "unreadable", "odd name", "does not parse"
ABSENT = "absent from this clone"

_TEST_FOLDERS = frozenset(
    """
    test tests __tests__ spec specs testdata test_data testsuite e2e __mocks__ fixtures benches
    benchmark benchmarks
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_TEST_FOLDER = re.compile(r"\w[\w.]*\.(?:tests?|unittests?|integrationtests?|specs?|benchmarks?)")
"""`Shop.Core.Tests`, as .NET names them."""
_TEST_SOURCES = re.compile(r"(?:^|/)src/[a-z]\w*Tests?/")
"""`src/commonTest`, as Gradle's projects for several platforms name them."""
_EXAMPLE_FOLDERS = frozenset({"examples", "_examples", "demos", "playground", "playgrounds"})
_ROOT_EXAMPLES = frozenset({"example", "samples", "sample", "demo", "docs", "doc", "website"})
"""Only in the tree's own folder: `com/example/shop` and `lab/docs` may be a product's own."""
_VENDOR_FOLDERS = frozenset(
    """
    vendor vendored _vendor _vendored third_party third-party thirdparty extern externals
    node_modules bower_components site-packages venv virtualenv pods carthage deps .github
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_GENERATED_FOLDERS = frozenset({"generated", "__generated__", "autogen", "dist"})
_TEST_FILE = re.compile(
    r"test_.*\.py|.*_tests?\.\w+|conftest\.py|.*[.-](?:test|spec|e2e)\.\w+|.*_spec\.rb|tests\.rs|"
    r"\w+(?:Tests?|TestCase|IT)\.(?:java|kt|cs|php|scala)"
)
_GENERATED_FILE = re.compile(
    r".*(?:_pb2|_pb2_grpc|_pb)\.\w+|.*\.pb\.\w+|.*[.-](?:min|bundle|generated|g|designer)\.\w+|"
    r".*_generated\.\w+|zz_generated.*|parsetab\.py|lextab\.py",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"@generated\b|\b(?:code |auto-?|automatically )generated\b.{0,80}\bdo not (?:edit|modify)\b|"
    r"\bdo not (?:edit|modify)\b.{0,80}\bgenerated\b|^(?:#|//|/\*|\*)\s*(?:this file (?:was|is) )?"
    r"(?:auto-?|automatically )generated (?:by|from)\b",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_HEAD = 1_500
_LONG_LINE = 5_000


@dataclass(frozen=True, slots=True)
class Selection:
    """What is read besides the project's own source."""

    tests: bool = False
    examples: bool = False
    vendored: bool = False
    generated: bool = False
    built: bool = False
    """Whether `dist` is where the source is, as in published packages."""

    def reason_against(self, path: str) -> str | None:
        """Why a file is left out by its path; None when it is read."""
        if not path.isprintable():
            return ODD_NAME
        file = PurePosixPath(path.lower())
        folders = set(file.parts[:-1])
        if not self.tests and (
            folders & _TEST_FOLDERS
            or _TEST_SOURCES.search(path)
            or any(map(_TEST_FOLDER.fullmatch, folders))
            or _is_test(PurePosixPath(path).name)
        ):
            return TESTS
        if not self.examples and (folders & _EXAMPLE_FOLDERS or file.parts[0] in _ROOT_EXAMPLES):
            return EXAMPLES
        if not self.vendored and folders & _VENDOR_FOLDERS:
            return VENDORED
        if self.generated:
            return None
        generated = _GENERATED_FOLDERS - ({"dist"} if self.built else set())
        return GENERATED if folders & generated or _GENERATED_FILE.fullmatch(file.name) else None

    def reason_against_text(self, text: str) -> str | None:
        """Why a file is left out by what it says of itself, or by being packed."""
        if self.generated:
            return None
        if _MARK.search(text, 0, _HEAD):
            return GENERATED
        longest = text.find("\n", 0, _LONG_LINE)
        return GENERATED if longest < 0 and len(text) > _LONG_LINE else None


def _is_test(name: str) -> bool:
    return _TEST_FILE.fullmatch(name) is not None


def decoded(content: bytes) -> str | None:
    """The text of a source file, its lines ended by `\\n` alone; None when it is not UTF-8."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
