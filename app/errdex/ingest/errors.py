"""Why an ingestion did not happen. Whatever was served before goes on being served.

IngestError
├── CopyRefused          there is nothing to copy, or no empty place for it
├── DatasetNameRefused   the dataset cannot have that name
├── IngestionRunning     another one holds the lock
├── IndexNotBuilt        the full-text index could not be written
├── NothingToRemove      no record is meant by a removal
└── PackNotBuilt         the compiled patterns could not be written
"""

from __future__ import annotations

from errdex.records.problems import Trouble


class IngestError(Trouble):
    """An ingestion that changed nothing; the message says why and what to do."""


class CopyRefused(IngestError):
    """There is nothing to copy, no empty place for it, or it did not arrive whole."""


class DatasetNameRefused(IngestError, ValueError):
    """The dataset cannot have that name."""


class IngestionRunning(IngestError):
    """Another process is ingesting into the same database."""


class IndexNotBuilt(IngestError):
    """The full-text index could not be written."""


class NothingToRemove(IngestError):
    """No record has the dataset or repository that was to be removed."""


class PackNotBuilt(IngestError):
    """The compiled patterns could not be written."""
