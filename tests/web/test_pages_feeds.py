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
