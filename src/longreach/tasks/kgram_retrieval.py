"""k-gram retrieval: what followed the last k tokens where they stood before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.errors import InputError
from longreach.tasks.evidence import Evidence
from longreach.tasks.family_task import FamilyTask
from longreach.tasks.task import BoolArray, IntArray

MOST_TRIES = 1000


@dataclass(frozen=True)
class KgramRetrieval(FamilyTask):
    """SOS 5 2 9 7 2 2 9 SEP 7, for k = 2: the last two tokens stood there once before, and 7 followed.

    Tokens are independent and uniform but for the last k, which repeat those at a uniform place
    (Golowich et al., arXiv 2502.16792, section 3). There the k-gram may stand in further places, and then the
    answer is not determined; here such inputs are drawn again.

    >>> KgramRetrieval().answer(["5", "2", "9", "7", "2", "2", "9"])
    ('7',)
    """

    k: int = 2
    symbols_count: int = 32

    family = "kgram-retrieval"

    def __post_init__(self) -> None:
        last = "token where it" if self.k == 1 else f"{self.k} tokens where they"
        self._describe(
            {"k": self.k, "symbols": self.symbols_count},
            about=f"what followed the last {last} stood before",
            nope=Evidence("none", None, "what follows a token needs the token before it"),
            ape=Evidence(
                "none", None, "a program counts each run of k + 1 symbols; it is not written out here"
            ),
            chance=1 / self.symbols_count,
        )

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return tuple(map(str, range(self.symbols_count)))

    @property
    def least_length(self) -> int:
        return 2 * self.k + 2

    def answer_size(self, length: int) -> int:
        return 1

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        k, last = self.k, list(x[-self.k :])
        places = [start for start in range(len(x) - k) if list(x[start : start + k]) == last]
        if len(places) != 1:
            times = len(places)
            raise InputError(f"{self.name}: the last {k} tokens stand {times} times before, not once")
        return (x[places[0] + k],)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
        y = np.zeros((len(lengths), 1), dtype=np.int64)
        waiting = np.arange(len(lengths))
        for _ in range(MOST_TRIES):
            drawn, answers = self._drawn(lengths[waiting], rng)
            x[waiting, : drawn.shape[1]], y[waiting, 0] = drawn, answers
            waiting = waiting[~self._once(drawn, lengths[waiting])]
            if not len(waiting):
                return x, y, np.ones_like(lengths)
        longest = int(lengths[waiting].max())
        raise InputError(
            f"{self.name}: among {self.symbols_count} symbols hardly any input of length {longest} has its "
            f"last {self.k} tokens once before"
        )

    def _drawn(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Inputs as the paper draws them, and the token behind the place that was repeated."""
        rows, k = np.arange(len(lengths))[:, None], self.k
        x = rng.integers(0, self.symbols_count, (len(lengths), int(lengths.max())))
        # ℓ' of 1 … ℓ - 2k - 1, and the k-gram right behind it; columns count from 0.
        start = rng.integers(1, lengths - 2 * k)[:, None]
        if k == 1:
            # The same as to draw again until the token stands nowhere else, which takes long among few.
            wanted = np.take_along_axis(x, start, axis=1)
            others = rng.integers(0, self.symbols_count - 1, x.shape)
            x = np.where(np.arange(x.shape[1]) == start, wanted, others + (others >= wanted))
        places = np.arange(k)
        x[rows, lengths[:, None] - k + places] = np.take_along_axis(x, start + places, axis=1)
        return x, np.take_along_axis(x, start + k, axis=1)[:, 0]

    def _once(self, x: IntArray, lengths: IntArray) -> BoolArray:
        """Whether the last k tokens stand exactly once before."""
        k, width = self.k, x.shape[1]
        same = np.ones((len(x), width - k), dtype=np.bool_)
        for place in range(k):
            last = np.take_along_axis(x, lengths[:, None] - k + place, axis=1)
            same &= x[:, place : place + width - k] == last
        earlier = np.arange(width - k) < lengths[:, None] - k
        found: BoolArray = (same & earlier).sum(axis=1) == 1
        return found
