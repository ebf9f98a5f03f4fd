"""JUnit reports: read without entities, bounded, and written with what is known."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from tests.formats import schemas

from errdex.formats.ci import junit_report
from errdex.formats.ci.junit_report import ReportRefused, add_known, read_report

REPORT = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="unit" tests="4">
  <testcase classname="shop.BasketTest" name="pays"/>
  <testcase classname="shop.BasketTest" name="empty" time="0.1">
    <failure type="ShopError" message="Basket 7 is empty">Traceback &lt;here&gt;</failure>
    <system-out>hello</system-out>
  </testcase>
  <testcase name="alone"><error message="ShopError: Basket 8 is empty"/></testcase>
  <testcase name="left out"><skipped message="later"/></testcase>
</testsuite></testsuites>"""
LAUGHS = b"""<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<testsuites><testsuite name="&b;"/></testsuites>"""
OUTSIDE = b"""<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<testsuites><testsuite name="a">&a;</testsuite></testsuites>"""


def test_failing_cases_have_names_and_texts() -> None:
    cases = list(read_report(REPORT).failing_cases())
    assert [(case.name, case.text) for case in cases] == [
        ("shop.BasketTest.empty", "ShopError: Basket 7 is empty\nTraceback <here>"),
        ("alone", "ShopError: Basket 8 is empty"),
    ]


def test_a_text_that_has_the_message_is_not_given_it_again() -> None:
    text = "Traceback\nShopError: Basket 7 is empty"
    failure = f'<failure type="ShopError" message="Basket 7 is empty">{text}</failure>'
    data = f'<testsuite><testcase name="a">{failure}</testcase></testsuite>'.encode()
    assert [case.text for case in read_report(data).failing_cases()] == [text]


def test_what_is_known_is_added_and_the_rest_stays() -> None:
    report = read_report(REPORT)
    first = next(iter(report.failing_cases()))
    add_known(first, "Fix: </failure><x/> \x00")
    before, after = ElementTree.fromstring(REPORT), ElementTree.fromstring(report.to_xml())  # noqa: S314
    schemas.JUNIT.validate(report.to_xml().decode())
    changed = after.find(".//failure")
    assert changed.text == "Traceback <here>\n\nFix: </failure><x/> \\x00\n"
    changed.text = "Traceback <here>"
    assert ElementTree.tostring(after) == ElementTree.tostring(before)


def test_a_report_with_commands_of_build_servers_is_written_without() -> None:
    text = "x&#13;::debug::a\n   ::set-output name=a::b\n##[add-path]/" + "\n" * 100_000
    data = f'<testsuite><testcase name="a"><failure>{text}</failure></testcase></testsuite>'
    report = read_report(data.encode())
    written = report.to_xml()
    assert not re.search(rb"(?m)(?:^|\r)[^\S\r\n]*::|##\[", written)
    (case,) = read_report(written).failing_cases()
    assert case.text == "x\r::debug::a\n   ::set-output name=a::b\n##[add-path]/".replace(
        "\r", "\n"
    )


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (LAUGHS, "document type"),
        (OUTSIDE, "document type"),
        (LAUGHS.decode().encode("utf-16"), "document type"),
        (b"<!DOCTYPE html><html></html>", "document type"),
        (b"<html></html>", "not JUnit's"),
        (b"not xml", "no XML"),
        (b"", "no XML"),
        (b"<testsuites>", "no XML"),
        (b"<testsuites>\xff</testsuites>", "no XML"),
        (b'<?xml version="1.0" encoding="nonsense"?><testsuites/>', "no XML"),
        (b"<testsuites>" * 100, "too many elements"),
        (b"<testsuites>" + b"<a/>" * 300_001 + b"</testsuites>", "too many elements"),
    ],
)
def test_what_is_not_read_is_refused_with_a_reason(data: bytes, says: str) -> None:
    with pytest.raises(ReportRefused, match=says):
        read_report(data)


def test_a_report_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit_report, "MOST_BYTES", len(REPORT) - 1)
    with pytest.raises(ReportRefused, match="larger than"):
        read_report(REPORT)
