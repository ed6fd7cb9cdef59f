"""Families of tasks: sparse parity, parity with a scratchpad, variable assignment, k-gram retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import ClassVar

import numpy as np

from longreach.errors import InputError
from longreach.tasks.layouts import SequenceTask, random_orders, shuffled_bits
from longreach.tasks.lengths import LengthRange
from longreach.tasks.names import FamilyName, Value
from longreach.tasks.positions import LocalSteps
from longreach.tasks.task import SEP, SEP_ID, Batch, BoolArray, Evidence, IntArray, Reduction, Split


class FamilyMember:
    """A task whose class is a frozen dataclass with its parameters; `_describe` is called at its making."""

    family: ClassVar[str]

    def _describe(
        self,
        parameters: dict[str, Value],
        *,
        about: str,
        nope: Evidence,
        ape: Evidence,
        chance: float | None = None,
    ) -> None:
        """Set what depends on the parameters; a chance that is not given is measured. The class is frozen:
        nothing else changes these fields."""
        own: dict[str, object] = {
            "name": FamilyName.of(self.family, parameters).text,
            "about": about,
            "nope": nope,
            "ape": ape,
        }
        if chance is not None:
            own["chance"] = chance
        for field, value in own.items():
            object.__setattr__(self, field, value)


class FamilyTask(FamilyMember, SequenceTask):
    """Sequences of Golowich et al., arXiv 2502.16792, end with the answer."""

    ended = False

    @property
    def with_scratchpad(self) -> FamilyTask | None:
        """The member of the family that writes its steps; None: this one does, or the family has none."""
        return None


SYMBOLS = 20
"""N of Golowich et al., arXiv 2502.16792, Table 2; those up to N/2 are special."""
TAGGED_BITS = ("t0", "t1")
PROGRAM_MOST = 24
"""With more special symbols the program that counts them is not tried."""


@dataclass(frozen=True)
class SparseParity(FamilyTask):
    """SOS 3 t1 17 t1 9 t0 SEP t1: of the numbers 1 … 20 those up to 10 are special, here 3 and 9.

    k, the number of special symbols, is uniform in `k`, both ends included, but always less than the number
    of bits. LEN is the number of tokens of x, two for each bit: 2ℓ of Golowich et al., arXiv 2502.16792,
    equation (20).

    >>> SparseParity().answer(["3", "t1", "17", "t1", "9", "t0"])
    ('t1',)
    """

    k: tuple[int, int] = (1, 4)
    numbers: int = SYMBOLS

    family = "sparse-parity"

    def __post_init__(self) -> None:
        first, last = self.k
        words = str(last) if first == last else f"{first} to {last}"
        self._describe(
            {"k": self.k, "symbols": self.numbers},
            about=f"the parity of the bits after special symbols, of which there are {words}",
            nope=Evidence("none", None, "which bits follow special symbols needs the token before"),
            ape=Evidence("program", f"sparse-parity-{last}", "so few ones are counted, one by one")
            if last <= PROGRAM_MOST and self.numbers == SYMBOLS
            else Evidence("none", None, "a program would count the ones, one by one; it is not written out"),
            chance=1 / 2,
        )

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return (*map(str, range(1, self.numbers + 1)), *TAGGED_BITS)

    @property
    def least_length(self) -> int:
        return 2 * (self.k[0] + 1)

    def has(self, lengths: IntArray) -> BoolArray:
        even: BoolArray = lengths % 2 == 0
        return even & super().has(lengths)

    def answer_size(self, length: int) -> int:
        return 1

    def is_drawn(self, x: Sequence[str]) -> bool:
        special = sum(int(number) <= self.numbers // 2 for number in x[::2])
        return self.k[0] <= special <= min(self.k[1], len(x) // 2 - 1)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        if len(x) % 2 or not {*x[::2]} <= {*self.symbols[:-2]} or not {*x[1::2]} <= {*TAGGED_BITS}:
            raise InputError(f"{self.name}: x is numbers and bits by turns, as in 1 t1 2 t1")
        special = self.numbers // 2
        ones = sum(
            int(number) <= special and bit == "t1" for number, bit in zip(x[::2], x[1::2], strict=True)
        )
        return (TAGGED_BITS[ones % 2],)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        pairs = lengths // 2
        first, last = self.k
        special = rng.integers(first, np.minimum(last, pairs - 1) + 1)
        is_special = shuffled_bits(pairs, special, rng).astype(np.bool_)
        half = self.numbers // 2
        chosen = rng.integers(0, half, is_special.shape)
        others = rng.integers(half, self.numbers, is_special.shape)
        numbers = np.where(is_special, chosen, others)
        bits = rng.integers(0, 2, is_special.shape)
        used = is_special & (np.arange(is_special.shape[1]) < pairs[:, None])
        parity = (bits * used).sum(axis=1) % 2
        x = np.stack([numbers, self.numbers + bits], axis=2).reshape(len(lengths), -1)
        return x, self.numbers + parity[:, None], np.ones_like(lengths)


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
            raise InputError(f"{self.family}: k needs a scratchpad")
        each = "each prefix" if self.k == 1 else f"every prefix of a multiple of {self.k} bits, and of all"
        evidence = _parity_evidence(self.k, self.scratchpad)
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


def _parity_evidence(k: int, scratchpad: bool) -> Evidence:
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


ARROW, FIRST = "←", "SEP1"
BEFORE = 2
"""The tokens of x before the first assignment: where to begin, and a separator."""
SOME_CHAINS = 4
NOT_WRITTEN = Evidence("none", None, "a program for this would look up assignments; it is not written out")


@dataclass(frozen=True)
class VariableAssignment(FamilyTask):
    """SOS v4 SEP1 v2 ← v9 v4 ← v7 v7 ← v1 v9 ← v3 SEP v4 ← v7 v7 ← v1, for d = 2.

    w chains of d assignments with distinct variables, interleaved uniformly, in order within each chain; x
    begins with the first variable of one chain, and the scratchpad writes that chain. LEN counts the
    tokens of x: 2 + 3dw, where the paper counts the 3dw of the assignments (Golowich et al.,
    arXiv 2502.16792, equation (22)). Without the scratchpad only the last variable is written.

    >>> VariableAssignment(2).answer("v4 SEP1 v2 ← v9 v4 ← v7 v7 ← v1 v9 ← v3".split())
    ('v4', '←', 'v7', 'v7', '←', 'v1')
    """

    d: int = 2
    variables: int = 200
    scratchpad: bool = True

    family = "variable-assignment"

    def __post_init__(self) -> None:
        if self.variables <= self.d:
            raise InputError(f"{self.family}: a chain of {self.d} steps needs {self.d + 1} variables")
        steps = "step" if self.d == 1 else "steps"
        self._describe(
            {"d": self.d, "variables": self.variables, "scratchpad": self.scratchpad},
            about=f"{self.d} {steps} from variable to variable, "
            + ("each written" if self.scratchpad else "the last variable written"),
            nope=Evidence("none", None, "what stands behind a variable needs the tokens next to it"),
            ape=_assignment_evidence(self.d) if self.scratchpad and self.variables == 200 else NOT_WRITTEN,
            chance=0.0 if self.scratchpad else 1 / self.variables,
        )

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return (*(f"v{number}" for number in range(1, self.variables + 1)), ARROW, FIRST)

    @property
    def least_length(self) -> int:
        return self._length(1)

    def has(self, lengths: IntArray) -> BoolArray:
        chains, rest = np.divmod(lengths - BEFORE, 3 * self.d)
        found: BoolArray = (chains >= 1) & (rest == 0) & (chains * (self.d + 1) <= self.variables)
        return found

    @property
    def with_scratchpad(self) -> VariableAssignment | None:
        return None if self.scratchpad else replace(self, scratchpad=True)

    def train_range(self, train_to: int) -> LengthRange:
        """Of several chains at least: with one there is nothing to choose.

        Where the variables are too few for tests on three times as much, of a third of the chains that there
        can be.
        """
        chains = self.variables // (self.d + 1)
        last = max(train_to, self._length(SOME_CHAINS))
        if 2 * last >= self._length(chains):
            last = self._length(max(chains // 3, 1))
        return LengthRange(self.least_length, last)

    def _length(self, chains: int) -> int:
        return BEFORE + 3 * self.d * chains

    def answer_size(self, length: int) -> int:
        return 3 * self.d if self.scratchpad else 1

    def is_drawn(self, x: Sequence[str]) -> bool:
        """Whether all variables of the chains differ; that chains stand in order is not looked at."""
        left, right = {*x[BEFORE::3]}, {*x[BEFORE + 2 :: 3]}
        steps = len(x[BEFORE::3])
        return len(left) == len(right) == steps and len(left | right) == steps + steps // self.d

    @property
    def hard(self) -> tuple[str, ...]:
        """The chain that is asked for stands first, or last, without a break; or all take turns."""
        return ("chain first", "chain last", "chains in turns")

    def hard_input(self, length: int, sort: int, rng: np.random.Generator) -> Sequence[str] | None:
        count = (length - BEFORE) // (3 * self.d)
        chains = rng.permutation(self.variables)[: count * (self.d + 1)].reshape(count, self.d + 1)
        order = (np.arange(count), np.arange(count)[::-1], rng.permutation(count))[sort]
        steps = [(chain, step) for chain in order for step in range(self.d)]
        if sort == 2:
            steps.sort(key=itemgetter(1))
        x = [self.symbols[chains[0, 0]], FIRST]
        for chain, step in steps:
            x += [self.symbols[chains[chain, step]], ARROW, self.symbols[chains[chain, step + 1]]]
        return x

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        left, arrows, right = (x[BEFORE + place :: 3] for place in range(3))
        if [*x[1:2]] != [FIRST]:
            raise InputError(f"{self.name}: x begins with a variable and {FIRST}")
        if {*arrows} != {ARROW} or len(left) != len(right):
            raise InputError(f"{self.name}: assignments are written as in v4 {ARROW} v7")
        value = dict(zip(left, right, strict=True))
        now, written = x[0], list[str]()
        for _ in range(self.d):
            if now not in value:
                raise InputError(f"{self.name}: nothing is assigned to {now}")
            written += [now, ARROW, value[now]]
            now = value[now]
        return tuple(written if self.scratchpad else [now])

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        d, rows = self.d, len(lengths)
        steps = (lengths - BEFORE) // 3
        most = int(steps.max())
        names = random_orders(np.full(rows, self.variables), self.variables, rng)
        chain, inside = _interleaved(steps, most, d, rng)
        # Of chain c the variables are names[c (d + 1)] … names[c (d + 1) + d].
        place = np.minimum(chain * (d + 1) + inside, self.variables - 2)
        left, right = (np.take_along_axis(names, place + next_one, axis=1) for next_one in (0, 1))
        arrow = np.full_like(left, self.variables)
        assignments = np.stack([left, arrow, right], axis=2).reshape(rows, 3 * most)
        start = np.column_stack([names[:, 0], np.full(rows, self.variables + 1)])
        x = np.concatenate([start, assignments], axis=1)
        if not self.scratchpad:
            return x, names[:, d : d + 1], np.ones_like(lengths)
        arrows = np.full((rows, d), self.variables)
        y = np.stack([names[:, :d], arrows, names[:, 1 : d + 1]], axis=2).reshape(rows, 3 * d)
        return x, y, np.full_like(lengths, 3 * d)

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        """0, 1 … LEN, 0, then I₁, I₁ + 1, I₁ + 2, I₂ …: a step has the ids of its assignment.

        I_j is the id of the j-th variable as the left side of its assignment (Golowich et al.,
        arXiv 2502.16792, E.3.1).
        """
        if not self.scratchpad:
            return None
        width = batch.tokens.shape[1]
        separators = (batch.tokens == SEP_ID).argmax(axis=1)[:, None]
        columns = np.arange(width + 1)
        ids = np.where(columns < separators, columns, 0)
        # The left sides of the assignments, and of the steps of the scratchpad.
        lefts = np.arange(1 + BEFORE, int(separators.max()), 3)
        sides = np.where(lefts < separators, batch.tokens[:, lefts], -1)
        written = separators + 1 + 3 * np.arange(self.d)
        steps = np.take_along_axis(batch.tokens, written, axis=1)
        found = lefts[(sides[:, None, :] == steps[:, :, None]).argmax(axis=2)]
        for next_one in range(3):
            np.put_along_axis(ids, written + next_one, found + next_one, axis=1)
        return ids


def _assignment_evidence(d: int) -> Evidence:
    why = "an induction head: each variable is assigned once, and looked up by the token before the arrow"
    return Evidence("program", f"variable-assignment-{d}", why)


def _interleaved(steps: IntArray, most: int, d: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """The chain of each step, uniformly among all orders with d steps of each chain; its place there.

    >>> chain, inside = _interleaved(np.array([4]), 4, 2, np.random.default_rng(0))
    >>> sorted(chain[0].tolist()), sorted(inside[0].tolist())
    ([0, 0, 1, 1], [0, 0, 1, 1])
    """
    chain = random_orders(steps, most, rng) // d
    # In order of chains and, within a chain, of steps; what lies beyond stands last.
    order = np.argsort(chain, axis=1, kind="stable")
    inside = np.empty_like(chain)
    np.put_along_axis(inside, order, np.broadcast_to(np.arange(most) % d, chain.shape), axis=1)
    return chain, inside


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
