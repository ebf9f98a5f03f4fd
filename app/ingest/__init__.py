"""Record files into the store and the full-text index, in one atomic switch. See run.py."""

from app.ingest.check import check
from app.ingest.coverage import Coverage
from app.ingest.errors import DatasetNameRefused, IndexNotBuilt, IngestError, IngestionRunning
from app.ingest.export import export_records
from app.ingest.reindex import rebuild_index
from app.ingest.report import FoundProblem, Progress, Report
from app.ingest.run import check_dataset_name, ingest

__all__ = [
    "Coverage",
    "DatasetNameRefused",
    "FoundProblem",
    "IndexNotBuilt",
    "IngestError",
    "IngestionRunning",
    "Progress",
    "Report",
    "check",
    "check_dataset_name",
    "export_records",
    "ingest",
    "rebuild_index",
]
