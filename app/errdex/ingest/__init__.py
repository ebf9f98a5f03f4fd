"""Record files into the store, index and pack, in one atomic switch. See run.py."""

from errdex.ingest.check_run import check
from errdex.ingest.copying import CopyReport, copy
from errdex.ingest.coverage import Coverage
from errdex.ingest.errors import (
    CopyRefused,
    DatasetNameRefused,
    IndexNotBuilt,
    IngestError,
    IngestionRunning,
    NothingToRemove,
    PackNotBuilt,
)
from errdex.ingest.export import export_records
from errdex.ingest.following import catch_up, follow
from errdex.ingest.reindex import rebuild_index
from errdex.ingest.removal import RemovalReport, remove
from errdex.ingest.report import FoundProblem, IngestProgress, IngestReport
from errdex.ingest.run import check_dataset_name, ingest

__all__ = [
    "CopyRefused",
    "CopyReport",
    "Coverage",
    "DatasetNameRefused",
    "FoundProblem",
    "IndexNotBuilt",
    "IngestError",
    "IngestProgress",
    "IngestReport",
    "IngestionRunning",
    "NothingToRemove",
    "PackNotBuilt",
    "RemovalReport",
    "catch_up",
    "check",
    "check_dataset_name",
    "copy",
    "export_records",
    "follow",
    "ingest",
    "rebuild_index",
    "remove",
]
