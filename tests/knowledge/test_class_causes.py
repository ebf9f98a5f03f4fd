"""The cause of an error that no record matches, by its class."""

from __future__ import annotations

from errdex.knowledge.class_causes import ClassCauses
from errdex.matching.model import Event, Frame
from errdex.records.causes import Cause


def cause(tag: str, *classes: str) -> Cause:
    return Cause(tag, tag, "What is behind it.", classes=classes)


CAUSES = ClassCauses(
    [
        cause("value", "python/ValueError"),
        cause("php-value", "php/ValueError"),
        cause("refused", "*/ECONNREFUSED", "java/ConnectException"),
        cause("cloud", "python/botocore.exceptions.ClientError"),
        cause("time", "*/*Timeout*"),
        cause("http-time", "python/ReadTimeout"),
        cause("missing", "ruby/Errno::ENOENT"),
        cause("only-ruby", "ruby/LoadError"),
        cause("build", "tool:gradle/"),
        cause("panic", "rust/"),
    ]
)


def tag_of(language: str, name: str | None, code: str | None = None, *, stack: bool = True) -> str:
    frames = (Frame("a.rs", 1),) if stack else ()
    found = CAUSES.of(Event(language, name, "said", 1, 1, 1, frames=frames, code=code))
    return found.tag if found else ""


def test_a_class_is_found_with_and_without_its_module() -> None:
    assert tag_of("python", "ValueError") == "value"
    assert tag_of("python", "shop.ValueError") == "value"
    assert tag_of("java", "java.net.ConnectException") == "refused"
    assert tag_of("ruby", "Errno::ENOENT") == "missing"
    assert tag_of("python", "botocore.exceptions.ClientError") == "cloud"
    assert tag_of("python", "aiohttp.ClientError") == ""


def test_a_class_is_that_of_its_language() -> None:
    assert tag_of("php", "ValueError") == "php-value"
    assert tag_of("node", "ValueError") == ""
    assert tag_of("", "ValueError") == "value"
    assert tag_of("", "LoadError") == "only-ruby"
    assert tag_of("java", "LoadError") == ""


def test_a_code_says_more_than_the_class() -> None:
    assert tag_of("node", "Error", "ECONNREFUSED") == "refused"
    assert tag_of("python", "ValueError", "E9999") == "value"


def test_a_name_comes_before_a_shape() -> None:
    assert tag_of("python", "requests.exceptions.ReadTimeout") == "http-time"
    assert tag_of("java", "org.acme.PumpTimeoutException") == "time"
    assert tag_of("java", "PumpTime" + "out" * 100) == ""


def test_an_error_without_a_class_needs_a_stack_or_a_tool() -> None:
    assert tag_of("rust", None) == "panic"
    assert tag_of("rust", None, stack=False) == ""
    assert tag_of("tool:gradle", None, stack=False) == "build"
    assert tag_of("", None) == ""
