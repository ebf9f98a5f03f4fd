"""Untrusted text in Markdown, read by GitHub's own reader: no link, image, element or mention."""

from __future__ import annotations

import re

import cmarkgfm
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errdex.formats.markdown_text import escaped, escaped_prose, list_item

EVIL = "https://evil.example"
WWW = "www.evil.example"
TEXTS = [
    f"a ` b {EVIL}/z",
    f"`{EVIL}",
    f"\\`{EVIL}`",
    f"`` ` `` ` {EVIL} `",
    f"{EVIL}/a`b {EVIL}",
    f"_{WWW}",
    f"({WWW})",
    f"W{WWW}",
    f"_{EVIL}",
    f"1{EVIL}",
    f"\u00e9{EVIL}",
    "ftp://evil.example",
    "a@evil.example mailto:a@evil.example xmpp:a@evil.example/b",
    "@octocat acme/shop#1 GH-12 gh-12",
    f"[a]: {EVIL}\n\n[a]",
    f"`a\n\n{EVIL} @octocat b`",
    f"a `b\n# {EVIL}` c",
    f"- `x\n- {EVIL}` y",
    f"    ```\n{EVIL}\n",
    f"1. x\n   ```\n{EVIL}\n   ```",
    f"- ```\n{EVIL}",
    f"```sh\nls\n   ``` {EVIL}\n~~~\n{EVIL}",
    f"~~~ x\n{EVIL}\n~~~ {EVIL}",
    f"``` x` {EVIL} `",
    "<a href=x>x</a> <!-- x --> <details>",
    f"$\\href{{{EVIL}}}{{x}}$",
]
PIECES = ["`", "``", "```", "~~~", "\n", "\n\n", "   ", "    ", "- ", "1. ", "> ", "# ", "\\", "_",
          "*", "[", "](", ")", "<", ">", "!", "|", "\t", "a", "sh", f"{EVIL}/x", WWW, "@octocat",
          "#1"]  # fmt: skip


def check_text_stays_text(written: str) -> None:
    page = cmarkgfm.github_flavored_markdown_to_html(
        f"before\n\n1. {list_item(written)}\n\nend `x`"
    )
    outside = re.sub(r"<(code|pre)\b[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"<a |<img|<details|<!--|@octocat|#1|GH-\d", outside, re.IGNORECASE)
    assert "<code>x</code>" in page


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("escape", [escaped, escaped_prose])
def test_hostile_text_stays_text(escape, text: str) -> None:
    check_text_stays_text(escape(text))


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("`\n\n" + EVIL + "`")
def test_any_text_stays_text(text: str) -> None:
    check_text_stays_text(escaped(text))
    check_text_stays_text(escaped_prose(text))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Run `pip  install x` in ~/shop.", "Run `pip  install x` in \\~/shop."),
        ("It costs $5.", "It costs \\$5."),
        ("1. Look:\n   ```sh\n   ls\n     -l\n   ```\n2. Go.",
         "1. Look:\n   ```sh\n   ls\n     -l\n   ```\n2. Go."),
        ("```python\nif x:\n    y\n```", "```python\nif x:\n    y\n```"),
        ("~~~\n```\n~~~", "````sh\n```\n````"),
        (f"See {EVIL}/x.", f"See `{EVIL}/x`."),
    ],
)  # fmt: skip
def test_ordinary_text_reads_as_before(text: str, written: str) -> None:
    assert escaped_prose(text) == written
