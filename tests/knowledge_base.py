"""A small knowledge base of its own for tests above the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from errdex.ingest import IngestReport, ingest
from errdex.search.protocol import IndexStore
from errdex.store import Store


def record(message: str, **more: Any) -> dict[str, Any]:
    """A valid record, with what a test wants to be different."""
    return {"repo": "acme/shop", "errorMessage": message, "errorClass": "ShopError", **more}


def load(
    folder: Path,
    store: Store,
    indexes: IndexStore,
    records: list[dict[str, Any]],
    *,
    dataset: str = "shop",
    prune: bool = False,
) -> IngestReport:
    """Ingest the records, all of which must be good."""
    file = folder / "records.json"
    file.write_bytes(orjson.dumps(records))
    report = ingest([file], store=store, indexes=indexes, dataset=dataset, prune=prune)
    assert report.ok, [str(problem) for problem in report.problems]
    return report


SHOP = [
    record(
        "Basket {basket_id} is empty",
        tags=["basket", "checkout"],
        backgroundTag="empty-input",
        filePath="shop/basket.py",
        lineNumber=12,
        severity="error",
        language="python",
        errorType="validation",
        documentation="Checkout was asked for a basket that holds no articles.",
        solutions=["Add an article before checkout."],
    ),
    record(
        "Order {order_id} has no lines",
        tags=["orders", "checkout"],
        backgroundTag="empty-input",
        filePath="shop/orders.py",
        severity="error",
        language="python",
    ),
    record(
        "Basket {basket_id} is locked by another session",
        errorClass="LockError",
        tags=["basket"],
        filePath="shop/basket.py",
        severity="warning",
        language="python",
    ),
    record(
        "ERR_STOCK_UNKNOWN: no stock for article %s",
        repo="acme/stock",
        errorClass="StockError",
        errorCode="ERR_STOCK_UNKNOWN",
        tags=["stock"],
        language="javascript",
        severity="error",
    ),
]
