"""Names in the lines of a stack, and in the class of an error, are not what an error says."""

from __future__ import annotations

import pytest
from tests.matching.test_answer_traps import matcher_of

from errdex.matching.ranking.searched_texts import is_stack_entry

JAVA = """\
Exception in thread "main" java.nio.BufferOverflowException
\tat java.base/java.nio.Buffer.nextPutIndex(Buffer.java:743)
\tat java.base/sun.nio.fs.UnixFileSystemProvider.newFileChannel(UnixFileSystemProvider.java:2)
\tat Market.main(Market.java:234)
"""


@pytest.mark.parametrize("message", ["newFileChannel", "nextPutIndex", "Overflow", "Buffer"])
def test_a_name_in_a_stack_or_in_a_class_is_no_message(message: str) -> None:
    record = {
        "errorClass": "java.lang.ArithmeticException",
        "errorMessage": message,
        "filePath": "java/math/BigDecimal.java",
        "language": "java",
    }
    matcher, facts = matcher_of({"a": record})
    answer = matcher.match(JAVA, lambda ids: {key: facts[key] for key in ids})
    assert [each.event.error_class for each in answer.events] == [
        "java.nio.BufferOverflowException"
    ]
    assert not answer.events[0].matches


@pytest.mark.parametrize(
    "line",
    [
        "\tat java.base/sun.nio.fs.UnixException.rethrow(UnixException.java:111)",
        "    at Object.<anonymous> (/srv/app/shop.js:3:7)",
        "    at async Promise.all (index.js:0)",
        "    at file:///srv/app/shop.mjs:12:5",
        "   at Shop.Till.Open(String path) in /src/Till.cs:line 12",
        '  File "/srv/app/shop.py", line 3, in main',
    ],
)
def test_lines_of_stacks_are_known(line: str) -> None:
    assert is_stack_entry(line)


@pytest.mark.parametrize(
    "line",
    [
        "at least one of (a, b) must be given",
        "at position 3: unexpected token (found x)",
        'File "a.toml" cannot be read: line 3 is too long',
        "error at main.c:12: no such field",
    ],
)
def test_messages_are_no_lines_of_stacks(line: str) -> None:
    assert not is_stack_entry(line)


def test_a_frozen_module_is_the_file_of_the_library() -> None:
    record = {"errorClass": "ImportError", "errorMessage": "No module named {name}"}
    matcher, facts = matcher_of(
        {
            "run": record | {"filePath": "Lib/runpy.py", "lineNumber": 142},
            "find": record | {"filePath": "Lib/modulefinder.py", "lineNumber": 233},
            "load": record | {"filePath": "Lib/importlib/_bootstrap.py", "lineNumber": 142},
        }
    )
    for module, wanted in (("runpy", "run"), ("importlib._bootstrap", "load")):
        paste = (
            "Traceback (most recent call last):\n"
            f'  File "<frozen {module}>", line 142, in _get_module_details\n'
            "ImportError: No module named no_such_module\n"
        )
        answer = matcher.match(paste, lambda ids: {key: facts[key] for key in ids})
        assert answer.events[0].matches[0].record.id == wanted
