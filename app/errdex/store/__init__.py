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
from errdex.store.sqlite.snapshot import Snapshot
from errdex.store.sqlite.store import Store
from errdex.store.values import (
    Address,
    Changed,
    DatasetStats,
    FacetValue,
    Known,
    KnownSource,
    NewRecord,
    PatternRow,
    RecordSummary,
    Seen,
    StoredRecord,
    StoreStats,
    TopicCount,
    Traits,
    VerificationStats,
)

__all__ = [
    "Address",
    "Changed",
    "DatasetStats",
    "FacetValue",
    "KeptPage",
    "Known",
    "KnownSource",
    "NewRecord",
    "PageFile",
    "PatternRow",
    "PatternState",
    "RecordSummary",
    "Seen",
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
