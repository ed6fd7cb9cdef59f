"""A map from many whole numbers to small ones, looked up by the array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Values = NDArray[np.int32]
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
LOAD = 0.5
"""How full the table gets before it is doubled."""


class KeyTable:
    """Keys are positive and below 2⁶⁴, values at least 0; open addressing with linear probing.

    >>> table = KeyTable()
    >>> table.insert(np.array([7, 9], np.uint64), np.array([0, 1], np.int32))
    >>> table.find(np.array([9, 8, 7], np.uint64)).tolist()
    [1, -1, 0]
    """

    def __init__(self, bits: int = 10) -> None:
        self._bits = bits
        self._keys: Keys = np.zeros(1 << bits, np.uint64)
        self._values: Values = np.full(1 << bits, -1, np.int32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return self._keys.nbytes + self._values.nbytes

    def _slots(self, keys: Keys) -> NDArray[np.int64]:
        return ((keys * _SPREAD) >> np.uint64(64 - self._bits)).astype(np.int64)

    def find(self, keys: Keys) -> Values:
        """The value of each key; −1 where there is none."""
        slots = self._slots(keys)
        there = self._keys[slots]
        found = np.where(there == keys, self._values[slots], np.int32(-1))
        # Few are left after the first look: those whose place is another key's.
        open_ = np.flatnonzero((there != keys) & (there != 0))
        last = len(self._keys) - 1
        while len(open_):
            at = slots[open_] = (slots[open_] + 1) & last
            there = self._keys[at]
            hit = there == keys[open_]
            found[open_[hit]] = self._values[at[hit]]
            open_ = open_[~hit & (there != 0)]
        return found

    def insert(self, keys: Keys, values: Values) -> None:
        """Add keys that are distinct and not there yet."""
        while self._count + len(keys) > LOAD * len(self._keys):
            self._double()
        self._place(keys, values)
        self._count += len(keys)

    def _double(self) -> None:
        kept = self._keys != 0
        keys, values = self._keys[kept], self._values[kept]
        self._bits += 1
        self._keys = np.zeros(1 << self._bits, np.uint64)
        self._values = np.full(1 << self._bits, -1, np.int32)
        self._place(keys, values)

    def _place(self, keys: Keys, values: Values) -> None:
        slots, last = self._slots(keys), len(self._keys) - 1
        while len(keys):
            free = self._keys[slots] == 0
            # Of several keys that want one slot the last writer gets it; the others move on.
            self._keys[slots[free]] = keys[free]
            placed = free & (self._keys[slots] == keys)
            self._values[slots[placed]] = values[placed]
            keys, values, slots = keys[~placed], values[~placed], (slots[~placed] + 1) & last
