"""Parity with a scratchpad: the parities of prefixes are written, every k-th and the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from longreach.errors import InputError
from longreach.tasks.evidence import Evidence, Reduction, Split
from longreach.tasks.family_task import FamilyTask
from longreach.tasks.local_steps import LocalSteps
from longreach.tasks.task import SEP, SEP_ID, Batch, IntArray

BITS = ("0", "1")


@dataclass(frozen=True)
class ParityScratchpad(FamilyTask):
    """SOS 1 0 1 1 SEP 1 1 0 1, with jumps of k = 2 SOS 1 0 1 1 SEP 1 1; bits are uniform.

    LEN is the number of bits, ℓ of Golowich et al., arXiv 2502.16792, equation (21); the paper's lengths are
    2ℓ. Where k does not divide ℓ the last parity is written as well. Without the scratchpad it stands alone.

    >>> ParityScratchpad().answer(list("1011")), ParityScratchpad(2).answer(list("101"))
    (('1', '1', '0', '1'), ('1', '0'))
    """

    k: int = 1
    scratchpad: bool = True

    family = "parity-scratchpad"
    symbols = BITS

    def __post_init__(self) -> None:
        if self.k > 1 and not self.scratchpad:
            raise InputError(f"{self.family}: k goes with a scratchpad")
        each = "each prefix" if self.k == 1 else f"every prefix of a multiple of {self.k} bits, and of all"
        evidence = _evidence(self.k, self.scratchpad)
        self._describe(
            {"k": self.k, "scratchpad": self.scratchpad},
            about=f"the parity of {each}" if self.scratchpad else "the parity of all bits, nothing else",
            nope=evidence,
            ape=evidence,
            chance=0.0 if self.scratchpad else 1 / 2,
        )

    @property
    def with_scratchpad(self) -> ParityScratchpad | None:
        return None if self.scratchpad else replace(self, scratchpad=True)

    def answer_size(self, length: int) -> int:
        return -(-length // self.k) if self.scratchpad else 1

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        if not x or not {*x} <= {*BITS}:
            raise InputError(f"{self.name}: x is bits, as in 1 0 1 1")
        ends = [*range(self.k, len(x), self.k), len(x)] if self.scratchpad else [len(x)]
        return tuple(str(x[:end].count("1") % 2) for end in ends)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, 2, (len(lengths), int(lengths.max())))
        parities = np.cumsum(x, axis=1) % 2
        sizes = -(-lengths // self.k) if self.scratchpad else np.ones_like(lengths)
        first = self.k if self.scratchpad else x.shape[1]
        ends = np.minimum(first * (1 + np.arange(int(sizes.max()))), lengths[:, None])
        return x, np.take_along_axis(parities, ends - 1, axis=1), sizes

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        """0, then 1 … ⌈ℓ/k⌉ with each id k times, 0, 1 … ⌈ℓ/k⌉ (Golowich et al., arXiv 2502.16792, E.2.1).

        >>> batch = ParityScratchpad(2).sample([5], np.random.default_rng(0))
        >>> ParityScratchpad(2).coupled_ids(batch).tolist()
        [[0, 1, 1, 2, 2, 3, 0, 1, 2, 3]]
        """
        if not self.scratchpad:
            return None
        separators = (batch.tokens == SEP_ID).argmax(axis=1)[:, None]
        columns = np.arange(batch.tokens.shape[1] + 1)
        read = -(-columns // self.k)
        written = np.where(columns <= batch.sizes[:, None], columns - separators, 0)
        return np.where(columns < separators, read, written)

    @property
    def local_steps(self) -> LocalSteps | None:
        """Of a scratchpad: k bits share an id."""
        if not self.scratchpad:
            return None
        bits = "the bit that is read" if self.k == 1 else f"the next {self.k} bits"
        return LocalSteps(self.k + 1, 1, f"the parity before it and {bits}")


def _evidence(k: int, scratchpad: bool) -> Evidence:
    if not scratchpad:
        told = Reduction(
            {"a": "1", "b": "0"}, (SEP,), "0", "with a as 1 and b as 0, 0 follows SEP for its words"
        )
        return Evidence("reduction", "parity-language", "the answer decides the language", told)
    if k > 1:
        return Evidence(
            "none", None, "as with jumps of 1 the bits that must be told grow, by one for k symbols"
        )
    return Evidence(
        "communication",
        None,
        "the whole word must be told, as in copying: its prefix parities determine it",
        # For every N: different words have different prefix parities, so different rows.
        split=Split(alice=BITS),
    )
