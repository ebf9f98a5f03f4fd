"""Comments: which one stands right above a line, and what it says without its marks."""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.trees.syntax import text_of

MAX_COMMENT = 1_000
"""Characters of a comment that a record keeps."""

_MARKS = re.compile(
    r"^[ \t]*(?:/\*+!?|//[/!]*|#+!?|\*(?!/)|--)?[ \t]?|[ \t]*\*+/[ \t]*$", re.MULTILINE
)
_DIRECTIVE = re.compile(
    r"\s*(?:eslint|tslint|jshint|jslint|prettier|istanbul|c8 ignore|v8 ignore|@ts-|@flow|webpack"
    r"|biome|noinspection|nolint|NOLINT|lint:|go:|\+build|nosec|clang-|cppcheck|coverity|LCOV|GCOV|rubocop"
    r"|phpcs|phpstan|psalm|@phpstan|@psalm|codeCoverageIgnore|@codeCoverage|ReSharper|pragma|NOSONAR"
    r"|CHECKSTYLE|@formatter|ktlint|detekt|fallthrough|FALLTHROUGH|SAFETY:|type:|noqa|:nocov:|:nodoc:"
    r"|frozen_string_literal|-\*-|Copyright|SPDX|sourceMappingURL|region|endregion)"
)
_LETTERS = re.compile(r"[^\W\d_]{2,}.*[^\W\d_]{2,}", re.DOTALL)


class Comments:
    """The comments of a file that have their lines for themselves."""

    def __init__(self, source: str) -> None:
        self._lines = source.encode("utf-8", "replace").split(b"\n")
        self._ending_at: dict[int, Node] = {}

    def add(self, node: Node) -> None:
        """Note one more comment."""
        row, column = node.start_point
        if not self._lines[row][:column].strip():
            end = node.end_point[0] - (node.end_point[1] == 0)  # Rust's include the line break
            self._ending_at[end] = node

    def above(self, rows: Iterable[int]) -> str | None:
        """The comment right above the first of these rows (counted from 0) that has one."""
        for row in rows:
            text = self._clean(self._block(row))
            if text:
                return text
        return None

    def raw_above(self, row: int) -> str:
        """The comment right above a row as the source has it, line comments joined."""
        return "\n".join(text_of(node).rstrip() for node in self._block(row))

    def _block(self, row: int) -> list[Node]:
        block: list[Node] = []
        while (node := self._ending_at.get(row - 1)) is not None:
            block.insert(0, node)
            row = node.start_point[0]
            if "*/" in text_of(node)[-2:]:
                break
        return block

    def _clean(self, block: list[Node]) -> str | None:
        text = without_marks("\n".join(text_of(node) for node in block))
        if not _LETTERS.search(text) or _DIRECTIVE.match(text):
            return None
        return text[:MAX_COMMENT]


def without_marks(comment: str) -> str:
    """What a comment says."""
    lines = (line.rstrip() for line in _MARKS.sub("", comment.replace("\r", "")).split("\n"))
    return "\n".join(lines).strip()
