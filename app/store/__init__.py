"""Tables, migrations and all SQL. Start at store.py."""

from app.store.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    StoreTooNew,
    StoreTooOld,
)
from app.store.page_file import KeptPage, PageFile
from app.store.pattern_state import PatternState
from app.store.rows import (
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
from app.store.snapshot import Snapshot
from app.store.store import Store

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
