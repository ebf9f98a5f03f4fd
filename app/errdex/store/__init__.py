"""Tables, migrations and all SQL. Start at store.py."""

from errdex.store.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    StoreTooNew,
    StoreTooOld,
)
from errdex.store.sqlite.page_file import KeptPage, PageFile
from errdex.store.sqlite.pattern_state import PatternState
from errdex.store.sqlite.rows import (
    Address,
    Changed,
    Conditions,
    DatasetStats,
    FacetValue,
    FiltersLike,
    Known,
    KnownSource,
    NewRecord,
    PatternRow,
    RecordSummary,
    StoredRecord,
    StoreStats,
    TopicCount,
    Traits,
    VerificationStats,
)
from errdex.store.sqlite.snapshot import Snapshot
from errdex.store.sqlite.store import Store

__all__ = [
    "Address",
    "Changed",
    "Conditions",
    "DatasetStats",
    "FacetValue",
    "FiltersLike",
    "KeptPage",
    "Known",
    "KnownSource",
    "NewRecord",
    "PageFile",
    "PatternRow",
    "PatternState",
    "RecordSummary",
    "Snapshot",
    "Store",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "StoreReadOnly",
    "StoreStats",
    "StoreTooNew",
    "StoreTooOld",
    "StoredRecord",
    "TopicCount",
    "Traits",
    "VerificationStats",
]
