"""An error and its fix as Markdown: masked, and text stays text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.test_table import KNOWN as EVENT
from tests.knowledge_base import load, record

from errdex.config import Settings, open_store
from errdex.formats.build import build_answer
from errdex.formats.markdown import write_event
from errdex.knowledge import Knowledge

RECORDS = [
    record(
        'could not connect to server "{host}" as {user}',
        id="00000000000000aa",
        errorClass="db.OperationalError",
        repo="acme/db",
        documentation="The server did not answer. See *all* of <b>it</b>, @everyone #1.",
        solutions=[
            "Start it: `systemctl start {{host}}`.",
            "Look at the log:\n```sh\njournalctl -u db | tail\n```",
            "![x](https://evil.example/x.png) [click](javascript:alert(1))",
        ],
    ),
    record("No module named '{module}'", id="00000000000000bb", errorClass="ModuleNotFoundError",
           repo="python/cpython", solutions=["`pip install {{module}}`"]),
]  # fmt: skip


SITE = "https://errdex.example"
UNKNOWN = """Traceback (most recent call last):
  File "/home/ada/shop/app.py", line 3, in run
shop.errors.TenantMissing: <b>`tenant` 'acme'</b> ```x``` is not on db7.internal.corp:5432
"""


@pytest.fixture(scope="module")
def markdown(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    folder = tmp_path_factory.mktemp("markdown")
    settings = Settings(database_url=f"sqlite:///{folder / 'errdex.db'}")
    store, indexes = open_store(settings)
    load(folder, store, indexes, RECORDS)
    knowledge = Knowledge(store, indexes)
    return lambda text: write_event(build_answer(knowledge.match(text)).events[0], SITE)


def test_the_error_its_record_and_the_fix(markdown) -> None:
    text = markdown("ModuleNotFoundError: No module named 'requests'\n")
    assert text == (
        "```text\nModuleNotFoundError: No module named 'requests'\n```\n\n"
        "**[No module named '{module}']"
        f"({SITE}/errors/00000000000000bb/no-module-named)** (python/cpython)\n\n"
        "**Fix**\n\n1. `pip install requests`\n"
    )


def test_what_is_private_in_the_message_is_masked_in_the_fix_too(markdown) -> None:
    text = markdown('db.OperationalError: could not connect to server "db7" as anna\n')
    assert "db7" not in text
    assert 'server "‹host›"' in text
    assert "`systemctl start ‹host›`" in text


def test_text_of_a_record_makes_no_link_image_element_or_mention(markdown) -> None:
    text = markdown('db.OperationalError: could not connect to server "x" as anna\n')
    assert "\\!\\[x\\]" in text
    assert "\\[click\\](" in text
    assert "\\<b\\>" in text
    assert "@everyone" not in text
    assert "   ```sh\n   journalctl -u db | tail\n   ```" in text
    (link,) = re.findall(r"(?<!\\)\]\(([^)]*)\)", text)
    assert link.startswith(SITE)


def test_an_unknown_error_is_fenced_whatever_it_holds(markdown) -> None:
    text = markdown(UNKNOWN)
    assert text.startswith("````text\nshop.errors.TenantMissing: <b>`tenant` 'acme'</b> ```x``` is")
    assert "not on ‹host›:5432\n````\n" in text
    assert "`/home/‹user›/shop/app.py line 3`" in text
    assert "No matching record yet.\n\n**What to try first**\n\n1. Your own code raised it" in text


@given(st.text(st.sampled_from("`~x <\n"), min_size=1, max_size=60))
def test_a_fence_is_longer_than_any_in_the_text(message: str) -> None:
    text = write_event(replace(EVENT, message=message), SITE)
    fence = re.match("`+", text)[0]
    inside = text[len(fence) + 5 :].split(f"\n{fence}\n")[0]
    assert fence not in inside
