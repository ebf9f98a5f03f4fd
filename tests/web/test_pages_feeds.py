"""What machines that read the web ask for."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from tests.knowledge_base import record

SITE = "http://testserver"
ATOM = "{http://www.w3.org/2005/Atom}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture(scope="module")
def pages(serve_records):
    return serve_records(
        [
            record(
                "Bell \ufffe <&> rang]]> at {hour}",
                id="00000000000000aa",
                tags=["a&b", "\uffff"],
                documentation="Rings.\uffff More.",
            ),
            record("Quiet is the night of articles", id="ffffffffffffffff"),
        ]
    )


def parsed(pages, address):
    answer = pages.get(address)
    assert answer.status_code == 200
    return ElementTree.fromstring(answer.content)  # noqa: S314 (our own answer)


def locations(pages, address):
    return [each.text for each in parsed(pages, address).iter(f"{MAP}loc")]


def test_the_feed_names_new_and_changed_records_whatever_characters_they_have(pages):
    feed = parsed(pages, "/feed.xml")
    entries = feed.findall(f"{ATOM}entry")
    assert {entry.findtext(f"{ATOM}id") for entry in entries} == {
        f"{SITE}/errors/00000000000000aa",
        f"{SITE}/errors/ffffffffffffffff",
    }
    bell = next(e for e in entries if e.findtext(f"{ATOM}id").endswith("aa"))
    assert bell.findtext(f"{ATOM}title") == "ShopError: Bell \ufffd <&> rang]]> at {hour}"
    assert bell.findtext(f"{ATOM}summary") == "Rings.\ufffd More."
    assert [each.get("term") for each in bell.findall(f"{ATOM}category")] == ["a&b", "\ufffd"]
    assert pages.get(bell.find(f"{ATOM}link").get("href")).status_code == 200
    assert feed.findtext(f"{ATOM}updated") == bell.findtext(f"{ATOM}updated")


HOSTILE = [
    "</title><script>alert(1)</script>",
    "<!-- a -- b -->",
    "<![CDATA[ x ]]>",
    "]]>",
    "&lt;&amp;&#0;&#x1f;&nope;",
    "<?xml version='1.0'?><!DOCTYPE x SYSTEM 'file:///etc/passwd'>",
    "\"double\" 'single'",
    "\ufffe\uffff\U0001fffe",
    "ünï·码·🙂 \u202e",
    "100% a#b?c=d&e;f+g /../ \\",
]


@pytest.fixture(scope="module")
def hostile_pages(serve_records):
    return serve_records(
        [
            record(
                f"{text} said",
                id=f"{0xFEED000 + number:016x}",
                errorClass=f"{text} class",
                tags=[f"{text} tag"],
                backgroundTag=f"{text} background",
                documentation=f"{text} means",
            )
            for number, text in enumerate(HOSTILE)
        ]
    )


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_the_feed_says_what_the_records_say(hostile_pages, number):
    feed = parsed(hostile_pages, "/feed.xml")
    entries = {each.findtext(f"{ATOM}id")[-1]: each for each in feed.findall(f"{ATOM}entry")}
    entry = entries[str(number)]
    # What XML has no way to write is replaced; U+1FFFE it has.
    text = HOSTILE[number].replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
    assert entry.findtext(f"{ATOM}title").startswith(f"{text} class: ")
    assert entry.findtext(f"{ATOM}summary") == f"{text} means"
    assert [each.get("term") for each in entry.findall(f"{ATOM}category")] == [f"{text} tag"]
    assert {each.tag.removeprefix(ATOM) for each in feed.iter()} == {
        *("feed", "id", "title", "updated", "link", "author", "name"),
        *("entry", "category", "summary"),
    }
    for link in entry.findall(f"{ATOM}link"):
        assert hostile_pages.get(link.get("href"), follow_redirects=False).status_code == 200


def test_site_maps_name_pages_of_hostile_values_as_they_are_asked_for(hostile_pages):
    named = locations(hostile_pages, "/sitemaps/lists.xml")
    for kind in ("classes", "tags", "causes"):
        pages = [each for each in named if each.startswith(f"{SITE}/{kind}/")]
        # "100% … /../ \" would be resolved away, and has no page of its own.
        assert len(pages) == len(HOSTILE) - 2
        assert all(each.isascii() and not set(each) & set("<>\"' \\") for each in pages)
        for page in pages:
            assert hostile_pages.get(page, follow_redirects=False).status_code == 200


def test_each_page_leads_to_the_feed_and_the_search_description(pages):
    page = pages.get("/about").text
    assert 'href="/feed.xml"' in page
    assert 'href="/opensearch.xml"' in page


def test_a_browser_can_add_the_search(pages):
    description = parsed(pages, "/opensearch.xml")
    template = description.find("{*}Url[@type='text/html']").get("template")
    assert template == f"{SITE}/search?q={{searchTerms}}"
    assert pages.get(template.replace("{searchTerms}", "quiet")).status_code == 200


def test_robots_are_led_to_the_site_map(pages):
    answer = pages.get("/robots.txt")
    assert answer.headers["content-type"].startswith("text/plain")
    assert f"Sitemap: {SITE}/sitemap.xml" in answer.text
    assert "Disallow: /search" in answer.text


def test_the_site_maps_name_every_record_and_list(pages):
    files = locations(pages, "/sitemap.xml")
    named = [page for file in files for page in locations(pages, file)]
    assert len(named) == len(set(named))
    for address in named:
        assert pages.get(address, follow_redirects=False).status_code == 200
    assert [page for page in named if "/errors/" in page] == [
        f"{SITE}/errors/00000000000000aa/bell-rang-at",
        f"{SITE}/errors/ffffffffffffffff/quiet-is-the-night-of-articles",
    ]


@pytest.mark.parametrize("name", ["x", "fffffffffffffff", "..%2F", "0000000000000000.xml"])
def test_a_site_map_of_no_id_is_not_found(pages, name):
    assert pages.get(f"/sitemaps/records/{name}.xml").status_code == 404


def test_a_site_map_begins_with_its_id_wherever_records_went(pages):
    assert len(locations(pages, "/sitemaps/records/0000000000000000.xml")) == 2
    assert len(locations(pages, "/sitemaps/records/00000000000000ab.xml")) == 1


def test_an_empty_knowledge_base_has_them_all(serve_records):
    empty = serve_records([])
    assert parsed(empty, "/feed.xml").findall(f"{ATOM}entry") == []
    assert locations(empty, "/sitemap.xml") == [f"{SITE}/sitemaps/lists.xml"]
