"""What a page weighs."""

from __future__ import annotations

import pytest
import yaml
from tests.conftest import ROOT

from errdex.web.http.assets import load_assets

MOST = 60_000


def test_styles_and_scripts_together_stay_light():
    files = [asset for name, asset in load_assets().items() if name.endswith((".css", ".js"))]
    assert len(files) >= 3
    assert sum(len(asset.body) for asset in files) < MOST


@pytest.fixture(scope="module")
def starters():
    return [
        entry
        for file in sorted((ROOT / "data").glob("*.yaml"))
        for entry in yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    ]


@pytest.mark.slow
def test_a_record_page_stays_light(serve_records, starters):
    client = serve_records(starters)
    records, cursor = [], None
    while not records or cursor:
        asked = {"limit": "200"} | ({"cursor": cursor} if cursor else {})
        answer = client.get("/api/errors", params=asked).json()
        records += [item["record"]["url"] for item in answer["items"]]
        cursor = answer["nextCursor"]
    assert len(records) == len(starters)
    heavy = {page: size for page in records if (size := len(client.get(page).content)) >= MOST}
    assert heavy == {}
