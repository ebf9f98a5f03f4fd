"""A queue that is full by the bytes that it holds, whatever the number of its items."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import TypeVar

Item = TypeVar("Item")

_OF_AN_ITEM = 100
"""Bytes that an item takes beside its own."""


class ByteQueue(queue.Queue[Item]):
    """Of items that `size_of` gives the bytes of. An item that is put while it holds less than
    `most` bytes gets in whole."""

    def __init__(self, most: int, size_of: Callable[[Item], int]) -> None:
        super().__init__(most)
        self._size_of = size_of
        self._held = 0

    def _qsize(self) -> int:
        return self._held

    def _put(self, item: Item) -> None:
        super()._put(item)
        self._held += self._size_of(item) + _OF_AN_ITEM

    def _get(self) -> Item:
        item = super()._get()
        self._held -= self._size_of(item) + _OF_AN_ITEM
        return item
